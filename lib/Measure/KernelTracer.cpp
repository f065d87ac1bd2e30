//===- KernelTracer.cpp - Kernel times by CUPTI ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUPTI's activity API, without its headers. Records of kernels have grown with
// each version, but at their end: from CUpti_ActivityKernel4 (CUDA 9) to
// CUpti_ActivityKernel10 (CUDA 13) the fields that are read here lie where they
// lay.
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <glob.h>
#include <mutex>
#include <sstream>
#include <unistd.h>

using namespace lathe::measure;

namespace {

constexpr int kindKernel = 3, kindConcurrentKernel = 10;
constexpr unsigned flushForced = 1, oldestVersion = 9;
constexpr size_t bufferBytes = 1 << 20;

/// The common beginning of all versions of CUpti_ActivityKernel.
struct KernelRecord {
  uint32_t kind;
  uint32_t ignored[3];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  uint32_t launchShape[10];
  uint32_t correlation;
  int64_t grid;
  const char *name;
};
static_assert(offsetof(KernelRecord, start) == 16 &&
                  offsetof(KernelRecord, stream) == 48 &&
                  offsetof(KernelRecord, correlation) == 92 &&
                  offsetof(KernelRecord, name) == 104,
              "laid out as CUPTI does");

using RequestBuffer = void (*)(uint8_t **, size_t *, size_t *);
using CompleteBuffer = void (*)(void *, uint32_t, uint8_t *, size_t, size_t);

struct Cupti {
  int (*version)(uint32_t *) = nullptr;
  int (*registerCallbacks)(RequestBuffer, CompleteBuffer) = nullptr;
  int (*enable)(int) = nullptr;
  int (*disable)(int) = nullptr;
  int (*flush)(uint32_t) = nullptr;
  int (*next)(uint8_t *, size_t, void **) = nullptr;
  int (*resultText)(int, const char **) = nullptr;
  std::mutex mutex; ///< buffers come back on threads of CUPTI
  std::vector<KernelTracer::Record> records;
};

/// Callbacks carry no user data; there is one CUPTI in a process anyway. Its
/// threads may outlive destructors of static objects.
Cupti &cupti() {
  static Cupti &library = *new Cupti;
  return library;
}

std::string describe(int result) {
  const char *text = nullptr;
  if (cupti().resultText && cupti().resultText(result, &text) == 0 && text)
    return std::string(text) + " (" + std::to_string(result) + ")";
  return "CUPTI error " + std::to_string(result);
}

void requestBuffer(uint8_t **buffer, size_t *size, size_t *maxRecords) {
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, bufferBytes));
  *size = *buffer ? bufferBytes : 0;
  *maxRecords = 0;
}

void completeBuffer(void *, uint32_t, uint8_t *buffer, size_t,
                    size_t validBytes) {
  Cupti &library = cupti();
  std::lock_guard<std::mutex> guard(library.mutex);
  void *at = nullptr;
  while (validBytes && library.next(buffer, validBytes, &at) == 0) {
    uint32_t kind = 0;
    std::memcpy(&kind, at, sizeof kind);
    if (kind != kindKernel && kind != kindConcurrentKernel)
      continue;
    KernelRecord record;
    std::memcpy(&record, at, sizeof record);
    library.records.push_back({record.name ? record.name : "",
                               double(record.start) / 1000,
                               double(record.end) / 1000, record.stream});
  }
  std::free(buffer);
}

class CuptiTracer final : public KernelTracer {
public:
  void start() override;
  std::vector<Record> stop() override;
};

void check(int result, const char *call) {
  if (result != 0)
    throw std::runtime_error(std::string(call) + ": " + describe(result));
}

} // namespace

void CuptiTracer::start() {
  std::lock_guard<std::mutex> guard(cupti().mutex);
  cupti().records.clear();
  check(cupti().enable(kindConcurrentKernel), "cuptiActivityEnable");
}

std::vector<KernelTracer::Record> CuptiTracer::stop() {
  // Disabled before it throws, or later times would pay for tracing.
  int flushed = cupti().flush(flushForced);
  check(cupti().disable(kindConcurrentKernel), "cuptiActivityDisable");
  check(flushed, "cuptiActivityFlushAll");
  std::vector<Record> records;
  {
    std::lock_guard<std::mutex> guard(cupti().mutex);
    records.swap(cupti().records);
  }
  // What has no times was not finished, or could not be traced.
  records.erase(std::remove_if(records.begin(), records.end(),
                               [](const Record &record) {
                                 return record.beginUs == 0 ||
                                        record.endUs < record.beginUs;
                               }),
                records.end());
  std::sort(
      records.begin(), records.end(),
      [](const Record &a, const Record &b) { return a.beginUs < b.beginUs; });
  return records;
}

/// Folders that have a lib/python3*: of each python3 on the PATH, and of what
/// it is a link to.
static std::vector<std::string> pythonPrefixes() {
  std::vector<std::string> prefixes;
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string python = folder + "/python3";
    for (int links = 0; links < 8 && access(python.c_str(), X_OK) == 0;
         ++links) {
      std::string bin = python.substr(0, python.rfind('/'));
      prefixes.push_back(bin + "/..");
      char target[4096];
      ssize_t length = readlink(python.c_str(), target, sizeof target);
      if (length <= 0 || size_t(length) == sizeof target)
        break;
      std::string next(target, size_t(length));
      python = next[0] == '/' ? next : bin + "/" + next;
    }
  }
  return prefixes;
}

/// Toolkits and Python wheels have it, the driver does not.
static std::vector<std::string> cuptiPlaces() {
  const std::string file = "/libcupti.so.1[23]";
  std::vector<std::string> patterns;
  std::vector<std::string> toolkits;
  for (const char *variable : {"LATHE_CUDA", "CUDA_PATH", "CUDA_HOME"})
    if (const char *prefix = std::getenv(variable))
      toolkits.push_back(prefix);
  toolkits.push_back("/usr/local/cuda");
  for (const std::string &toolkit : toolkits)
    for (const char *folder : {"/lib64", "/lib", "/extras/CUPTI/lib64"})
      patterns.push_back(toolkit + folder + file);
  for (const std::string &prefix : pythonPrefixes())
    for (const char *packages : {"site", "dist"})
      for (const char *wheel : {"cu13", "cuda_cupti"})
        patterns.push_back(prefix + "/lib/python3*/" + packages +
                           "-packages/nvidia/" + wheel + "/lib" + file);
  std::vector<std::string> places = {"libcupti.so.13", "libcupti.so.12"};
  for (const std::string &pattern : patterns) {
    glob_t found = {};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
      places.insert(places.end(), found.gl_pathv,
                    found.gl_pathv + found.gl_pathc);
    globfree(&found);
  }
  return places;
}

static std::string openCupti() {
  void *library = nullptr;
  std::vector<std::string> places = cuptiPlaces();
  // One that the process has loaded already comes first; two would fight.
  for (int mode : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW})
    for (const std::string &place : places)
      if (!library)
        library = dlopen(place.c_str(), mode);
  if (!library)
    return "libcupti.so.13 and libcupti.so.12 are not found, expected them in "
           "a "
           "CUDA toolkit ($LATHE_CUDA) or beside a python3";
  auto bind = [&](auto &function, const char *name) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  };
  Cupti &functions = cupti();
  for (bool isBound :
       {bind(functions.version, "cuptiGetVersion"),
        bind(functions.registerCallbacks, "cuptiActivityRegisterCallbacks"),
        bind(functions.enable, "cuptiActivityEnable"),
        bind(functions.disable, "cuptiActivityDisable"),
        bind(functions.flush, "cuptiActivityFlushAll"),
        bind(functions.next, "cuptiActivityGetNextRecord"),
        bind(functions.resultText, "cuptiGetResultString")})
    if (!isBound)
      return "libcupti has no activity API";
  uint32_t version = 0;
  if (int result = functions.version(&version))
    return "cuptiGetVersion: " + describe(result);
  if (version < oldestVersion)
    return "libcupti has API version " + std::to_string(version) +
           ", expected " + std::to_string(oldestVersion) + " or later";
  if (int result = functions.registerCallbacks(requestBuffer, completeBuffer))
    return "cuptiActivityRegisterCallbacks: " + describe(result);
  // Refusals (permissions, another profiler) show when it is enabled.
  if (int result = functions.enable(kindConcurrentKernel))
    return "cuptiActivityEnable: " + describe(result);
  functions.disable(kindConcurrentKernel);
  return "";
}

std::unique_ptr<KernelTracer> KernelTracer::open(std::string &why) {
  static const std::string refused = openCupti();
  why = refused;
  if (!refused.empty())
    return nullptr;
  return std::make_unique<CuptiTracer>();
}
