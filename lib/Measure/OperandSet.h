//===- OperandSet.h - Operands of a problem on the device -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_OPERANDSET_H
#define LATHE_LIB_MEASURE_OPERANDSET_H

#include "SampleRows.h"
#include "lathe/Measure/Kernels.h"
#include "lathe/Measure/Verdict.h"

#include <optional>

namespace lathe::measure {

/// The device has less memory than a problem needs.
class TooLittleMemory : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Device memory that is released at the end of its life.
class DeviceMemory {
public:
  /// Throws TooLittleMemory.
  DeviceMemory(Device &device, uint64_t bytes);
  DeviceMemory(DeviceMemory &&other) noexcept;
  ~DeviceMemory();
  DevicePointer pointer() const { return at; }
  uint64_t bytes() const { return size; }

private:
  Device *device;
  DevicePointer at = 0;
  uint64_t size;
};

/// What is wrong with a launch, and which verdict that is.
struct Finding {
  DeviceVerdict verdict;
  std::string reason;
};

/// Bytes from the first element of a view to the end of its last. Throws if
/// they do not fit 2^46.
uint64_t viewBytes(const View &view, unsigned elementBytes);
uint64_t viewElements(const View &view);
/// Throws if the dtype has no format.
unsigned elementBytes(const OperandPlan &operand);

/// The input that an output of this problem can lie on, or -1: one of the same
/// form.
int inputInPlace(const EntryPlan &entry, const Problem &problem,
                 size_t operand);
/// Whether any output can.
bool hasInPlace(const EntryPlan &entry, const Problem &problem);

struct OperandMemory {
  /// Bases are odd multiples of `alignment`; otherwise multiples, at least of
  /// 256, as frameworks allocate.
  bool exactAlignment = true;
  uint32_t alignment = 256;
  /// Each operand between red zones in one allocation. Otherwise each has an
  /// allocation of its own size, for tools that watch their ends.
  bool redZones = true;
  /// Outputs lie on the inputs that they may alias, where both have one form.
  bool aliased = false;
};

/// All operands of a problem. Everything but the elements of drawn inputs is
/// poison, which outputs and red zones are known by.
class OperandSet {
public:
  OperandSet(Device &device, DeviceKernels &kernels, const EntryPlan &entry,
             const Problem &problem, const OperandMemory &memory);

  /// Poisons all, then draws the inputs. Only queues.
  void draw(const DrawPlan &plan, uint64_t seed, Stream stream);
  /// Remembers what the inputs hold. Waits.
  void rememberInputs(Stream stream);
  /// Draws the inputs again without their signs, until `restoreInputs`. Outputs
  /// do not lie on them. Only queue.
  void drawMagnitudes(Stream stream);
  void restoreInputs(Stream stream);
  /// New poison for outputs; of aliased ones, the input again. Only queues.
  void resetOutputs(Stream stream);

  /// Writes around operands, changed inputs, outputs that were left alone.
  std::optional<Finding> findDamage(Stream stream);
  /// An element, at least, still is what it was before the launch; where
  /// elements are so small that chance alone may be it, more than that.
  bool hasUnwritten(Stream stream);
  /// Of all outputs' elements.
  uint64_t outputHash(Stream stream);
  /// Outputs against `expected`, a pointer per output; of a sample, those of
  /// its rectangles one after the other. `magnitudes`: what the reference makes
  /// of drawMagnitudes, by output, or nothing.
  std::optional<Finding>
  compare(const std::vector<DevicePointer> &expected, const RowSample &sample,
          Stream stream, const std::vector<DevicePointer> &magnitudes = {});

  DevicePointer pointer(size_t operand) const;
  /// The draw that the inputs hold.
  const DrawPlan &drawn() const { return unsignedPlan ? *unsignedPlan : *plan; }
  uint64_t seed() const { return drawSeed; }
  const EntryPlan &entry() const { return *owner; }
  const Problem &problem() const { return *at; }

private:
  struct Operand {
    uint64_t offset = 0, bytes = 0; ///< of the poisoned range, in the arena
    uint64_t first = 0;             ///< byte of it at which the view starts
    uint64_t elements = 0;
    unsigned elementBytes = 1;
    uint64_t salt = 0, inputHash = 0;
    int onInput = -1;
  };
  DevicePointer range(const Operand &operand) const;
  void place(const OperandMemory &memory);
  void drawInputs(Stream stream);

  Device &device;
  DeviceKernels &kernels;
  const EntryPlan *owner;
  const Problem *at;
  bool redZones;
  std::vector<Operand> operands;
  std::vector<DeviceMemory> memory; ///< one, or one an operand
  const DrawPlan *plan = nullptr;
  std::optional<DrawPlan> unsignedPlan; ///< while the inputs are magnitudes
  uint64_t drawSeed = 0, salts = 0;
  bool inputsKnown = false;
};

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_OPERANDSET_H
