//===- HardwareFields.h - Hardware's figures by name ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PLAN_HARDWAREFIELDS_H
#define LATHE_LIB_PLAN_HARDWAREFIELDS_H

#include "lathe/Ingest/Model.h"

namespace lathe {

struct IntegerFact {
  const char *name;
  int64_t Hardware::*field;
};
struct RealFact {
  const char *name;
  double Hardware::*field;
};

/// One list for both directions of problem.target.
inline constexpr IntegerFact integerFacts[] = {
    {"multiprocessors", &Hardware::multiprocessors},
    {"warpSize", &Hardware::warpSize},
    {"memoryBytes", &Hardware::memoryBytes},
    {"l2Bytes", &Hardware::l2Bytes},
    {"sharedPerSm", &Hardware::sharedPerSm},
    {"sharedPerBlock", &Hardware::sharedPerBlock},
    {"registersPerSm", &Hardware::registersPerSm},
    {"maxRegistersPerThread", &Hardware::maxRegistersPerThread},
    {"threadsPerSm", &Hardware::threadsPerSm},
    {"blocksPerSm", &Hardware::blocksPerSm},
    {"maxThreadsPerBlock", &Hardware::maxThreadsPerBlock}};
inline constexpr RealFact realFacts[] = {
    {"bandwidth", &Hardware::bandwidth},
    {"achievedBandwidth", &Hardware::achievedBandwidth},
    {"launchFloorUs", &Hardware::launchFloorUs},
    {"clockHz", &Hardware::clockHz},
    {"memoryLatencyNs", &Hardware::memoryLatencyNs},
    {"sharedBytesPerClock", &Hardware::sharedBytesPerClock},
    {"matrixShare", &Hardware::matrixShare},
    {"matrixShare8", &Hardware::matrixShare8},
    {"smBytesPerClock", &Hardware::smBytesPerClock},
    {"l2Bandwidth", &Hardware::l2Bandwidth}};

} // namespace lathe

#endif // LATHE_LIB_PLAN_HARDWAREFIELDS_H
