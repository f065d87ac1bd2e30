//===- KernelBuilder.cpp - Kernels from workers and the cache -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "Commands.h"

#include "lathe/Codegen/ExternalKernel.h"
#include "lathe/Codegen/WorkerPool.h"
#include "lathe/Package/Package.h"
#include "lathe/Plan/KernelName.h"
#include "lathe/Verify/DeviceReference.h"
#include "lathe/Verify/Gate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static Message toMessage(const BuildRequest &request,
                         const BuilderOptions &options) {
  Message message;
  json::Array files({request.source.kernel.file});
  message.blobs.push_back(request.source.kernel.text);
  for (const TemplateText &function : request.source.functions) {
    files.push_back(function.file);
    message.blobs.push_back(function.text);
  }
  message.header =
      json::Object{{"job", "build"},
                   {"kernel", mintKernelName(request.candidate)},
                   {"symbol", request.symbol},
                   {"dims", json::Array(request.dims)},
                   {"sharedMemory", request.sharedMemory},
                   {"features", json::Array(request.features)},
                   {"files", std::move(files)},
                   {"spillAllowance", options.spillAllowance},
                   {"stopAfter", static_cast<int64_t>(options.stopAfter)},
                   {"dump", options.dumpDirectory}};
  return message;
}

static Message toMessage(const ImageRequest &request,
                         const BuilderOptions &options) {
  Message message;
  message.header = json::Object{{"job", "merge"},
                                {"arch", request.arch},
                                {"spillAllowance", options.spillAllowance}};
  for (const Artifact *kernel : request.kernels)
    message.blobs.push_back(encodeMessage(artifactToMessage(*kernel)));
  return message;
}

/// Errors travel in the header, so that they are told from crashes.
static Message errorMessage(llvm::Error error) {
  Message message;
  message.header = json::Object{{"error", llvm::toString(std::move(error))}};
  return message;
}

static Message toMessage(const MergedImage &image) {
  Message message;
  json::Object kernels;
  for (const auto &[symbol, usage] : image.kernels) {
    Artifact holder;
    holder.symbol = symbol;
    holder.usage = usage;
    message.blobs.push_back(encodeMessage(artifactToMessage(holder)));
  }
  message.header = json::Object{{"kernels", int64_t(message.blobs.size())},
                                {"assembleMs", image.times.assembleMs},
                                {"llvmMs", image.times.llvmMs},
                                {"warnings", json::Array(image.warnings)}};
  message.blobs.push_back(image.image);
  message.blobs.push_back(image.text);
  return message;
}

static llvm::Expected<MergedImage> toMergedImage(const Message &message) {
  MergedImage image;
  if (message.blobs.size() < 2)
    return llvm::createStringError(
        "merged image has %zu parts, expected 2 or more", message.blobs.size());
  for (size_t i = 0; i + 2 < message.blobs.size(); ++i) {
    auto inner = decodeMessage(message.blobs[i]);
    if (!inner)
      return inner.takeError();
    auto holder = artifactFromMessage(*inner);
    if (!holder)
      return holder.takeError();
    image.kernels[holder->symbol] = holder->usage;
  }
  image.image = message.blobs[message.blobs.size() - 2];
  image.text = message.blobs.back();
  if (const json::Array *warnings = message.header.getArray("warnings"))
    for (const json::Value &warning : *warnings)
      image.warnings.push_back(warning.getAsString().value_or("").str());
  return image;
}

//===----------------------------------------------------------------------===//
// The worker's side
//===----------------------------------------------------------------------===//

/// A kernel's name, or the beginning of one that is too long for a file.
static std::string folderName(const std::string &name) {
  constexpr size_t most = 240, digits = 16;
  if (name.size() <= most)
    return name;
  return name.substr(0, most - digits - 1) + "-" +
         sha256Hex(name).substr(0, digits);
}

static Response buildJob(const Request &request, const Toolkit &toolkit) {
  const json::Object &header = request.header;
  auto candidate = parseKernelName(header.getString("kernel").value_or(""));
  if (!candidate)
    return errorMessage(candidate.takeError());
  BuildRequest build;
  build.candidate = std::move(*candidate);
  build.symbol = header.getString("symbol").value_or("").str();
  build.sharedMemory = header.getInteger("sharedMemory").value_or(0);
  auto texts = [&](llvm::StringRef key, std::vector<std::string> &into) {
    if (const json::Array *list = header.getArray(key))
      for (const json::Value &text : *list)
        into.push_back(text.getAsString().value_or("").str());
  };
  texts("dims", build.dims);
  texts("features", build.features);
  std::vector<std::string> files;
  texts("files", files);
  for (auto [file, text] : llvm::zip(files, request.blobs)) {
    if (build.source.kernel.file.empty())
      build.source.kernel = {file, text};
    else
      build.source.functions.push_back({file, text});
  }
  BuildOptions options;
  options.codegen.toolkit = toolkit;
  options.codegen.spillAllowance =
      header.getInteger("spillAllowance").value_or(0);
  options.stopAfter =
      static_cast<BuildStage>(header.getInteger("stopAfter").value_or(0));
  if (auto dump = header.getString("dump"); dump && !dump->empty()) {
    llvm::SmallString<128> path(*dump);
    llvm::sys::path::append(path, folderName(mintKernelName(build.candidate)));
    options.dumpDir = path.str().str();
  }
  llvm::Expected<Artifact> artifact = buildCandidate(build, options);
  return artifact ? artifactToMessage(*artifact)
                  : errorMessage(artifact.takeError());
}

static Response mergeJob(const Request &request, const Toolkit &toolkit) {
  std::vector<Artifact> kernels;
  for (const std::string &blob : request.blobs) {
    auto message = decodeMessage(blob);
    if (!message)
      return errorMessage(message.takeError());
    auto artifact = artifactFromMessage(*message);
    if (!artifact)
      return errorMessage(artifact.takeError());
    kernels.push_back(std::move(*artifact));
  }
  std::vector<const Artifact *> pointers;
  for (const Artifact &kernel : kernels)
    pointers.push_back(&kernel);
  auto target = lookupTarget(request.header.getString("arch").value_or(""));
  if (!target)
    return errorMessage(target.takeError());
  CodegenOptions options;
  options.toolkit = toolkit;
  options.spillAllowance =
      request.header.getInteger("spillAllowance").value_or(0);
  auto image = mergeArtifacts(pointers, *target, options);
  return image ? toMessage(*image) : errorMessage(image.takeError());
}

int tool::runWorker() {
  Toolkit toolkit = findToolkit();
  return workerMain([&](const Request &request) {
    llvm::StringRef job = request.header.getString("job").value_or("");
    if (job == "verify")
      return answerGateMessage(request);
    if (job == "external")
      return answerExternalMessage(request, toolkit);
    if (job == "reference")
      return answerDeviceReference(request, toolkit);
    return job == "merge" ? mergeJob(request, toolkit)
                          : buildJob(request, toolkit);
  });
}

//===----------------------------------------------------------------------===//
// The driver's side
//===----------------------------------------------------------------------===//

llvm::Expected<KernelBuilder> KernelBuilder::create(BuilderOptions options) {
  Toolkit tools = findToolkit();
  llvm::Expected<std::string> version = toolFingerprint(tools);
  if (!version)
    return version.takeError();
  return KernelBuilder(std::move(options), std::move(tools),
                       std::move(*version));
}

static WorkerOptions getWorkerOptions(const BuilderOptions &options,
                                      size_t jobs) {
  WorkerOptions workers;
  workers.arguments = {workerCommand};
  workers.workers = std::max<size_t>(1, std::min<size_t>(options.jobs, jobs));
  return workers;
}

/// What a job that gave no answer says of itself.
static std::string describeFailure(const JobResult &result) {
  std::string text = result.reason;
  if (!result.stderrTail.empty())
    text += "\n" + result.stderrTail;
  return text;
}

static llvm::Error interrupted() {
  return llvm::createStringError("error: interrupted; nothing was written");
}

bool KernelBuilder::recall(const BuildRequest &request, llvm::StringRef key,
                           BuiltKernel &kernel) {
  // A dump, or an early stop, needs the stages to run.
  if (!options.dumpDirectory.empty() || options.stopAfter != BuildStage::Binary)
    return false;
  if (std::optional<Artifact> artifact = cache.lookup(key)) {
    kernel.artifact = std::move(artifact);
  } else if (std::optional<std::string> error = cache.lookupError(key)) {
    kernel.error = std::move(*error);
    ++sum.failed;
  } else {
    return false;
  }
  kernel.fromCache = true;
  ++sum.cached;
  return true;
}

llvm::Expected<std::vector<BuiltKernel>> KernelBuilder::build(
    llvm::ArrayRef<BuildRequest> requests,
    llvm::function_ref<void(size_t, const BuildTotals &)> progress) {
  std::vector<BuiltKernel> kernels(requests.size());
  std::vector<std::string> keys(requests.size());
  std::vector<size_t> missing;
  size_t done = 0;
  for (auto [i, request] : llvm::enumerate(requests)) {
    std::string dims = llvm::join(request.dims, ",");
    std::string name = mintKernelName(request.candidate);
    std::string limits = std::to_string(request.sharedMemory) + "/" +
                         llvm::join(request.features, ",") + "/" +
                         std::to_string(options.spillAllowance);
    keys[i] = cacheKey({"kernel", version, name, request.symbol, dims, limits,
                        request.source.joined()});
    if (recall(request, keys[i], kernels[i]))
      progress(++done, sum);
    else
      missing.push_back(i);
  }
  if (missing.empty())
    return kernels;

  bool stopped = false;
  WorkerPool pool(getWorkerOptions(options, missing.size()));
  llvm::Error error = pool.run(
      missing.size(),
      [&](size_t job) { return toMessage(requests[missing[job]], options); },
      [&](size_t job, JobResult result) {
        size_t i = missing[job];
        BuiltKernel &kernel = kernels[i];
        if (result.outcome == JobResult::Outcome::Interrupted) {
          stopped = true;
          return;
        }
        ++sum.built;
        if (!result.ok()) {
          // Not remembered: another machine, or more memory, may succeed.
          kernel.error = describeFailure(result);
        } else if (auto text = result.response.header.getString("error")) {
          kernel.error = text->str();
          cache.storeError(keys[i], kernel.error);
        } else if (auto artifact = artifactFromMessage(result.response)) {
          sum.times.mlirMs += artifact->times.mlirMs;
          sum.times.llvmMs += artifact->times.llvmMs;
          sum.times.assembleMs += artifact->times.assembleMs;
          artifact->times = {};
          if (options.stopAfter == BuildStage::Binary)
            cache.store(keys[i], *artifact);
          kernel.artifact = std::move(*artifact);
        } else {
          kernel.error = llvm::toString(artifact.takeError());
        }
        sum.failed += !kernel.error.empty();
        progress(++done, sum);
      });
  if (error)
    return std::move(error);
  if (stopped || pool.interruptedBy())
    return interrupted();
  return kernels;
}

llvm::Expected<std::vector<MergedImage>>
KernelBuilder::merge(llvm::ArrayRef<ImageRequest> requests) {
  std::vector<MergedImage> images(requests.size());
  std::vector<std::string> keys(requests.size());
  std::vector<size_t> missing;
  std::string limit = std::to_string(options.spillAllowance);
  for (auto [i, request] : llvm::enumerate(requests)) {
    std::vector<llvm::StringRef> parts{"image", version, request.arch, limit};
    for (const Artifact *kernel : request.kernels) {
      parts.push_back(kernel->symbol);
      parts.push_back(kernel->text);
      parts.push_back(kernel->object);
    }
    keys[i] = cacheKey(parts);
    if (std::optional<Message> known = cache.lookupMessage(keys[i])) {
      llvm::Expected<MergedImage> image = toMergedImage(*known);
      if (image) {
        images[i] = std::move(*image);
        continue;
      }
      llvm::consumeError(image.takeError());
    }
    missing.push_back(i);
  }
  if (missing.empty())
    return images;

  std::string failures;
  bool stopped = false;
  WorkerPool pool(getWorkerOptions(options, missing.size()));
  llvm::Error error = pool.run(
      missing.size(),
      [&](size_t job) { return toMessage(requests[missing[job]], options); },
      [&](size_t job, JobResult result) {
        size_t i = missing[job];
        auto fail = [&](llvm::StringRef why) {
          failures +=
              ("error: cannot link the kernels of '" + requests[i].entry +
               "' for " + requests[i].arch + ": " + why + "\n")
                  .str();
        };
        if (result.outcome == JobResult::Outcome::Interrupted)
          stopped = true;
        else if (!result.ok())
          fail(describeFailure(result));
        else if (auto text = result.response.header.getString("error"))
          fail(*text);
        else if (auto image = toMergedImage(result.response)) {
          images[i] = std::move(*image);
          cache.storeMessage(keys[i], result.response);
        } else
          fail(llvm::toString(image.takeError()));
      });
  if (error)
    return std::move(error);
  if (stopped || pool.interruptedBy())
    return interrupted();
  if (!failures.empty())
    return llvm::createStringError(llvm::StringRef(failures).rtrim());
  return images;
}
