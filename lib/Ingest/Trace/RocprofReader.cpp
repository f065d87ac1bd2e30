//===- RocprofReader.cpp - Reads traces of rocprofv3 ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RocprofReader.h"
#include "EventScanner.h"
#include "Repair.h"

#include "lathe/Ingest/Csv.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

#include <simdjson.h>

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;
namespace ondemand = simdjson::ondemand;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static void sayNoShapes(TraceEvents &events) {
  events.lines.push_back("rocprofv3 records no shapes: kernels are listed by "
                         "name only");
}

llvm::Error lathe::readRocprofCsv(StringRef text, TraceEvents &events) {
  events.arguments.add("");
  auto reader = CsvReader::open(text);
  if (!reader)
    return reader.takeError();
  auto name = reader->column({"Kernel_Name", "KernelName"});
  auto start = reader->column({"Start_Timestamp", "BeginNs"});
  auto end = reader->column({"End_Timestamp", "EndNs"});
  if (!name || !start || !end)
    return fail(Twine("the CSV has no column ") + (!name    ? "Kernel_Name"
                                                   : !start ? "Start_Timestamp"
                                                            : "End_Timestamp"));
  CsvRow row;
  unsigned bad = 0;
  size_t firstBad = 0;
  while (reader->next(row)) {
    int64_t from, to;
    if (!row.problem.empty() ||
        StringRef(row.cells[*start]).getAsInteger(10, from) ||
        StringRef(row.cells[*end]).getAsInteger(10, to) ||
        !durationOf(from, to)) {
      if (!bad++)
        firstBad = row.line;
      continue;
    }
    events.kernels.push_back({from, *durationOf(from, to), noId, noId,
                              events.names.add(row.cells[*name])});
  }
  if (bad)
    events.lines.push_back(std::to_string(bad) +
                           " rows do not fit the header and were left out, the "
                           "first at line " +
                           std::to_string(firstBad));
  sayNoShapes(events);
  return llvm::Error::success();
}

namespace {
class JsonReader {
public:
  explicit JsonReader(TraceEvents &events) : events(events) {}

  /// Throws simdjson::simdjson_error on anything that is not as expected.
  void document(StringRef text);

private:
  struct Dispatch {
    int64_t start, end;
    uint64_t kernel;
  };
  void process(ondemand::object process);
  void symbols(ondemand::array list);
  void dispatches(ondemand::array list);

  TraceEvents &events;
  ondemand::parser parser;
  llvm::DenseMap<uint64_t, uint32_t> names;
  std::vector<Dispatch> found;
};
} // namespace

void JsonReader::symbols(ondemand::array list) {
  for (auto item : list) {
    uint64_t id = noId;
    std::string name;
    for (auto field : item.get_object()) {
      std::string_view key = field.unescaped_key();
      if (key == "kernel_id")
        id = field.value().get_uint64();
      else if (key == "formatted_kernel_name" ||
               (key == "kernel_name" && name.empty()))
        name = std::string(field.value().get_string().value());
    }
    if (id < noId - 1)
      names[id] = events.names.add(name);
  }
}

void JsonReader::dispatches(ondemand::array list) {
  for (auto item : list) {
    Dispatch dispatch{0, 0, noId};
    for (auto field : item.get_object()) {
      std::string_view key = field.unescaped_key();
      if (key == "start_timestamp")
        dispatch.start = field.value().get_int64();
      else if (key == "end_timestamp")
        dispatch.end = field.value().get_int64();
      else if (key == "dispatch_info")
        dispatch.kernel = field.value()["kernel_id"].get_uint64();
    }
    found.push_back(dispatch);
  }
}

void JsonReader::process(ondemand::object process) {
  names.clear();
  found.clear();
  for (auto field : process) {
    std::string_view key = field.unescaped_key();
    if (key == "kernel_symbols") {
      symbols(field.value().get_array());
    } else if (key == "buffer_records") {
      for (auto record : field.value().get_object())
        if (std::string_view(record.unescaped_key()) == "kernel_dispatch")
          dispatches(record.value().get_array());
    }
  }
  for (const Dispatch &dispatch : found) {
    auto name =
        dispatch.kernel < noId - 1 ? names.find(dispatch.kernel) : names.end();
    if (auto duration = durationOf(dispatch.start, dispatch.end))
      events.kernels.push_back({dispatch.start, *duration, noId, noId,
                                name == names.end()
                                    ? events.names.add("(no symbol)")
                                    : name->second});
  }
}

void JsonReader::document(StringRef text) {
  auto padded = simdjson::padded_string_view(
      text.data(), text.size(), text.size() + EventScanner::padding);
  ondemand::document document = parser.iterate(padded);
  ondemand::value tool = document["rocprofiler-sdk-tool"];
  if (tool.type() == ondemand::json_type::object) {
    process(tool.get_object());
    return;
  }
  for (auto item : tool.get_array())
    process(item.get_object());
}

llvm::Error lathe::readRocprofJson(StringRef text, TraceEvents &events) {
  events.arguments.add("");
  std::string repaired;
  try {
    JsonReader(events).document(text);
  } catch (const simdjson::simdjson_error &error) {
    // Once more, without bytes that are no UTF-8 and the like.
    try {
      events.kernels.clear();
      repairJson(text, repaired, EventScanner::padding);
      JsonReader(events).document(
          StringRef(repaired).drop_back(EventScanner::padding));
      events.lines.push_back("the file is no valid JSON and was read all the "
                             "same");
    } catch (const simdjson::simdjson_error &error) {
      return fail(Twine("the JSON of rocprofv3 is damaged: ") + error.what());
    }
  }
  sayNoShapes(events);
  return llvm::Error::success();
}
