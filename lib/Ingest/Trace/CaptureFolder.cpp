//===- CaptureFolder.cpp - Folders of traces ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaptureFolder.h"
#include "../JsonFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <set>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr const char *detailsName = "execution_details.json";

/// SGLang puts the captured batch size into the name, vLLM only the rank.
static void readName(TraceFile &file) {
  llvm::SmallVector<StringRef, 4> groups;
  StringRef name = path::filename(file.path);
  if (llvm::Regex("^bs_([0-9]+)_rank_?([0-9]+)\\.").match(name, &groups)) {
    if (groups[1].getAsInteger(10, file.capture.batch))
      file.capture.batch = -1;
    file.capture.fromName = file.capture.batch >= 0;
    if (groups[2].getAsInteger(10, file.rank))
      file.rank = -1;
  } else if (llvm::Regex("^graph_capture_rank_([0-9]+)\\.")
                 .match(name, &groups)) {
    if (groups[1].getAsInteger(10, file.rank))
      file.rank = -1;
  }
}

/// `CUDAGraphMode.FULL` is FULL. Empty if it is no word.
static std::string modeOf(StringRef text) {
  StringRef mode = text.rsplit('.').second;
  if (mode.empty())
    mode = text;
  bool isWord = mode.size() <= 32 && llvm::all_of(mode, [](char c) {
                  return llvm::isAlnum(c) || c == '_';
                });
  return isWord ? mode.upper() : "";
}

static llvm::Error readDetails(StringRef details, std::vector<TraceFile> &files,
                               std::vector<std::string> &lines) {
  auto json = readJsonFile(details);
  if (!json)
    return json.takeError();
  const llvm::json::Array *entries = json->getAsArray();
  if (!entries)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        details + ": error: expected an array of {file, batch_size, mode}");
  llvm::StringMap<unsigned> seen;
  size_t damaged = 0, missing = 0;
  for (const llvm::json::Value &value : *entries) {
    const llvm::json::Object *entry = value.getAsObject();
    auto name = entry ? entry->getString("file") : std::nullopt;
    auto batch = entry ? entry->getInteger("batch_size") : std::nullopt;
    if (!name || !batch || *batch < 0) {
      ++damaged;
      continue;
    }
    // Of a path from the machine that recorded it the name is what remains.
    StringRef base = path::filename(*name);
    auto file = llvm::find_if(files, [&](const TraceFile &file) {
      return path::filename(file.path) == base;
    });
    if (file == files.end()) {
      ++missing;
      continue;
    }
    if (seen[base]++) {
      file->capture = {};
      continue;
    }
    file->capture.batch = *batch;
    file->capture.mode = modeOf(entry->getString("mode").value_or(""));
    file->capture.fromName = false;
  }
  auto say = [&](size_t count, const Twine &what) {
    if (count)
      lines.push_back((Twine(detailsName) + ": " + Twine(count) + what).str());
  };
  say(damaged, " entries without a file and a batch size were left out");
  say(missing, " entries name a trace that is not in the folder");
  say(llvm::count_if(seen, [](auto &it) { return it.second > 1; }),
      " traces have several entries; their annotations count instead");
  return llvm::Error::success();
}

static bool isTraceName(StringRef name) {
  return name.ends_with(".json") || name.ends_with(".json.gz") ||
         name.ends_with(".json.zst");
}

static llvm::Error listFolder(StringRef folder, std::vector<TraceFile> &files,
                              std::vector<std::string> &lines) {
  std::set<std::string> names;
  std::error_code error;
  bool hasDetails = false;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    StringRef name = path::filename(it->path());
    if (name == detailsName)
      hasDetails = true;
    else if (isTraceName(name) && !fs::is_directory(it->path()))
      names.insert(it->path());
  }
  if (error)
    return llvm::createStringError(error,
                                   folder + ": error: cannot read folder");
  std::vector<TraceFile> found;
  for (const std::string &name : names) {
    found.push_back({name, {}, -1});
    readName(found.back());
  }
  if (hasDetails) {
    llvm::SmallString<256> details(folder);
    path::append(details, detailsName);
    if (llvm::Error problem = readDetails(details, found, lines))
      return problem;
  }
  llvm::append_range(files, found);
  llvm::SmallString<256> captures(folder);
  path::append(captures, "capture_traces");
  if (path::filename(folder) != "capture_traces" && fs::is_directory(captures))
    return listFolder(captures, files, lines);
  return llvm::Error::success();
}

Expected<std::vector<TraceFile>>
lathe::listTraces(llvm::ArrayRef<std::string> paths,
                  std::vector<std::string> &lines) {
  std::vector<TraceFile> files;
  for (const std::string &name : paths) {
    size_t before = files.size();
    if (!fs::is_directory(name)) {
      files.push_back({name, {}, -1});
      readName(files.back());
    } else if (llvm::Error error = listFolder(name, files, lines)) {
      return std::move(error);
    }
    if (files.size() == before)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          name + ": error: the folder has no trace (.json, .json.gz, "
                 ".json.zst)");
  }
  return files;
}
