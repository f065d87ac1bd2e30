//===- TileLayouts.cpp - How tiles are dealt to threads -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static LogicalResult
verifyLayoutRank(ArrayRef<int64_t> shape, int64_t rank,
                 function_ref<InFlightDiagnostic()> emitError) {
  if (static_cast<int64_t>(shape.size()) != rank)
    return emitError() << "tile has rank " << shape.size() << ", expected "
                       << rank << " from its layout";
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return emitError() << "a tile with a layout must have constant extents";
  return success();
}

//===----------------------------------------------------------------------===//
// Blocked
//===----------------------------------------------------------------------===//

LogicalResult BlockedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> vector,
                                  ArrayRef<int64_t> threads) {
  if (vector.empty() || vector.size() != threads.size())
    return emitError() << "layout has " << vector.size() << " vector sizes and "
                       << threads.size()
                       << " thread counts, expected one of each per dimension";
  for (int64_t size : llvm::concat<const int64_t>(vector, threads))
    if (size < 1)
      return emitError() << "layout has size " << size
                         << ", expected at least 1";
  int64_t covered = 1;
  for (int64_t size : llvm::concat<const int64_t>(vector, threads))
    if (llvm::MulOverflow(covered, size, covered) ||
        covered > std::numeric_limits<int32_t>::max())
      return emitError()
             << "layout deals out more than 2147483647 elements a round";
  return success();
}

BlockedAttr BlockedAttr::byRows(MLIRContext *context, int64_t columns,
                                int64_t vector, int64_t numThreads) {
  int64_t across = std::min(columns / vector, numThreads);
  while (numThreads % across != 0)
    --across;
  return get(context, {1, vector}, {numThreads / across, across});
}

int64_t BlockedAttr::getRank() const { return getVector().size(); }

int64_t BlockedAttr::getNumThreads() const {
  int64_t count = 1;
  for (int64_t size : getThreads())
    count *= size;
  return count;
}

int64_t BlockedAttr::getVectorSize(int64_t dim) const {
  return getVector()[dim];
}

int64_t BlockedAttr::getRounds(int64_t dim, int64_t extent) const {
  return llvm::divideCeil(extent, getVector()[dim] * getThreads()[dim]);
}

int64_t BlockedAttr::getRoundOffset(int64_t dim, int64_t round) const {
  return round * getThreads()[dim] * getVector()[dim];
}

SmallVector<ThreadDigit, 2> BlockedAttr::getDigits(int64_t dim) const {
  return {{getThreadStride(dim), getThreads()[dim], getVector()[dim]}};
}

int64_t BlockedAttr::getThreadStride(int64_t dim) const {
  int64_t stride = 1;
  for (int64_t size : getThreads().drop_front(dim + 1))
    stride *= size;
  return stride;
}

LogicalResult BlockedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutRank(shape, getRank(), emitError);
}

//===----------------------------------------------------------------------===//
// Fragments of matrix instructions
//===----------------------------------------------------------------------===//

static constexpr int64_t kMaxWarps = 32;

namespace {
/// How a fragment lies in the registers of a wave; pairs are rows, columns.
struct FragmentShape {
  int64_t wave;
  int64_t size[2];
  int64_t vector[2];    ///< neighbours that a lane holds together
  int64_t rounds[2];    ///< such vectors of one lane
  int64_t roundStep[2]; ///< from one to the next
  ThreadDigit lanes[2];
};
} // namespace

static const FragmentShape &shapeOf(Fragment fragment) {
  static constexpr FragmentShape m16n8 = {
      32, {16, 8}, {1, 2}, {2, 1}, {8, 0}, {{4, 8, 1}, {1, 4, 2}}};
  static constexpr FragmentShape m16n16 = {
      64, {16, 16}, {1, 4}, {1, 1}, {0, 0}, {{1, 16, 1}, {16, 4, 4}}};
  static constexpr FragmentShape m32n32 = {
      64, {32, 32}, {1, 4}, {1, 4}, {0, 8}, {{1, 32, 1}, {32, 2, 4}}};
  switch (fragment) {
  case Fragment::M16N8:
    return m16n8;
  case Fragment::M16N16:
    return m16n16;
  case Fragment::M32N32:
    return m32n32;
  }
  llvm_unreachable("all fragments are handled");
}

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              Fragment, ArrayRef<int64_t> warps,
                              int64_t parts) {
  if (warps.size() != 2)
    return emitError() << "layout has " << warps.size()
                       << " warp counts, expected 2";
  for (int64_t count : warps)
    if (count < 1 || count > kMaxWarps)
      return emitError() << "layout has " << count
                         << " warps along a dimension, expected 1 to "
                         << kMaxWarps;
  if (parts < 1 || parts > kMaxWarps)
    return emitError() << "layout has " << parts << " parts, expected 1 to "
                       << kMaxWarps;
  return success();
}

int64_t MmaAttr::getRank() const { return 2; }

int64_t MmaAttr::getWave() const { return shapeOf(getFragment()).wave; }

int64_t MmaAttr::getFragmentSize(int64_t dim) const {
  return shapeOf(getFragment()).size[dim];
}

int64_t MmaAttr::getNumThreads() const {
  return getWave() * getWarps()[0] * getWarps()[1] * getParts();
}

ThreadDigit MmaAttr::getPartDigit() const {
  return {getWave() * getWarps()[0] * getWarps()[1], getParts(), 1};
}

MmaAttr tile::getFragments(Attribute layout) {
  while (auto transposed = dyn_cast_or_null<TransposedAttr>(layout))
    layout = transposed.getParent();
  return dyn_cast_or_null<MmaAttr>(layout);
}

int64_t tile::getParts(Attribute layout) {
  MmaAttr fragments = getFragments(layout);
  return fragments ? fragments.getParts() : 1;
}

int64_t MmaAttr::getVectorSize(int64_t dim) const {
  return shapeOf(getFragment()).vector[dim];
}

int64_t MmaAttr::getRounds(int64_t dim, int64_t extent) const {
  return llvm::divideCeil(extent, getTurnSize(dim)) *
         shapeOf(getFragment()).rounds[dim];
}

int64_t MmaAttr::getRoundOffset(int64_t dim, int64_t round) const {
  const FragmentShape &shape = shapeOf(getFragment());
  return round / shape.rounds[dim] * getTurnSize(dim) +
         round % shape.rounds[dim] * shape.roundStep[dim];
}

SmallVector<ThreadDigit, 2> MmaAttr::getDigits(int64_t dim) const {
  int64_t divisor = dim == 0 ? getWave() * getWarps()[1] : getWave();
  return {{divisor, getWarps()[dim], getFragmentSize(dim)},
          shapeOf(getFragment()).lanes[dim]};
}

LogicalResult
MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                        function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(verifyLayoutRank(shape, getRank(), emitError)))
    return failure();
  for (int64_t dim : {0, 1})
    if (shape[dim] % getTurnSize(dim) != 0)
      return emitError() << "extent " << shape[dim] << " is no multiple of the "
                         << getTurnSize(dim)
                         << (dim == 0 ? " rows" : " columns")
                         << " that all warps take in one turn";
  return success();
}

//===----------------------------------------------------------------------===//
// Operands of matrix instructions
//===----------------------------------------------------------------------===//

/// Lanes along the rows of an operand, and along K.
static constexpr int64_t kLaneRows = 8, kLaneRuns = 4;

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t dim, MmaAttr parent, int64_t vector) {
  if (dim < 0 || dim > 1)
    return emitError() << "operand of dimension " << dim
                       << ", expected 0 for a or 1 for b";
  if (parent.getFragment() != Fragment::M16N8)
    return emitError() << "operand of " << parent
                       << ", expected fragments of m16n8";
  if (vector < 1 || vector > 16)
    return emitError() << "operand in vectors of " << vector
                       << " elements, expected 1 to 16";
  return success();
}

int64_t OperandAttr::getRank() const { return 2; }

/// Elements along K that one round covers: a vector of each run, each part.
static int64_t getRoundSizeK(OperandAttr layout) {
  return kLaneRuns * layout.getVector() * layout.getParent().getParts();
}

int64_t OperandAttr::getNumThreads() const {
  return getParent().getNumThreads();
}

int64_t OperandAttr::getVectorSize(int64_t dim) const {
  return dim == 0 ? 1 : getVector();
}

int64_t OperandAttr::getRounds(int64_t dim, int64_t extent) const {
  if (dim == 1)
    return llvm::divideCeil(extent, getRoundSizeK(*this));
  return llvm::divideCeil(extent, getParent().getTurnSize(getDim())) *
         getParent().getFragmentSize(getDim()) / kLaneRows;
}

int64_t OperandAttr::getRoundOffset(int64_t dim, int64_t round) const {
  if (dim == 1)
    return round * getRoundSizeK(*this);
  int64_t perTurn = getParent().getFragmentSize(getDim()) / kLaneRows;
  return round / perTurn * getParent().getTurnSize(getDim()) +
         round % perTurn * kLaneRows;
}

SmallVector<ThreadDigit, 2> OperandAttr::getDigits(int64_t dim) const {
  if (dim == 0)
    return {getParent().getDigits(getDim()).front(), {kLaneRuns, kLaneRows, 1}};
  ThreadDigit part = getParent().getPartDigit();
  part.scale = kLaneRuns * getVector();
  return {part, {1, kLaneRuns, getVector()}};
}

LogicalResult OperandAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(verifyLayoutRank(shape, 2, emitError)))
    return failure();
  int64_t turn = getParent().getTurnSize(getDim());
  if (shape[0] % turn != 0)
    return emitError() << "extent " << shape[0] << " is no multiple of the "
                       << turn << " rows that all warps take in one turn";
  int64_t runs = getRoundSizeK(*this);
  if (shape[1] % runs != 0)
    return emitError() << "extent " << shape[1] << " of K is no multiple of "
                       << runs << ", a run for each part";
  return success();
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

LogicalResult
TransposedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       LayoutInterface parent) {
  if (parent.getRank() != 2)
    return emitError() << "transposes a layout of rank " << parent.getRank()
                       << ", expected 2";
  return success();
}

int64_t TransposedAttr::getRank() const { return 2; }

int64_t TransposedAttr::getNumThreads() const {
  return getParent().getNumThreads();
}

int64_t TransposedAttr::getVectorSize(int64_t dim) const {
  return getParent().getVectorSize(1 - dim);
}

int64_t TransposedAttr::getRounds(int64_t dim, int64_t extent) const {
  return getParent().getRounds(1 - dim, extent);
}

int64_t TransposedAttr::getRoundOffset(int64_t dim, int64_t round) const {
  return getParent().getRoundOffset(1 - dim, round);
}

SmallVector<ThreadDigit, 2> TransposedAttr::getDigits(int64_t dim) const {
  return getParent().getDigits(1 - dim);
}

LogicalResult TransposedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(verifyLayoutRank(shape, 2, emitError)))
    return failure();
  return cast<VerifiableTensorEncoding>(Attribute(getParent()))
      .verifyEncoding({shape[1], shape[0]}, elementType, emitError);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t dim, LayoutInterface parent) {
  if (dim < 0 || dim >= parent.getRank())
    return emitError() << "slice of dimension " << dim
                       << ", expected one below the parent's rank "
                       << parent.getRank();
  return success();
}

LogicalResult
SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                          function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutRank(shape, getParent().getRank() - 1, emitError);
}
