//===- Verdict.h - What the device said of a candidate ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_VERDICT_H
#define LATHE_MEASURE_VERDICT_H

#include <optional>
#include <string>
#include <string_view>

namespace lathe::measure {

enum class DeviceVerdict {
  Passed,
  Wrong,      ///< another result than the reference's, or inputs changed
  Racy,       ///< launches on the same inputs differ bit for bit
  Fault,      ///< an illegal access, a red zone hit, or a time that physics
              ///< forbids
  Timeout,    ///< did not end within its limit
  Crash,      ///< its process died by a signal
  DeviceLost, ///< the driver lost the device, or it did not come back
  Refused,    ///< not run, or not checked: calls out, is not for this device,
              ///< has no proof, its reference is missing
  Void        ///< right, but no honest time could be taken
};
/// "PASSED", "WRONG", "RACY", "FAULT", "TIMEOUT", "CRASH", "DEVICE_LOST",
/// "REFUSED", "VOID".
const char *verdictName(DeviceVerdict verdict);
std::optional<DeviceVerdict> parseDeviceVerdict(std::string_view name);

} // namespace lathe::measure

#endif // LATHE_MEASURE_VERDICT_H
