//===- TimerTest.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeGpu.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace lathe::measure;

namespace {

/// What the fake driver puts between two events beside the kernel.
constexpr double eventsExtra = 2.39, graphExtra = 2.84;

TimerOptions quick() {
  TimerOptions options;
  options.warmupMs = 0.5;
  // Other processes may interrupt the host for long.
  options.hostSlackUs = 50000;
  return options;
}

TEST(Timer, FindsTheTimesOfAnEmptyKernel) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    const Floors &floors = timer.floors();
    EXPECT_NEAR(floors.events, 3.39, 0.02);
    EXPECT_NEAR(floors.graph, 3.84, 0.02);
    EXPECT_NEAR(floors.cupti, 1, 0.02);
    EXPECT_TRUE(floors.missing.empty());
    EXPECT_NEAR(floors.clockRatio, 1, 0.1);
    EXPECT_GT(floors.host, 0);
  });
}

class KernelTimes : public testing::TestWithParam<double> {};

TEST_P(KernelTimes, AreRecovered) {
  double us = GetParam();
  onFakeGpu("jitter=0.005", [us] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "time_us=" + std::to_string(us));
    TimedPair timed = timer.measure(subject, quick());
    const TimingAnswer &answer = timed.answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Good) << answer.reason;
    EXPECT_NEAR(answer.events.median, us + eventsExtra, 0.02 * us + 0.02);
    EXPECT_NEAR(answer.graph.median, us + graphExtra, 0.02 * us + 0.02);
    EXPECT_NEAR(answer.cupti.median, us, 0.02 * us + 0.02);
    EXPECT_EQ(answer.timeUs,
              std::min(answer.events.median, answer.graph.median));
    EXPECT_GE(answer.events.samples, 3u);
    EXPECT_GT(subject.checks, 2u);
    EXPECT_FALSE(timed.clocks.empty());
    EXPECT_TRUE(timed.clocks.front().known);
  });
}

INSTANTIATE_TEST_SUITE_P(All, KernelTimes,
                         testing::Values(2.0, 10.0, 55.5, 400.0, 2000.0));

TEST(Timer, TimesWithAColdCache) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "time_us=40 warm=0.25");
    TimingAnswer answer = timer.measure(subject, quick()).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Good) << answer.reason;
    EXPECT_NEAR(answer.timeUs, 42.39, 0.5);
  });
}

TEST(Timer, TellsTheFasterOfTwo) {
  onFakeGpu("jitter=0.01", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject fast(*device, "time_us=20"), slow(*device, "time_us=22"),
        same(*device, "time_us=20");
    TimedPair pair = timer.compare(fast, slow, quick());
    EXPECT_EQ(pair.paired.comparison, Comparison::Faster);
    EXPECT_NEAR(pair.paired.ratio, 22.39 / 24.39, 0.02);
    EXPECT_EQ(pair.samples[0].events.size(), pair.samples[1].events.size());
    EXPECT_EQ(timer.compare(slow, fast, quick()).paired.comparison,
              Comparison::Slower);
    EXPECT_EQ(timer.compare(fast, same, quick()).paired.comparison,
              Comparison::Tie);
  });
}

/// Host time of a launch does not count, however long.
TEST(Timer, KeepsTheStreamBusyWhileTheHostWorks) {
  onFakeGpu("", [] {
    struct Slow : ToySubject {
      using ToySubject::ToySubject;
      void launch(unsigned set, Stream stream) override {
        fakeHostWork(300);
        ToySubject::launch(set, stream);
      }
    };
    auto device = Device::open(0);
    Timer timer(*device, quick());
    Slow subject(*device, "time_us=10");
    TimingAnswer answer = timer.measure(subject, quick()).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Good) << answer.reason;
    EXPECT_NEAR(answer.events.median, 12.39, 0.3);
    TimerOptions strict = quick();
    strict.hostSlackUs = 100;
    answer = timer.measure(subject, strict).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Void);
    EXPECT_NE(answer.reason.find("host"), std::string::npos) << answer.reason;
  });
}

TEST(Timer, GivesUpOnALaunchThatWaits) {
  onFakeGpu("", [] {
    struct Waiting : ToySubject {
      using ToySubject::ToySubject;
      void launch(unsigned set, Stream stream) override {
        device.synchronize(stream);
        ToySubject::launch(set, stream);
      }
    };
    auto device = Device::open(0);
    Timer timer(*device, quick());
    Waiting subject(*device, "time_us=10");
    TimedPair timed = timer.measure(subject, quick());
    EXPECT_EQ(timed.answers[0].honesty, Honesty::Void);
    EXPECT_NE(timed.answers[0].reason.find("waits for the device"),
              std::string::npos)
        << timed.answers[0].reason;
    EXPECT_TRUE(timed.samples[0].events.empty());
  });
}

/// A subject that leaves its stream alone and works on its own.
struct OtherStream : ToySubject {
  OtherStream(Device &device, const std::string &line, bool waits)
      : ToySubject(device, line), waits(waits), own(device.createStream()) {}
  void launch(unsigned set, Stream) override {
    ToySubject::launch(set, own);
    if (waits)
      fakeHostWork(200);
  }
  void check(unsigned set) override {
    device.synchronize(own);
    ToySubject::check(set);
  }
  bool waits;
  Stream own;
};

TEST(Timer, FindsWorkOnAnotherStream) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    OtherStream subject(*device, "time_us=100", /*waits=*/false);
    TimingAnswer answer = timer.measure(subject, quick()).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Fault);
    EXPECT_NE(answer.reason.find("another stream"), std::string::npos)
        << answer.reason;
    // As the device does it, rather than the host.
    struct Unchecked : ToySubject {
      using ToySubject::ToySubject;
      void check(unsigned) override {}
    } beside(*device, "do=side_stream us=100");
    TimerOptions eventsOnly = quick();
    eventsOnly.graphPairs = eventsOnly.hostLaunches =
        eventsOnly.tracedLaunches = 0;
    answer = timer.measure(beside, eventsOnly).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Fault);
    EXPECT_NE(answer.reason.find("another stream"), std::string::npos)
        << answer.reason;
  });
}

/// Too short for a wait to notice, but it is in the records.
TEST(Timer, FindsShortWorkOnAnotherStreamByItsRecords) {
  for (bool traced : {true, false})
    onFakeGpu(traced ? "" : "cupti=off", [traced] {
      struct Unchecked : ToySubject {
        using ToySubject::ToySubject;
        void check(unsigned) override {}
      };
      auto device = Device::open(0);
      Timer timer(*device, quick());
      Unchecked subject(*device, "do=side_stream us=4");
      TimingAnswer answer = timer.measure(subject, quick()).answers[0];
      EXPECT_EQ(answer.honesty, traced ? Honesty::Fault : Honesty::Good)
          << answer.reason;
    });
}

TEST(Timer, FindsAnEmptyCapture) {
  onFakeGpu("cupti=off", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    OtherStream subject(*device, "time_us=50", /*waits=*/true);
    TimingAnswer answer = timer.measure(subject, quick()).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Fault);
    EXPECT_NE(answer.reason.find("recorded no work"), std::string::npos)
        << answer.reason;
  });
}

TEST(Timer, FindsALaunchThatDoesNothing) {
  onFakeGpu("graphs=off", [] {
    struct Nothing : Subject {
      std::string name() const override { return "nothing"; }
      void launch(unsigned, Stream) override {}
    } subject;
    auto device = Device::open(0);
    Timer timer(*device, quick());
    TimedPair timed = timer.measure(subject, quick());
    EXPECT_EQ(timed.answers[0].honesty, Honesty::Fault);
    EXPECT_NE(timed.answers[0].reason.find("empty kernel"), std::string::npos)
        << timed.answers[0].reason;
  });
}

TEST(Timer, FindsAnswersThatBecomeWrong) {
  for (const char *line : {"do=nothing after=12", "do=side_stream us=500",
                           "do=constant every=2", "do=half after=2"})
    onFakeGpu("", [line] {
      auto device = Device::open(0);
      TimerOptions options = quick();
      options.checkEvery = 2;
      Timer timer(*device, options);
      ToySubject subject(*device, line);
      EXPECT_THROW(timer.measure(subject, options), WrongAnswer) << line;
    });
}

TEST(Timer, FindsAFault) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "do=fault after=5");
    try {
      timer.measure(subject, quick());
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DriverError &error) {
      EXPECT_TRUE(error.isFault()) << error.what();
    }
  });
}

TEST(Timer, FindsAClockThatIsTooFast) {
  onFakeGpu("clock_scale=0.1", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "time_us=50");
    TimingAnswer answer = timer.measure(subject, quick()).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Fault);
    EXPECT_NE(answer.reason.find("host's clock"), std::string::npos)
        << answer.reason;
  });
}

TEST(Timer, FindsATimeBelowTheRoofline) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "time_us=50");
    TimerOptions options = quick();
    options.rooflineUs = 60;
    TimingAnswer answer = timer.measure(subject, options).answers[0];
    EXPECT_EQ(answer.honesty, Honesty::Fault);
    EXPECT_NE(answer.reason.find("roofline"), std::string::npos);
  });
}

TEST(Timer, DiscardsSamplesUnderThrottle) {
  onFakeGpu("throttle=20", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "time_us=5");
    TimedPair timed = timer.measure(subject, quick());
    EXPECT_EQ(timed.answers[0].honesty, Honesty::Good)
        << timed.answers[0].reason;
    EXPECT_EQ(timed.samples[0].events.size(), quick().pairs);
  });
  onFakeGpu("throttle=100", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "time_us=5");
    TimedPair timed = timer.measure(subject, quick());
    EXPECT_EQ(timed.answers[0].honesty, Honesty::Void);
    EXPECT_NE(timed.answers[0].reason.find("throttled"), std::string::npos);
    EXPECT_TRUE(timed.samples[0].events.empty());
    EXPECT_NE(timed.clocks.back().throttleText().find("thermal"),
              std::string::npos);
  });
}

TEST(Timer, SaysWhichMethodsAreMissing) {
  onFakeGpu("graphs=off,nvml=off,cupti=off", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject subject(*device, "time_us=5");
    TimedPair timed = timer.measure(subject, quick());
    EXPECT_EQ(timed.answers[0].honesty, Honesty::Good)
        << timed.answers[0].reason;
    EXPECT_TRUE(timed.samples[0].graph.empty());
    EXPECT_FALSE(timed.clocks.front().known);
    std::string all;
    for (const std::string &line : timed.samples[0].missing)
      all += line + "\n";
    EXPECT_NE(all.find("graph: cannot be captured"), std::string::npos) << all;
    EXPECT_NE(all.find("cupti: cuptiActivityEnable: "
                       "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"),
              std::string::npos)
        << all;
    EXPECT_TRUE(timed.samples[0].cupti.empty());
  });
}

TEST(Timer, TimesManyInTurn) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Timer timer(*device, quick());
    ToySubject a(*device, "time_us=5"), b(*device, "time_us=10"),
        c(*device, "time_us=20");
    TimedGroup group = timer.measureAll({&a, &b, &c}, quick());
    ASSERT_EQ(group.answers.size(), 3u);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(group.answers[i].honesty, Honesty::Good)
          << group.answers[i].reason;
      EXPECT_NEAR(group.answers[i].timeUs, 5 * (1 << i) + 2.39, 0.3);
    }
  });
}

TEST(Timer, KeepsToItsBudget) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    TimerOptions options = quick();
    options.budgetMs = 20;
    Timer timer(*device, options);
    ToySubject subject(*device, "time_us=2000");
    TimedPair timed = timer.measure(subject, options);
    EXPECT_GE(timed.samples[0].events.size(), 3u);
    EXPECT_LT(timed.samples[0].events.size(), 8u);
  });
}

} // namespace
