//===- CApi.cpp - liblathe_measure.so -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/lathe_measure.h"

#include "DriverTable.h"
#include "TimesText.h"
#include "lathe/Measure/Timer.h"

#include <algorithm>
#include <cstring>

using namespace lathe::measure;

/// A callback of the caller's failed.
class SubjectFailed : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class CallbackSubject final : public Subject {
public:
  explicit CallbackSubject(const lathe_subject &given)
      : given(given), text(given.name ? given.name : "subject") {}

  std::string name() const override { return text; }
  unsigned sets() const override { return given.sets; }
  void launch(unsigned set, Stream stream) override {
    expect(given.launch(given.user, set, stream), "launch", set);
  }
  void prepare(unsigned set, Stream stream) override {
    if (given.prepare)
      expect(given.prepare(given.user, set, stream), "prepare", set);
  }
  void check(unsigned set) override {
    if (!given.check)
      return;
    int answer = given.check(given.user, set);
    if (answer == LATHE_SUBJECT_WRONG)
      throw WrongAnswer(text + ": wrong while it was timed, on set " +
                        std::to_string(set));
    expect(answer, "check", set);
  }

private:
  void expect(int answer, const char *callback, unsigned set) const {
    if (answer != LATHE_SUBJECT_OK)
      throw SubjectFailed(text + ": " + callback + " of set " +
                          std::to_string(set) + " returned " +
                          std::to_string(answer));
  }

  lathe_subject given;
  std::string text;
};

struct lathe_timer {
  std::unique_ptr<Device> device;
  std::unique_ptr<Timer> timer;
  std::string text; ///< the last answer
};

static thread_local std::string lastError;

static lathe_measure_status fail(lathe_measure_status status,
                                 const std::string &what) {
  lastError = what;
  return status;
}

/// No exception leaves the library.
template <typename Body> static lathe_measure_status guarded(Body body) {
  try {
    return body();
  } catch (const DriverError &error) {
    return fail(error.isFault()        ? LATHE_MEASURE_FAULT
                : error.isDeviceLost() ? LATHE_MEASURE_DEVICE_LOST
                                       : LATHE_MEASURE_DRIVER_ERROR,
                error.what());
  } catch (const WrongAnswer &error) {
    return fail(LATHE_MEASURE_WRONG_ANSWER, error.what());
  } catch (const SubjectFailed &error) {
    return fail(LATHE_MEASURE_SUBJECT_FAILED, error.what());
  } catch (const std::exception &error) {
    return fail(LATHE_MEASURE_OTHER, error.what());
  }
}

uint32_t lathe_measure_abi_version(void) { return LATHE_MEASURE_ABI_VERSION; }

const char *lathe_measure_status_name(lathe_measure_status status) {
  switch (status) {
  case LATHE_MEASURE_OK:
    return "ok";
  case LATHE_MEASURE_INVALID_ARGUMENT:
    return "invalid_argument";
  case LATHE_MEASURE_DRIVER_ERROR:
    return "driver_error";
  case LATHE_MEASURE_FAULT:
    return "fault";
  case LATHE_MEASURE_DEVICE_LOST:
    return "device_lost";
  case LATHE_MEASURE_SUBJECT_FAILED:
    return "subject_failed";
  case LATHE_MEASURE_WRONG_ANSWER:
    return "wrong_answer";
  case LATHE_MEASURE_OTHER:
    return "other";
  }
  return "unknown";
}

const char *lathe_measure_last_error(void) { return lastError.c_str(); }

static lathe_measure_options defaultOptions() {
  TimerOptions own;
  lathe_measure_options options = {};
  options.struct_size = sizeof options;
  options.pairs = own.pairs;
  options.graph_pairs = own.graphPairs;
  options.traced_launches = own.tracedLaunches;
  options.host_launches = own.hostLaunches;
  options.check_every = own.checkEvery;
  options.budget_ms = own.budgetMs;
  options.warmup_ms = own.warmupMs;
  options.roofline_us = own.rooflineUs;
  options.host_slack_us = 2000;
  return options;
}

lathe_measure_status
lathe_measure_default_options(lathe_measure_options *options) {
  if (!options || options->struct_size < sizeof(lathe_measure_options))
    return fail(LATHE_MEASURE_INVALID_ARGUMENT,
                "options are null, or their struct_size is too small");
  uint32_t size = options->struct_size;
  *options = defaultOptions();
  options->struct_size = size;
  return LATHE_MEASURE_OK;
}

static TimerOptions toTimer(const lathe_measure_options &given) {
  TimerOptions options;
  options.pairs = given.pairs;
  options.graphPairs = given.graph_pairs;
  options.tracedLaunches = given.traced_launches;
  options.hostLaunches = given.host_launches;
  options.checkEvery = given.check_every;
  options.budgetMs = given.budget_ms;
  options.warmupMs = given.warmup_ms;
  options.rooflineUs = given.roofline_us;
  options.hostSlackUs = given.host_slack_us;
  return options;
}

/// The ordinal of the current context's device, or 0.
static int currentOrdinal() {
  const DriverTable &table = driverTable();
  int current = 0, handle = 0;
  if (table.contextDevice(&current) != cudaSuccess)
    return 0;
  for (int ordinal = 0; ordinal < Device::count(); ++ordinal)
    if (table.deviceGet(&handle, ordinal) == cudaSuccess && handle == current)
      return ordinal;
  return 0;
}

lathe_measure_status lathe_measure_open(int ordinal, lathe_timer **timer) {
  if (!timer || ordinal < -1)
    return fail(LATHE_MEASURE_INVALID_ARGUMENT,
                "no place for the timer, or an ordinal below -1");
  *timer = nullptr;
  return guarded([&] {
    auto opened = std::make_unique<lathe_timer>();
    opened->device = Device::open(ordinal < 0 ? currentOrdinal() : ordinal);
    TimerOptions options = toTimer(defaultOptions());
    options.tracedLaunches = 0; // of floors; see lathe_measure.h
    opened->timer = std::make_unique<Timer>(*opened->device, options);
    *timer = opened.release();
    return LATHE_MEASURE_OK;
  });
}

void lathe_measure_close(lathe_timer *timer) { delete timer; }

void *lathe_measure_stream(const lathe_timer *timer) {
  return timer ? timer->timer->stream() : nullptr;
}

lathe_measure_status lathe_measure_floors(lathe_timer *timer,
                                          const char **json) {
  if (!timer || !json)
    return fail(LATHE_MEASURE_INVALID_ARGUMENT, "timer or json is null");
  return guarded([&] {
    const DeviceInfo &info = timer->device->info();
    timer->text =
        floorsText(info, Clocks(info).driverVersion(), timer->timer->floors());
    *json = timer->text.c_str();
    return LATHE_MEASURE_OK;
  });
}

lathe_measure_status lathe_measure_compare(lathe_timer *timer,
                                           const lathe_subject *subjects,
                                           uint32_t count,
                                           const lathe_measure_options *options,
                                           const char **json) {
  if (!timer || !subjects || !count || !json)
    return fail(LATHE_MEASURE_INVALID_ARGUMENT,
                "timer, subjects or json is null, or there are none");
  if (options && options->struct_size < sizeof(lathe_measure_options))
    return fail(LATHE_MEASURE_INVALID_ARGUMENT,
                "the options' struct_size is too small");
  for (uint32_t i = 0; i < count; ++i)
    if (subjects[i].struct_size != sizeof(lathe_subject) ||
        !subjects[i].launch || !subjects[i].sets)
      return fail(LATHE_MEASURE_INVALID_ARGUMENT,
                  "subject " + std::to_string(i) +
                      " has another struct_size, no launch, or no sets");
  return guarded([&] {
    std::vector<CallbackSubject> wrapped(subjects, subjects + count);
    std::vector<Subject *> pointers;
    std::vector<std::string> names;
    for (CallbackSubject &subject : wrapped) {
      pointers.push_back(&subject);
      names.push_back(subject.name());
    }
    TimedGroup group = timer->timer->measureAll(
        pointers, toTimer(options ? *options : defaultOptions()));
    timer->text = timesText(names, group);
    *json = timer->text.c_str();
    return LATHE_MEASURE_OK;
  });
}
