//===- RocprofReader.cpp - Reads traces of rocprofv3 ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RocprofReader.h"
#include "EventScanner.h"
#include "Ranges.h"
#include "Repair.h"

#include "lathe/Ingest/Csv.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

#include <simdjson.h>

#include <set>

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;
namespace ondemand = simdjson::ondemand;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

void lathe::finishRocprof(TraceEvents &events) {
  bool hasRanges = !events.ops.empty() || !events.annotations.empty();
  keepUsedLaunches(events);
  if (!events.hasShapes)
    events.lines.push_back("rocprofv3 records no shapes, and no roctx range "
                           "says the sizes of its arguments: kernels are "
                           "listed by name only");
  if (hasRanges && events.launches.empty() && !events.kernels.empty())
    events.lines.push_back(
        "no HIP call of a kernel was recorded (--hip-trace): "
        "kernels cannot be given to roctx ranges");
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
  finishRocprof(events);
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
    int64_t start = 0, end = 0;
    uint64_t kernel = noId, correlation = noId;
  };
  /// A HIP call or a roctx range.
  struct Call {
    int64_t start = 0, end = 0;
    uint64_t thread = 0, correlation = noId, kind = noId, operation = noId;
  };
  void process(ondemand::object process);
  void symbols(ondemand::array list);
  void strings(ondemand::object object);
  void dispatches(ondemand::array list);
  static void calls(ondemand::array list, std::vector<Call> &to);
  void addKernels();
  void addCalls();
  /// Ids and threads count per process.
  uint64_t unique(uint64_t correlation) const {
    return correlation < maxCorrelation ? correlation | numProcesses << 48
                                        : noId;
  }

  static constexpr uint64_t maxCorrelation = uint64_t(1) << 48;

  TraceEvents &events;
  ondemand::parser parser;
  llvm::DenseMap<uint64_t, uint32_t> names;
  llvm::DenseMap<uint64_t, std::string> texts; ///< of ranges
  /// Kind and operation of calls that replay a graph.
  std::set<std::pair<uint64_t, uint64_t>> graphLaunches;
  std::vector<Dispatch> found;
  std::vector<Call> hipCalls, ranges;
  uint64_t numProcesses = 0;
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

/// `marker_api` has the texts of ranges by correlation id, `buffer_records`
/// the names of calls by kind and operation.
void JsonReader::strings(ondemand::object object) {
  for (auto field : object) {
    std::string_view key = field.unescaped_key();
    if (key == "marker_api") {
      for (auto item : field.value().get_array()) {
        uint64_t id = noId;
        std::string text;
        for (auto part : item.get_object()) {
          std::string_view name = part.unescaped_key();
          if (name == "key")
            id = part.value().get_uint64();
          else if (name == "value")
            text = std::string(part.value().get_string().value());
        }
        if (id < maxCorrelation)
          texts[id] = std::move(text);
      }
    } else if (key == "buffer_records") {
      uint64_t kind = 0;
      ondemand::array kinds;
      if (field.value().get_array().get(kinds))
        continue;
      for (auto item : kinds) {
        for (auto part : item.get_object()) {
          if (std::string_view(part.unescaped_key()) != "operations")
            continue;
          uint64_t operation = 0;
          for (auto name : part.value().get_array()) {
            std::string_view text = name.get_string();
            if (StringRef(text.data(), text.size()).contains("GraphLaunch"))
              graphLaunches.insert({kind, operation});
            ++operation;
          }
        }
        ++kind;
      }
    }
  }
}

void JsonReader::dispatches(ondemand::array list) {
  for (auto item : list) {
    Dispatch dispatch;
    for (auto field : item.get_object()) {
      std::string_view key = field.unescaped_key();
      if (key == "start_timestamp")
        dispatch.start = field.value().get_int64();
      else if (key == "end_timestamp")
        dispatch.end = field.value().get_int64();
      else if (key == "correlation_id")
        dispatch.correlation = field.value()["internal"].get_uint64();
      else if (key == "dispatch_info")
        dispatch.kernel = field.value()["kernel_id"].get_uint64();
    }
    found.push_back(dispatch);
  }
}

void JsonReader::calls(ondemand::array list, std::vector<Call> &to) {
  for (auto item : list) {
    Call call;
    for (auto field : item.get_object()) {
      std::string_view key = field.unescaped_key();
      if (key == "start_timestamp")
        call.start = field.value().get_int64();
      else if (key == "end_timestamp")
        call.end = field.value().get_int64();
      else if (key == "thread_id")
        call.thread = field.value().get_uint64();
      else if (key == "kind")
        call.kind = field.value().get_uint64();
      else if (key == "operation")
        call.operation = field.value().get_uint64();
      else if (key == "correlation_id")
        call.correlation = field.value()["internal"].get_uint64();
    }
    to.push_back(call);
  }
}

void JsonReader::addKernels() {
  for (const Dispatch &dispatch : found) {
    auto name =
        dispatch.kernel < noId - 1 ? names.find(dispatch.kernel) : names.end();
    if (auto duration = durationOf(dispatch.start, dispatch.end))
      events.kernels.push_back(
          {dispatch.start, *duration, unique(dispatch.correlation), noId,
           name == names.end() ? events.names.add("(no symbol)")
                               : name->second});
  }
}

void JsonReader::addCalls() {
  auto threadOf = [&](const Call &call) {
    return events.threads.add(std::to_string(numProcesses) + "/" +
                              std::to_string(call.thread));
  };
  for (const Call &call : hipCalls)
    events.launches.push_back(
        {call.start, unique(call.correlation), threadOf(call),
         graphLaunches.count({call.kind, call.operation}) != 0});
  for (const Call &range : ranges) {
    if (range.correlation >= maxCorrelation || range.end < range.start)
      continue;
    auto text = texts.find(range.correlation);
    if (text == texts.end() || text->second.empty())
      continue;
    TraceOp op;
    op.start = range.start;
    op.end = range.end;
    op.thread = threadOf(range);
    addRange(text->second, op, events);
  }
}

void JsonReader::process(ondemand::object process) {
  names.clear();
  texts.clear();
  graphLaunches.clear();
  found.clear();
  hipCalls.clear();
  ranges.clear();
  for (auto field : process) {
    std::string_view key = field.unescaped_key();
    if (key == "kernel_symbols") {
      symbols(field.value().get_array());
    } else if (key == "strings") {
      strings(field.value().get_object());
    } else if (key == "buffer_records") {
      for (auto record : field.value().get_object()) {
        std::string_view kind = record.unescaped_key();
        if (kind == "kernel_dispatch")
          dispatches(record.value().get_array());
        else if (kind == "hip_api")
          calls(record.value().get_array(), hipCalls);
        else if (kind == "marker_api")
          calls(record.value().get_array(), ranges);
      }
    }
  }
  addKernels();
  addCalls();
  ++numProcesses;
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
      events = TraceEvents();
      events.arguments.add("");
      repairJson(text, repaired, EventScanner::padding);
      JsonReader(events).document(
          StringRef(repaired).drop_back(EventScanner::padding));
      events.lines.push_back("the file is no valid JSON and was read all the "
                             "same");
    } catch (const simdjson::simdjson_error &error) {
      return fail(Twine("the JSON of rocprofv3 is damaged: ") + error.what());
    }
  }
  finishRocprof(events);
  return llvm::Error::success();
}
