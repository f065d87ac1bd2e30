//===- DeviceReference.h - The trusted meaning, on a GPU --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_DEVICEREFERENCE_H
#define LATHE_VERIFY_DEVICEREFERENCE_H

#include "lathe/Codegen/Artifact.h"
#include "lathe/Codegen/Message.h"
#include "lathe/Codegen/Target.h"
#include "lathe/Codegen/Toolkit.h"
#include "lathe/Ingest/Model.h"

namespace lathe {

/// A kernel `void (const uint64_t *slots, uint64_t first, uint64_t count)`; see
/// measure::ReferencePlan.
struct DeviceReference {
  Artifact artifact;
  unsigned rowRank = 0;  ///< dimensions of the outer loop
  bool usesHeap = false; ///< calls malloc
};

/// An operator's reference.mlir as plain as for the host: f64 where it says
/// f64, nothing contracted. NVIDIA only. Errors: no reference, one that is
/// broken, a math function without libdevice.
llvm::Expected<DeviceReference> compileDeviceReference(
    const OperatorSpec &spec,
    const std::map<std::string, std::string, std::less<>> &dtypes,
    const TargetSpec &target, const Toolkit &toolkit);

/// For workers: the operator travels as its folder, which is read again.
Message deviceReferenceMessage(
    const OperatorSpec &spec,
    const std::map<std::string, std::string, std::less<>> &dtypes,
    llvm::StringRef arch);
/// Answers a message of deviceReferenceMessage.
Message answerDeviceReference(const Message &message, const Toolkit &toolkit);
llvm::Expected<DeviceReference> deviceReferenceFrom(const Message &message);

/// Changes with everything that the reference depends on but the tools.
std::string deviceReferenceKey(
    const OperatorSpec &spec,
    const std::map<std::string, std::string, std::less<>> &dtypes,
    llvm::StringRef arch);

} // namespace lathe

#endif // LATHE_VERIFY_DEVICEREFERENCE_H
