//===- Kernels.h - Drawing and comparing on the device ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands never leave the device: inputs are drawn, outputs compared, hashed
// and looked over where they lie. Results are those of lib/Verify, bit for bit,
// but for the order in which squares are summed over rows.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_KERNELS_H
#define LATHE_MEASURE_KERNELS_H

#include "lathe/Measure/Candidates.h"
#include "lathe/Measure/Device.h"

#include <optional>

namespace lathe::measure {

using Indices = std::vector<std::vector<int64_t>>;

struct DeviceComparison {
  ComparisonSums sums;
  std::optional<ElementDifference> first; ///< first mismatch, by index
  std::optional<ElementDifference> worst; ///< most steps, mismatch or not
  ToleranceFailure failure = ToleranceFailure::None;
  std::string reason; ///< one line, the simulator's words; empty if it passes
};

/// Everything that returns a value waits for the stream; the rest only queues,
/// on one stream at a time: scratch memory (of some 50 MiB, more for the groups
/// of huge operands) is shared.
/// Views may have any strides that do not overlap. Throws DriverError, and
/// std::runtime_error for what the kernels cannot take (rank above
/// maxElementRank, sources that checkDrawSources rejects).
class DeviceKernels {
public:
  explicit DeviceKernels(Device &device);
  ~DeviceKernels();
  DeviceKernels(const DeviceKernels &) = delete;
  DeviceKernels &operator=(const DeviceKernels &) = delete;

  /// Draws input `operand` of a plan into `out`. Bytes between rows keep what
  /// they hold.
  void draw(const DrawPlan &plan, size_t operand, uint64_t seed,
            const View &view, DevicePointer out, Stream stream);
  /// `expected` and `found` both lie as `view` says. Drift is looked at in
  /// realistic draws only, as on the simulator.
  /// With `begins`, leading indices of one larger view each: `view` is the form
  /// of what starts there in `found`, while `expected` holds one such part
  /// after the other, each as long as from a part's first element to its last.
  /// Norm, drift and flips are then those of all parts, and differences'
  /// indices count their elements; `reason` says the place in the whole.
  /// `magnitudes`, which lies as `expected` does, is what the reference makes
  /// of the inputs' magnitudes; 0 where nobody asked.
  DeviceComparison compare(const std::string &dtype, const View &view,
                           const ElementTolerance &tolerance, DrawMode mode,
                           DevicePointer expected, DevicePointer found,
                           Stream stream, const Indices &begins = {},
                           DevicePointer magnitudes = 0);
  /// Of the elements' bits and places; padding does not count.
  uint64_t hash(const std::string &dtype, const View &view, DevicePointer at,
                Stream stream);

  /// The poison of byte `offset` of a range depends on `salt` and on nothing
  /// else, so that no copied or constant data passes for it.
  void poison(DevicePointer at, uint64_t bytes, uint64_t salt, Stream stream);
  /// Bytes of the range that are no longer poison.
  uint64_t changedBytes(DevicePointer at, uint64_t bytes, uint64_t salt,
                        Stream stream);
  /// The same of the bytes of a poisoned range that no element of the view
  /// covers; the view starts at byte `first` of the range.
  uint64_t changedPadding(DevicePointer at, uint64_t bytes, uint64_t salt,
                          const std::string &dtype, const View &view,
                          uint64_t first, Stream stream);
  /// Elements of the view, at byte `first` of a poisoned range, whose bytes are
  /// all still poison. Of those that were written, one in 256^bytes is, too.
  uint64_t unwrittenElements(DevicePointer at, uint64_t salt,
                             const std::string &dtype, const View &view,
                             uint64_t first, Stream stream);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The PTX of all of them, zero-terminated.
std::string_view kernelsPtx();

} // namespace lathe::measure

#endif // LATHE_MEASURE_KERNELS_H
