//===- LaunchKernel.h - Kernels of a candidate file -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_LAUNCHKERNEL_H
#define LATHE_LIB_MEASURE_LAUNCHKERNEL_H

#include "OperandSet.h"

#include <map>

namespace lathe::measure {

/// The bits of a scalar, zero-extended. Throws if the dtype does not hold it.
uint64_t scalarBits(const std::string &dtype, double value);

/// A kernel of the file, loaded.
class LoadedKernel {
public:
  LoadedKernel(Device &device, const Candidates &plan, uint32_t kernel);
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;
  ~LoadedKernel();

  const KernelPlan &kernel() const { return *own; }
  /// The index in the plan.
  uint32_t index() const { return number; }
  /// Null if it has none at the problem.
  const LaunchPlan *launchAt(uint32_t problem) const;
  /// Queues it; a grid of no blocks queues nothing.
  void launch(const LaunchPlan &launch, const OperandSet &operands,
              Stream stream);

private:
  Device &device;
  const KernelPlan *own;
  uint32_t number;
  void *module = nullptr, *function = nullptr;
};

/// The references of a file, each loaded when it is first needed.
class References {
public:
  References(Device &device, const Candidates &plan)
      : device(device), plan(plan) {}
  ~References();

  /// Memory for the outputs of a problem, or for what a sample has of them;
  /// wiped at the end of its life.
  struct Outputs {
    std::vector<DeviceMemory> memory;
    std::vector<DevicePointer> pointers; ///< one an output
    RowSample sample;
  };
  /// For a reference that takes about `seconds` at most.
  Outputs allocate(const Problem &problem, double seconds);
  /// Computes what the inputs of `operands` give, of a sample a new one, and
  /// waits. Errors of the driver are thrown as std::runtime_error: they are
  /// nobody's fault but the reference's.
  void compute(const OperandSet &operands, Outputs &outputs, Stream stream);
  /// The outputs of `found` against what `compute` made of `drawn`, which holds
  /// the same inputs apart from its outputs. Where what differs may be the
  /// rounding of terms that cancel, asks the reference what they add up to.
  std::optional<Finding> compare(OperandSet &drawn, OperandSet &found,
                                 const Outputs &expected, Stream stream);
  /// Overwrites the outputs, so that nobody finds them afterwards.
  void wipe(const Outputs &outputs, Stream stream);

private:
  struct Loaded {
    void *module = nullptr, *function = nullptr;
  };
  const Loaded &load(uint32_t reference);
  Outputs allocate(const Problem &problem, RowSample sample);
  std::vector<uint64_t> slotsOf(const OperandSet &operands,
                                const Outputs &outputs, size_t rectangle) const;
  Device &device;
  const Candidates &plan;
  std::map<uint32_t, Loaded> loaded;
  std::vector<Stream> lanes; ///< of a sample's launches
};

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_LAUNCHKERNEL_H
