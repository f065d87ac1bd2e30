//===- KinetoReader.cpp - Reads a PyTorch profiler trace ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KinetoReader.h"
#include "Repair.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <simdjson.h>

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;
namespace ondemand = simdjson::ondemand;

namespace {
/// What is kept of a trace may not take more.
constexpr size_t maxKept = size_t(640) << 20;

/// In microseconds; two of them in nanoseconds still add up.
constexpr double maxTime = 4e15;

enum class Category { Other, Op, Annotation, Launch, Kernel, Flow };

/// The fields of one event that matter, as text of the event.
struct Event {
  std::string_view phase, category, name, kernelName;
  std::string_view pid, tid, start, duration, flow;
  std::string_view external, correlation;
  std::string_view dims, types, strides, values;
};

class KinetoReader {
public:
  explicit KinetoReader(TraceEvents &events) : events(events) {}

  llvm::Error run(EventScanner::Read read);

private:
  bool event(StringRef text);
  bool fields(StringRef text, Event &event);
  bool arguments(ondemand::object object, Event &event);
  void keep(const Event &event);
  void keepFlow(const Event &event);
  uint32_t threadOf(const Event &event);
  void keepOp(const Event &event, TraceOp op, bool isAnnotation);
  void metadata(StringRef key, StringRef value);
  void report(const EventScanner &scanner);

  TraceEvents &events;
  ondemand::parser parser;
  std::string repaired, buffer;
  uint64_t count = 0, numRepaired = 0, damaged = 0, badTimes = 0;
  int recordShapes = -1;
  bool tooLarge = false;
};
} // namespace

static StringRef ref(std::string_view text) {
  return StringRef(text.data(), text.size()).trim();
}

static uint64_t parseId(std::string_view text) {
  uint64_t id;
  return ref(text).trim('"').getAsInteger(10, id) ? noId : id;
}

std::optional<int64_t> lathe::parseMicroseconds(StringRef text) {
  text = text.trim().trim('"');
  bool negative = text.consume_front("-");
  if (text.contains_insensitive("e")) {
    double value;
    if (text.getAsDouble(value) || !(value >= 0 && value < maxTime))
      return std::nullopt;
    return int64_t(value * 1000) * (negative ? -1 : 1);
  }
  auto [whole, fraction] = text.split('.');
  uint64_t value, part = 0;
  if (whole.getAsInteger(10, value) || value > uint64_t(maxTime))
    return std::nullopt;
  std::string digits = fraction.take_front(3).str();
  digits.resize(3, '0');
  if (StringRef(digits).getAsInteger(10, part))
    return std::nullopt;
  int64_t nanoseconds = int64_t(value * 1000 + part);
  return negative ? -nanoseconds : nanoseconds;
}

static Category categoryOf(StringRef name) {
  return llvm::StringSwitch<Category>(name)
      .Cases({"cpu_op", "Operator"}, Category::Op)
      .Case("user_annotation", Category::Annotation)
      .Cases({"cuda_runtime", "cuda_driver", "Runtime"}, Category::Launch)
      .Cases(
          {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"},
          Category::Kernel)
      .Case("ac2g", Category::Flow)
      .Default(Category::Other);
}

/// Calls that start work on the device; others have a correlation as well.
static bool startsWork(StringRef call) {
  return call.contains("Launch") || call.contains("Memcpy") ||
         call.contains("Memset");
}

/// Reads the fields of "args"; false if it is no sound JSON.
bool KinetoReader::arguments(ondemand::object object, Event &event) {
  for (auto field : object) {
    ondemand::value value;
    std::string_view key, *raw = nullptr;
    if (field.unescaped_key().get(key) || field.value().get(value))
      return false;
    if (key == "External id" || key == "external id")
      raw = &event.external;
    else if (key == "correlation")
      raw = &event.correlation;
    if (raw) {
      *raw = value.raw_json_token();
      continue;
    }
    if (key == "Input Dims")
      raw = &event.dims;
    else if (key == "Input type")
      raw = &event.types;
    else if (key == "Input Strides")
      raw = &event.strides;
    else if (key == "Concrete Inputs")
      raw = &event.values;
    if (raw) {
      ondemand::array array;
      if (value.get_array().get(array) || array.raw_json().get(*raw))
        return false;
    } else if (key == "kernel_name" &&
               value.get_string().get(event.kernelName)) {
      return false;
    }
  }
  return true;
}

bool KinetoReader::fields(StringRef text, Event &event) {
  ondemand::document document;
  ondemand::object object;
  auto padded = simdjson::padded_string_view(
      text.data(), text.size(), text.size() + EventScanner::padding);
  if (parser.iterate(padded).get(document) || document.get_object().get(object))
    return false;
  for (auto field : object) {
    ondemand::value value;
    std::string_view key;
    if (field.unescaped_key().get(key) || field.value().get(value))
      return false;
    if (key == "args") {
      ondemand::object args;
      if (!value.get_object().get(args) && !arguments(args, event))
        return false;
      continue;
    }
    bool isText = key == "ph" || key == "cat" || key == "name";
    if (isText) {
      std::string_view &to = key == "ph"    ? event.phase
                             : key == "cat" ? event.category
                                            : event.name;
      if (value.get_string().get(to))
        to = {};
    } else if (key == "ts") {
      event.start = value.raw_json_token();
    } else if (key == "dur") {
      event.duration = value.raw_json_token();
    } else if (key == "pid") {
      event.pid = value.raw_json_token();
    } else if (key == "tid") {
      event.tid = value.raw_json_token();
    } else if (key == "id") {
      event.flow = value.raw_json_token();
    }
    // Most events of a large trace are of no use here.
    bool decided = !event.phase.empty() && event.phase != "X" &&
                   event.phase != "s" && event.phase != "f";
    decided |= !event.category.empty() &&
               categoryOf(ref(event.category)) == Category::Other;
    if (decided)
      return true;
  }
  return true;
}

bool KinetoReader::event(StringRef text) {
  ++count;
  if (tooLarge)
    return true;
  Event event;
  if (!fields(text, event)) {
    repairJson(text, repaired, EventScanner::padding);
    event = {};
    StringRef again(repaired.data(), repaired.size() - EventScanner::padding);
    if (!fields(again, event)) {
      ++damaged;
      return false;
    }
    ++numRepaired;
  }
  keep(event);
  return true;
}

uint32_t KinetoReader::threadOf(const Event &event) {
  buffer.assign(ref(event.pid));
  buffer.append("/");
  buffer.append(ref(event.tid));
  return events.threads.add(buffer);
}

void KinetoReader::keepFlow(const Event &event) {
  bool isStart = event.phase == "s";
  auto time = parseMicroseconds(ref(event.start));
  uint64_t id = parseId(event.flow);
  if ((!isStart && event.phase != "f") || !time || id == noId)
    return;
  auto &flows = isStart ? events.flowStarts : events.flowEnds;
  flows.push_back({id, *time, threadOf(event)});
}

void KinetoReader::keep(const Event &event) {
  if (count % 4096 == 0 && events.byteSize() > maxKept)
    tooLarge = true;
  Category category = categoryOf(ref(event.category));
  if (category == Category::Flow)
    return keepFlow(event);
  if (event.phase != "X" || category == Category::Other)
    return;
  auto start = parseMicroseconds(ref(event.start));
  auto duration = parseMicroseconds(ref(event.duration));
  if (!start || !duration || *duration < 0) {
    ++badTimes;
    return;
  }
  uint64_t external = parseId(event.external);
  uint64_t correlation = parseId(event.correlation);
  uint32_t thread = threadOf(event);
  switch (category) {
  case Category::Kernel:
    events.kernels.push_back({*start, *duration, correlation, external,
                              events.names.add(ref(event.name)), thread});
    break;
  case Category::Launch: {
    StringRef call = ref(event.name);
    if (correlation != noId && startsWork(call))
      events.launches.push_back(
          {*start, correlation, thread, call.contains("GraphLaunch")});
    break;
  }
  default:
    keepOp(event, {*start, *start + *duration, external, thread, 0, 0},
           category == Category::Annotation);
  }
}

void KinetoReader::keepOp(const Event &event, TraceOp op, bool isAnnotation) {
  // A Triton kernel that compiled code launches goes by the kernel's name.
  StringRef name =
      ref(event.kernelName.empty() ? event.name : event.kernelName);
  op.name = events.names.add(name);
  if (isAnnotation) {
    events.annotations.push_back(op);
    return;
  }
  buffer.clear();
  auto add = [&](const char *key, std::string_view json) {
    if (json.empty())
      return;
    buffer.append(buffer.empty() ? "{\"" : ",\"");
    buffer.append(key).append("\":").append(ref(json));
  };
  add("dims", event.dims);
  add("types", event.types);
  add("strides", event.strides);
  add("values", event.values);
  if (!buffer.empty())
    buffer.push_back('}');
  events.hasShapes |= !event.dims.empty();
  op.arguments = events.arguments.add(buffer);
  events.ops.push_back(op);
}

void KinetoReader::metadata(StringRef key, StringRef value) {
  if (key == "record_shapes") {
    recordShapes = value.trim() == "0" ? 0 : 1;
  } else if (key == "distributedInfo") {
    size_t at = value.find("\"rank\"");
    StringRef rest =
        value.substr(at == StringRef::npos ? value.size() : at + 6);
    rest = rest.ltrim(" \n\t:");
    if (rest.consumeInteger(10, events.rank))
      events.rank = -1;
  }
}

void KinetoReader::report(const EventScanner &scanner) {
  auto say = [&](const Twine &line) { events.lines.push_back(line.str()); };
  if (scanner.lostBytes)
    say(Twine(scanner.lostBytes) + " of " + Twine(scanner.bytes) +
        " bytes are in no complete event and were lost; " + Twine(count) +
        " events were read");
  if (!scanner.closed)
    say("the trace is cut off: its end is missing after " +
        Twine(scanner.bytes) + " bytes");
  if (damaged)
    say(Twine(damaged) + " damaged events were left out");
  if (numRepaired)
    say(Twine(numRepaired) +
        " events that are no valid JSON (inf, nan, control "
        "characters, invalid UTF-8) were read all the same");
  if (badTimes)
    say(Twine(badTimes) + " events without a valid time were left out");
  if (!events.hasShapes && !events.ops.empty())
    say(recordShapes <= 0
            ? "no operator has shapes: the trace was recorded without "
              "record_shapes"
            : "no operator has shapes, though record_shapes was on");
}

llvm::Error KinetoReader::run(EventScanner::Read read) {
  events.arguments.add("");
  auto onEvent = [&](StringRef text) { return event(text); };
  auto onMetadata = [&](StringRef key, StringRef value) {
    metadata(key, value);
  };
  EventScanner scanner(read, onEvent, onMetadata);
  if (llvm::Error error = scanner.run())
    return error;
  if (tooLarge)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "more than " + Twine(maxKept >> 20) +
            " MiB of operators and kernels; import a shorter recording");
  report(scanner);
  return llvm::Error::success();
}

llvm::Error lathe::readKineto(EventScanner::Read read, TraceEvents &events) {
  return KinetoReader(events).run(read);
}
