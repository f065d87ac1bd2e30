//===- CApiTest.cpp - liblathe_measure.so on the fake driver --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeGpu.h"

#include "lathe/Measure/lathe_measure.h"

#include <gtest/gtest.h>

using namespace lathe::measure;

namespace {

/// A toy behind callbacks.
struct Called {
  Called(Device &device, const std::string &line) : toy(device, line) {}
  ToySubject toy;
  int launchAnswer = LATHE_SUBJECT_OK;

  static int launch(void *user, uint32_t set, void *stream) {
    auto &self = *static_cast<Called *>(user);
    self.toy.launch(set, stream);
    return self.launchAnswer;
  }
  static int prepare(void *user, uint32_t set, void *stream) {
    static_cast<Called *>(user)->toy.prepare(set, stream);
    return LATHE_SUBJECT_OK;
  }
  static int check(void *user, uint32_t set) {
    try {
      static_cast<Called *>(user)->toy.check(set);
    } catch (const WrongAnswer &) {
      return LATHE_SUBJECT_WRONG;
    }
    return LATHE_SUBJECT_OK;
  }
  lathe_subject subject(const char *name) {
    return {sizeof(lathe_subject), 2, name, this, launch, prepare, check};
  }
};

lathe_measure_options quick() {
  lathe_measure_options options = {};
  options.struct_size = sizeof options;
  EXPECT_EQ(lathe_measure_default_options(&options), LATHE_MEASURE_OK);
  options.warmup_ms = 0.5;
  options.host_slack_us = 50000;
  return options;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(CApi, ComparesSubjects) {
  onFakeGpu("jitter=0", [] {
    auto device = Device::open(0);
    lathe_timer *timer = nullptr;
    ASSERT_EQ(lathe_measure_open(-1, &timer), LATHE_MEASURE_OK);
    const char *json = nullptr;
    ASSERT_EQ(lathe_measure_floors(timer, &json), LATHE_MEASURE_OK);
    EXPECT_TRUE(contains(json, "\"name\":\"Fake GPU\"")) << json;
    EXPECT_TRUE(contains(json, "\"arch\":\"sm_90\"")) << json;
    EXPECT_TRUE(contains(json, "\"events\":3.3")) << json;
    EXPECT_TRUE(contains(json, "\"driver\":\"580.0.fake\"")) << json;

    Called fast(*device, "time_us=10"), slow(*device, "time_us=20");
    lathe_subject subjects[] = {fast.subject("fast"), slow.subject("slow")};
    lathe_measure_options options = quick();
    ASSERT_EQ(lathe_measure_compare(timer, subjects, 2, &options, &json),
              LATHE_MEASURE_OK)
        << lathe_measure_last_error();
    std::string text = json;
    EXPECT_TRUE(contains(text, "\"name\":\"fast\",\"honesty\":\"good\""))
        << text;
    EXPECT_TRUE(contains(text, "\"time_us\":12.3")) << text;
    EXPECT_TRUE(contains(text, "\"time_us\":22.3")) << text;
    EXPECT_TRUE(
        contains(text, "\"first\":0,\"second\":1,\"comparison\":\"faster\""))
        << text;
    EXPECT_TRUE(contains(text, "\"sm_mhz\":1980")) << text;
    EXPECT_GT(fast.toy.checks, 0u);
    lathe_measure_close(timer);
  });
}

TEST(CApi, SaysWhatSubjectsDid) {
  const struct {
    const char *line;
    int answer;
    lathe_measure_status status;
    const char *error;
  } cases[] = {
      {"time_us=5", 3, LATHE_MEASURE_SUBJECT_FAILED,
       "toy: launch of set 0 returned 3"},
      {"do=nothing", 0, LATHE_MEASURE_WRONG_ANSWER,
       "toy: wrong while it was timed"},
      {"do=fault after=3", 0, LATHE_MEASURE_FAULT, "ILLEGAL_ADDRESS"},
      {"do=lost after=3", 0, LATHE_MEASURE_DEVICE_LOST, "UNAVAILABLE"},
  };
  for (const auto &test : cases)
    onFakeGpu("", [&test] {
      auto device = Device::open(0);
      lathe_timer *timer = nullptr;
      ASSERT_EQ(lathe_measure_open(0, &timer), LATHE_MEASURE_OK);
      Called toy(*device, test.line);
      toy.launchAnswer = test.answer;
      lathe_subject subject = toy.subject("toy");
      lathe_measure_options options = quick();
      const char *json = nullptr;
      EXPECT_EQ(lathe_measure_compare(timer, &subject, 1, &options, &json),
                test.status)
          << lathe_measure_last_error();
      EXPECT_TRUE(contains(lathe_measure_last_error(), test.error))
          << lathe_measure_last_error();
      lathe_measure_close(timer);
    });
}

TEST(CApi, RejectsBadArguments) {
  onFakeGpu("", [] {
    lathe_timer *timer = nullptr;
    EXPECT_EQ(lathe_measure_open(0, nullptr), LATHE_MEASURE_INVALID_ARGUMENT);
    EXPECT_EQ(lathe_measure_open(-2, &timer), LATHE_MEASURE_INVALID_ARGUMENT);
    EXPECT_EQ(lathe_measure_open(5, &timer), LATHE_MEASURE_DEVICE_LOST);
    EXPECT_EQ(timer, nullptr);
    ASSERT_EQ(lathe_measure_open(0, &timer), LATHE_MEASURE_OK);
    EXPECT_NE(lathe_measure_stream(timer), nullptr);
    const char *json = nullptr;
    EXPECT_EQ(lathe_measure_floors(timer, nullptr),
              LATHE_MEASURE_INVALID_ARGUMENT);
    lathe_subject subject = {};
    EXPECT_EQ(lathe_measure_compare(timer, &subject, 0, nullptr, &json),
              LATHE_MEASURE_INVALID_ARGUMENT);
    EXPECT_EQ(lathe_measure_compare(timer, &subject, 1, nullptr, &json),
              LATHE_MEASURE_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(lathe_measure_last_error(), "subject 0"));
    lathe_measure_options options = {};
    EXPECT_EQ(lathe_measure_default_options(&options),
              LATHE_MEASURE_INVALID_ARGUMENT);
    lathe_measure_close(timer);
    lathe_measure_close(nullptr);
  });
}

TEST(CApi, NamesItsAnswers) {
  EXPECT_EQ(lathe_measure_abi_version(), uint32_t(LATHE_MEASURE_ABI_VERSION));
  EXPECT_STREQ(lathe_measure_status_name(LATHE_MEASURE_WRONG_ANSWER),
               "wrong_answer");
}

} // namespace
