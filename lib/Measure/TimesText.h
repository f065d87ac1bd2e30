//===- TimesText.h - Times as JSON ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_TIMESTEXT_H
#define LATHE_LIB_MEASURE_TIMESTEXT_H

#include "lathe/Measure/Timer.h"

namespace lathe::measure {

/// As lathe_measure.h says.
std::string floorsText(const DeviceInfo &device,
                       const std::string &driverVersion, const Floors &floors);
std::string timesText(const std::vector<std::string> &names,
                      const TimedGroup &group);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_TIMESTEXT_H
