//===- Candidates.h - What is carried to a GPU machine ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate file is a bundle's container (LLVM offload binaries, a directory
// with their hashes) whose "candidates" member is this plan as JSON: every
// expression is evaluated, so that whoever runs it needs no compiler. Nothing
// in it is trusted: a reader checks every index, extent and name.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_CANDIDATES_H
#define LATHE_MEASURE_CANDIDATES_H

#include "lathe/Support/SizeValue.h"
#include "lathe/Support/TensorMapRules.h"
#include "lathe/Verify/CompareValue.h"
#include "lathe/Verify/DrawValue.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::measure {

/// How elements of a concrete dtype lie in memory; nothing for one that cannot
/// be drawn.
std::optional<ElementFormat> elementFormat(std::string_view dtype);

/// An operand of an entry. `dtype` is concrete.
struct OperandPlan {
  std::string name, dtype;
  bool isOutput = false;
  /// Of an output: the input that it may share memory with, or -1.
  int mayAlias = -1;
  ElementTolerance tolerance; ///< of an output
};

/// Elements; the last stride is 1 unless the operand is a scalar.
struct View {
  std::vector<int64_t> shape, strides;
};

/// One way to draw all inputs of a problem; the seed comes later, from whoever
/// runs the check.
struct DrawPlan {
  std::string name; ///< "realistic", "edge", a case's name
  DrawMode mode = DrawMode::Realistic;
  /// Per operand, outputs too (theirs say nothing). Of the plan's JSON: kind,
  /// partner, finite, huge, cancels, keeps_sign, scale, offset, low, high,
  /// large, bound. The reader sets element and shape from dtype and view, and
  /// asks checkDrawSource and linkDrawSource (CheckDraw.h) of every input.
  std::vector<DrawSource> sources;
  /// Per operand: the elements of a List, else empty. DrawSource::values is
  /// null until somebody places them where the drawing is done.
  std::vector<std::vector<int64_t>> lists;
  std::vector<double> scalars; ///< per scalar

  /// The same draw, floats and scalars without their signs.
  DrawPlan magnitudes() const;
};

/// An entry at one size.
struct Problem {
  uint32_t entry = 0;
  std::string why; ///< "hot", "between", "ragged", "upper end of T", ...
  /// By name, strides and lists too, but not what follows from lists. What
  /// records and ranking know the problem by.
  std::map<std::string, SizeValue> dims;
  /// The values of lists among them, by name.
  std::map<std::string, std::vector<int64_t>> lists;
  std::vector<View> views;                              ///< per operand
  std::vector<int64_t> referenceDims, referenceOptions; ///< in their order
  /// Extents of the reference's outer loop; there are as many rows as their
  /// product says, one without any.
  std::vector<int64_t> referenceRows;
  std::vector<DrawPlan> draws; ///< of a timed problem the first is realistic
  bool timed = false;
  std::string phase;            ///< of a hot shape
  double weight = 0, count = 0; ///< of a hot shape, else 0
  /// What the roofline counts. References with more FLOPs than a GPU computes
  /// in moments are sampled; 0 FLOPs are not counted, and all is compared.
  double flops = 0, bytes = 0;
  double rooflineUs = 0; ///< at the target's published peaks
};

struct EntryPlan {
  std::string name, op;
  std::vector<std::pair<std::string, std::string>> dtypes, options;
  std::vector<OperandPlan> operands; ///< inputs, then outputs
  std::vector<std::string> scalars;  ///< names
  double importance = 0;
  uint32_t reference = 0; ///< of Candidates::references
};

/// A GPU kernel `void (const uint64_t *slots, uint64_t first, uint64_t count)`
/// that computes rows [first, first + count) of the reference's outer loop, one
/// per thread; rows are numbered row-major, blocks have one dimension, and
/// threads beyond `count` do nothing. Slots: per operand pointer, pointer,
/// offset, shape, strides (as an MLIR memref descriptor); dims; scalars (their
/// bits, zero-extended); options; then per dimension of the outer loop begin
/// and end, of all rows (0, Problem::referenceRows) or of a rectangle of them,
/// in which rows are numbered then and which the kernel narrows to its row.
/// Only a rectangle's part of outputs need be memory. Traps on an access
/// outside of an operand.
struct ReferencePlan {
  std::string op, symbol;
  uint32_t image = 0;   ///< of Candidates::images
  uint32_t rowRank = 0; ///< dimensions of the outer loop; 0: one row does all
  /// Calls the device's malloc: CU_LIMIT_MALLOC_HEAP_SIZE must suffice.
  bool usesHeap = false;
  std::vector<std::string> scalarDTypes;
  std::string missing; ///< why there is none, else empty
};

struct Argument {
  enum Kind { Operand, I32, I64, F32, F64, Scalar } kind = Operand;
  /// Operand, Scalar: their index; the others: the value's bits.
  uint64_t value = 0;
  std::string dtype = {}; ///< of a Scalar, as the kernel takes it
};

/// A view as the copy engine reads it, innermost dimension first; what
/// cuTensorMapEncodeTiled is asked for (Support/TensorMapRules.h).
struct MapPlan {
  uint32_t operand = 0;
  std::string dtype;
  std::vector<uint64_t> extents; ///< elements, at least 1
  std::vector<uint64_t> strides; ///< bytes, of all but the innermost
  std::vector<uint32_t> box;     ///< elements
  uint32_t swizzle = 0;          ///< bytes
};

/// The map with its numbers, and the driver's name of its element type. Throws
/// std::runtime_error with the rule that it breaks; memory is not its matter.
struct CheckedMap {
  TensorMapShape shape;
  int driverType = 0;
};
CheckedMap checkMap(const MapPlan &map);

/// A kernel at a problem.
struct LaunchPlan {
  uint32_t problem = 0;
  uint32_t grid[3] = {1, 1, 1}; ///< 0 blocks: nothing is launched
  std::vector<Argument> arguments;
  std::vector<MapPlan> maps; ///< arguments after them, 128 bytes each
  /// Bytes that operands' bases are aligned to, and not more, where it checks.
  uint32_t alignment = 256;
  double modelUs = 0;
};

struct KernelPlan {
  std::string name; ///< mintKernelName, or what a person called it
  std::string symbol;
  uint32_t entry = 0, image = 0;
  std::string templateName, schedule; ///< empty for an outside kernel
  std::string role;                   ///< exact | bucket | generic
  std::string origin;                 ///< template | external
  std::string form;                   ///< external: cuda | ptx | tile
  /// What proves it beside the device: "simulator", or "sanitizer" where no
  /// module can be simulated; "none" if somebody wanted it unproven.
  std::string proof = "simulator";
  std::string refused; ///< why it may not even be loaded (gates 1 and 2)
  uint32_t block[3] = {1, 1, 1};
  uint32_t sharedBytes = 0; ///< dynamic
  uint32_t registers = 0, spillBytes = 0, staticSharedBytes = 0;
  uint64_t codeBytes = 0;
  std::vector<LaunchPlan> launches; ///< timed ones, heaviest first, then checks
};

/// A cubin, or PTX (zero-terminated) where no assembler was found.
struct Image {
  std::string sha256; ///< of the bytes
  bool isPtx = false;
  std::string_view bytes; ///< into the file
};

struct TargetPlan {
  std::string name, arch;
  std::map<std::string, double> peakFlops; ///< per s, by dtype
  double bandwidth = 0;                    ///< bytes/s
  double launchFloorUs = 0; ///< published; the run measures its own
};

struct Candidates {
  std::string lathe, tools; ///< version; fingerprint of the tools
  TargetPlan target;
  std::vector<EntryPlan> entries;
  std::vector<ReferencePlan> references;
  std::vector<Problem> problems;
  std::vector<KernelPlan> kernels;
  std::vector<Image> images;
};

/// The plan as JSON; images are named by hash and kind only.
std::string writePlan(const Candidates &candidates);
/// Checks everything; throws std::runtime_error that names the field.
Candidates readPlan(std::string_view json);

/// An opened candidate file; owns the bytes that images point into.
class CandidateFile {
public:
  /// Checks the directory's hashes. Throws std::runtime_error.
  static CandidateFile open(const std::string &path);
  const Candidates &plan() const { return candidates; }
  /// SHA-256 of the whole file, lower-case hexadecimal.
  const std::string &hash() const { return digest; }
  /// The bytes of a member that the compiler wrote for itself ("problem",
  /// "artifacts", a kernel's "module" by its symbol), or empty.
  std::string_view member(std::string_view role,
                          std::string_view symbol = {}) const;

private:
  struct Member {
    std::string role, symbol;
    std::string_view bytes;
  };
  std::string digest;
  std::vector<uint64_t> storage; ///< 8-byte aligned
  std::vector<Member> members;
  Candidates candidates;
};

} // namespace lathe::measure

#endif // LATHE_MEASURE_CANDIDATES_H
