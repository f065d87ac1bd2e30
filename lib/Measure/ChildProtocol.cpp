//===- ChildProtocol.cpp - What a child is asked and answers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/ChildProtocol.h"
#include "lathe/Measure/Seed.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace lathe::measure;
using Json = nlohmann::ordered_json;

/// Of one text that a child sends.
static constexpr size_t maxReason = 4096, maxJson = size_t(2) << 20;

const char *lathe::measure::phaseName(ChildPhase phase) {
  static constexpr const char *names[childPhases] = {"start", "load", "launch",
                                                     "reference", "time"};
  return names[size_t(phase)];
}

static std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[noreturn]] static void fail(const std::string &message) {
  throw std::runtime_error(message);
}

namespace {

/// Fields of one object, each with its bounds.
class Fields {
public:
  explicit Fields(const Json &json) : json(json) {
    if (!json.is_object())
      fail("expected a JSON object");
  }

  double number(const char *name) const {
    const Json &value = at(name);
    // What is not finite is written as null.
    if (value.is_null())
      return std::nan("");
    if (!value.is_number())
      fail(std::string("field '") + name + "' is not a number");
    return value.get<double>();
  }
  /// A finite one, at least 0.
  double amount(const char *name) const {
    double value = number(name);
    if (!(value >= 0) || std::isinf(value))
      fail(std::string("field '") + name + "' is not a finite amount");
    return value;
  }
  int64_t integer(const char *name, int64_t low, int64_t high) const {
    const Json &value = at(name);
    bool isBig = value.is_number_unsigned() &&
                 value.get<uint64_t>() > uint64_t(INT64_MAX);
    if (!value.is_number_integer() || isBig || value.get<int64_t>() < low ||
        value.get<int64_t>() > high)
      fail(std::string("field '") + name + "' is not an integer from " +
           std::to_string(low) + " to " + std::to_string(high));
    return value.get<int64_t>();
  }
  uint32_t index(const char *name) const {
    return uint32_t(integer(name, 0, UINT32_MAX));
  }
  unsigned count(const char *name) const {
    return unsigned(integer(name, 0, INT32_MAX));
  }
  bool flag(const char *name) const {
    if (!at(name).is_boolean())
      fail(std::string("field '") + name + "' is neither true nor false");
    return at(name).get<bool>();
  }
  std::string text(const char *name, size_t most = maxReason) const {
    if (!at(name).is_string())
      fail(std::string("field '") + name + "' is not a string");
    std::string text = at(name).get<std::string>();
    if (text.size() > most)
      text.resize(most);
    return text;
  }
  /// The text of an object or array.
  std::string document(const char *name) const {
    std::string text = this->text(name, maxJson);
    Json inner = Json::parse(text, nullptr, false);
    if (!inner.is_structured())
      fail(std::string("field '") + name + "' is not a JSON document");
    return text;
  }
  /// 64 bits in hexadecimal.
  uint64_t bits(const char *name) const {
    std::string text = this->text(name);
    if (text.size() != 16 ||
        text.find_first_not_of("0123456789abcdef") != std::string::npos)
      fail(std::string("field '") + name + "' is not of 16 hexadecimal digits");
    return strtoull(text.c_str(), nullptr, 16);
  }
  const Json &at(const char *name) const {
    auto found = json.find(name);
    if (found == json.end())
      fail(std::string("field '") + name + "' is missing");
    return *found;
  }

private:
  const Json &json;
};

} // namespace

static Json parseLine(const std::string &line) {
  Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded())
    fail("not JSON");
  return json;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

std::string lathe::measure::writeTask(const ChildTask &task) {
  Json pairings = Json::array();
  for (const ChildTask::Pairing &pairing : task.pairings)
    pairings.push_back({{"problem", pairing.problem},
                        {"kernel", pairing.kernel},
                        {"rival", pairing.rival}});
  const TimerOptions &timer = task.timer;
  return dump({{"kind", int(task.kind)},
               {"seed", seedText(task.seed)},
               {"kernel", task.kernel},
               {"timed", task.isTimed},
               {"watched", task.isWatched},
               {"pairings", std::move(pairings)},
               {"pairs", timer.pairs},
               {"graph", timer.graphPairs},
               {"traced", timer.tracedLaunches},
               {"host", timer.hostLaunches},
               {"budget", timer.budgetMs}});
}

ChildTask lathe::measure::readTask(const std::string &line) {
  Json json = parseLine(line);
  Fields fields(json);
  ChildTask task;
  task.kind = ChildTask::Kind(fields.integer("kind", 0, ChildTask::Retime));
  task.seed = fields.bits("seed");
  task.kernel = fields.index("kernel");
  task.isTimed = fields.flag("timed");
  task.isWatched = fields.flag("watched");
  for (const Json &each : fields.at("pairings")) {
    Fields own(each);
    task.pairings.push_back(
        {own.index("problem"), own.index("kernel"), own.index("rival")});
  }
  task.timer.pairs = fields.count("pairs");
  task.timer.graphPairs = fields.count("graph");
  task.timer.tracedLaunches = fields.count("traced");
  task.timer.hostLaunches = fields.count("host");
  task.timer.budgetMs = fields.amount("budget");
  return task;
}

//===----------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------===//

static Json floorsJson(const Floors &floors) {
  return {{"events", floors.events},
          {"graph", floors.graph},
          {"cupti", floors.cupti},
          {"host", floors.host},
          {"clock_ratio", floors.clockRatio}};
}

std::string lathe::measure::floorsText(const Floors &floors) {
  return dump(floorsJson(floors));
}

std::string lathe::measure::samplesText(const Samples &samples) {
  Json json = Json::object();
  for (auto [name, values] :
       {std::pair("events", &samples.events),
        std::pair("graph", &samples.graph), std::pair("cupti", &samples.cupti),
        std::pair("host", &samples.host)})
    if (!values->empty()) {
      Json &list = json[name] = Json::array();
      for (double value : *values) // to a picosecond
        list.push_back(std::round(value * 1e6) / 1e6);
    }
  return dump(json);
}

static Json clockJson(const ClockSample &clock) {
  return {{"sm_mhz", clock.smMHz},
          {"memory_mhz", clock.memoryMHz},
          {"temperature", clock.temperature},
          {"power_mw", clock.powerMilliwatts},
          {"throttle", clock.throttle}};
}

std::string lathe::measure::clocksText(const std::vector<ClockSample> &clocks) {
  Json json = Json::array();
  for (const ClockSample &clock : clocks)
    if (clock.known)
      json.push_back(clockJson(clock));
  return dump(json);
}

//===----------------------------------------------------------------------===//
// Replies
//===----------------------------------------------------------------------===//

static Json toJSON(const PhaseReply &reply) {
  return {{"phase", int(reply.phase)}, {"text", reply.text}};
}

static Json toJSON(const ProbeReply &reply) {
  const DeviceInfo &device = reply.device;
  return {{"device", device.name},
          {"uuid", device.uuid},
          {"major", device.major},
          {"minor", device.minor},
          {"cuda", device.driverVersion},
          {"multiprocessors", device.multiprocessors},
          {"l2", device.l2Bytes},
          {"memory", device.memoryBytes},
          {"driver", reply.driver},
          {"floors", floorsJson(reply.floors)},
          {"fill", reply.fillBytesPerSecond},
          {"clocked", reply.clocks.known},
          {"clocks", clockJson(reply.clocks)},
          {"devices", reply.devices},
          {"sound", reply.isSound}};
}

static ProbeReply readProbe(const Fields &fields) {
  ProbeReply reply;
  DeviceInfo &device = reply.device;
  device.name = fields.text("device");
  device.uuid = fields.text("uuid");
  device.major = int(fields.count("major"));
  device.minor = int(fields.count("minor"));
  device.driverVersion = int(fields.count("cuda"));
  device.multiprocessors = int(fields.count("multiprocessors"));
  device.l2Bytes = uint64_t(fields.integer("l2", 0, INT64_MAX));
  device.memoryBytes = uint64_t(fields.integer("memory", 0, INT64_MAX));
  reply.driver = fields.text("driver");
  Fields floors(fields.at("floors"));
  reply.floors.events = floors.amount("events");
  reply.floors.graph = floors.amount("graph");
  reply.floors.cupti = floors.amount("cupti");
  reply.floors.host = floors.amount("host");
  reply.floors.clockRatio = floors.amount("clock_ratio");
  reply.fillBytesPerSecond = fields.amount("fill");
  Fields clocks(fields.at("clocks"));
  reply.clocks.known = fields.flag("clocked");
  reply.clocks.smMHz = clocks.count("sm_mhz");
  reply.clocks.memoryMHz = clocks.count("memory_mhz");
  reply.clocks.temperature = clocks.count("temperature");
  reply.clocks.powerMilliwatts = clocks.count("power_mw");
  reply.clocks.throttle = uint64_t(clocks.integer("throttle", 0, INT64_MAX));
  reply.devices = int(fields.count("devices"));
  reply.isSound = fields.flag("sound");
  return reply;
}

static Json toJSON(const TimeReply &reply) {
  return {{"problem", reply.problem},    {"kernel", reply.kernel},
          {"rival", reply.rival},        {"honesty", int(reply.honesty)},
          {"reason", reply.reason},      {"time", reply.timeUs},
          {"low", reply.lowUs},          {"high", reply.highUs},
          {"spread", reply.spread},      {"ratio", reply.ratio},
          {"ratio_low", reply.ratioLow}, {"ratio_high", reply.ratioHigh},
          {"samples", reply.samples},    {"clocks", reply.clocks},
          {"evidence", reply.evidence}};
}

static TimeReply readTime(const Fields &fields) {
  TimeReply reply;
  reply.problem = fields.index("problem");
  reply.kernel = fields.index("kernel");
  reply.rival = fields.integer("rival", -1, UINT32_MAX);
  reply.honesty = Honesty(fields.integer("honesty", 0, int(Honesty::Fault)));
  reply.reason = fields.text("reason");
  reply.timeUs = fields.amount("time");
  reply.lowUs = fields.amount("low");
  reply.highUs = fields.amount("high");
  reply.spread = fields.amount("spread");
  reply.ratio = fields.number("ratio");
  reply.ratioLow = fields.number("ratio_low");
  reply.ratioHigh = fields.number("ratio_high");
  reply.samples = fields.document("samples");
  reply.clocks = fields.document("clocks");
  reply.evidence = fields.document("evidence");
  return reply;
}

static Json toJSON(const VerdictReply &reply) {
  return {{"verdict", verdictName(reply.verdict)},
          {"reason", reply.reason},
          {"evidence", reply.evidence},
          {"blame", int(reply.blame)}};
}

static VerdictReply readVerdict(const Fields &fields) {
  VerdictReply reply;
  auto verdict = parseDeviceVerdict(fields.text("verdict"));
  if (!verdict)
    fail("field 'verdict' is '" + fields.text("verdict") +
         "', expected a verdict");
  reply.verdict = *verdict;
  reply.reason = fields.text("reason");
  reply.evidence = fields.document("evidence");
  reply.blame =
      VerdictReply::Blame(fields.integer("blame", 0, VerdictReply::Rival));
  return reply;
}

std::string lathe::measure::writeReply(const ChildReply &reply) {
  static constexpr const char *types[] = {"phase", "probe", "time", "verdict"};
  return dump({{"type", types[reply.index()]},
               {"body", std::visit([](const auto &own) { return toJSON(own); },
                                   reply)}});
}

ChildReply lathe::measure::readReply(const std::string &line) {
  Json json = parseLine(line);
  Fields fields(json);
  std::string type = fields.text("type");
  Fields body(fields.at("body"));
  if (type == "phase")
    return PhaseReply{
        ChildPhase(body.integer("phase", 0, int(ChildPhase::Time))),
        body.text("text")};
  if (type == "probe")
    return readProbe(body);
  if (type == "time")
    return readTime(body);
  if (type == "verdict")
    return readVerdict(body);
  fail("type '" + type + "' is unknown");
}
