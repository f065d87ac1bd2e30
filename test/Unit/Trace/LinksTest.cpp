//===- LinksTest.cpp - Kernels to operators, way by way -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLinks.h"

#include <gtest/gtest.h>

using namespace lathe;

namespace {

/// Two operators, with external ids 1 and 2, at 0..10 and 20..30.
TraceEvents twoOps() {
  TraceEvents events;
  for (uint64_t i = 0; i != 2; ++i) {
    TraceOp op;
    op.start = int64_t(20 * i);
    op.end = op.start + 10;
    op.external = i + 1;
    events.ops.push_back(op);
  }
  return events;
}

TraceKernel kernel(int64_t start, uint64_t correlation, uint64_t external) {
  TraceKernel kernel;
  kernel.start = start;
  kernel.duration = 5;
  kernel.correlation = correlation;
  kernel.external = external;
  kernel.thread = 7;
  return kernel;
}

TEST(KernelLinks, UsesExternalIdsThatMatch) {
  TraceEvents events = twoOps();
  events.kernels = {kernel(50, 11, 2), kernel(60, 12, 99),
                    kernel(70, 13, noId)};
  KernelLinks links(events);
  EXPECT_EQ(links.opOf(events.kernels[0]), 1u);
  EXPECT_EQ(links.opOf(events.kernels[1]), noIndex);
  EXPECT_EQ(links.opOf(events.kernels[2]), noIndex);
  ASSERT_EQ(links.report().size(), 1u);
  EXPECT_EQ(links.report()[0].substr(0, 10), "1 kernels ");
}

TEST(KernelLinks, LeavesCopiesOfTheCorrelationAlone) {
  TraceEvents events = twoOps();
  events.kernels = {kernel(50, 1, 1), kernel(60, 2, 2), kernel(70, 3, noId)};
  KernelLinks links(events);
  for (const TraceKernel &kernel : events.kernels)
    EXPECT_EQ(links.opOf(kernel), noIndex);
  ASSERT_EQ(links.report().size(), 1u);
  EXPECT_NE(links.report()[0].find("only repeats"), std::string::npos);
}

TEST(KernelLinks, FollowsFlowsByIdAndPlace) {
  TraceEvents events = twoOps();
  events.kernels = {kernel(50, noId, noId), kernel(60, noId, 99),
                    kernel(70, noId, noId), kernel(80, noId, 2)};
  // The arrow into the third starts outside every operator.
  events.flowStarts = {{5, 25, 0}, {6, 5, 0}, {7, 15, 0}, {8, 5, 0}};
  events.flowEnds = {
      {5, 50, 7}, {6, 62, 7}, {7, 70, 7}, {8, 80, 7}, {9, 50, 3}};
  KernelLinks links(events);
  EXPECT_EQ(links.opOf(events.kernels[0]), 1u);
  EXPECT_EQ(links.opOf(events.kernels[1]), 0u);
  EXPECT_EQ(links.opOf(events.kernels[2]), noIndex);
  // An external id that matches comes first.
  EXPECT_EQ(links.opOf(events.kernels[3]), 1u);
  EXPECT_EQ(links.report().size(), 2u);
}

TEST(KernelLinks, SurvivesHalfOfTheFlows) {
  TraceEvents events = twoOps();
  events.kernels = {kernel(50, noId, noId)};
  events.flowEnds = {{5, 50, 7}};
  EXPECT_EQ(KernelLinks(events).opOf(events.kernels[0]), noIndex);
  events.flowEnds.clear();
  events.flowStarts = {{5, 5, 0}};
  EXPECT_EQ(KernelLinks(events).opOf(events.kernels[0]), noIndex);
}

} // namespace
