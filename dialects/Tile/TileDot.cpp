//===- TileDot.cpp - Matrix products and shared memory --------------------===//
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

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static constexpr int64_t kChunkBytes = 16, kMaxSharedBytes = 1 << 20;
static constexpr int64_t kMaxSlots = 64;
/// Rows that swizzles repeat after.
static constexpr int64_t kBandRows = 8;

LogicalResult SwizzleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t phases, int64_t rows) {
  if (phases < 1 || phases > 8 || !llvm::isPowerOf2_64(phases))
    return emitError() << "swizzle has " << phases
                       << " phases, expected 1, 2, 4 or 8";
  if (rows < 1 || rows > 8 || !llvm::isPowerOf2_64(rows))
    return emitError() << "swizzle changes every " << rows
                       << " rows, expected 1, 2, 4 or 8";
  return success();
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 SwizzleAttr swizzle, int64_t panel,
                                 int64_t band) {
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1)
    return emitError() << "shared matrix of rank " << shape.size()
                       << ", expected two positive extents";
  if (!elementType.isIntOrFloat() ||
      elementType.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "shared matrix of " << elementType
                       << ", expected elements of whole bytes";
  if (panel < 0 || (panel > 0 && shape[1] % panel != 0))
    return emitError() << "panels of " << panel << " columns, expected a part "
                       << "of the " << shape[1] << " columns";
  if (band != 0 && (band != kBandRows || shape[0] % kBandRows != 0))
    return emitError() << "bands of " << band << " of " << shape[0]
                       << " rows, expected whole ones of " << kBandRows;
  int64_t columns = panel > 0 ? panel : shape[1];
  int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
  int64_t bytes;
  if (llvm::MulOverflow(shape[1], elementBytes, bytes) ||
      llvm::MulOverflow(shape[0], bytes, bytes) || bytes > kMaxSharedBytes)
    return emitError() << "shared matrix of more than " << kMaxSharedBytes
                       << " bytes";
  if (columns * elementBytes % (kChunkBytes * swizzle.getPhases()) != 0)
    return emitError() << "rows have " << columns * elementBytes
                       << " bytes, expected whole groups of "
                       << swizzle.getPhases() << " chunks of 16 bytes";
  return success();
}

int64_t SharedType::getElementBytes() const {
  return getElementType().getIntOrFloatBitWidth() / 8;
}

std::optional<int64_t> SharedType::getSwizzleBytes() const {
  SwizzleAttr swizzle = getSwizzle();
  if (swizzle.getPhases() == 1)
    return 0;
  int64_t bytes = swizzle.getPhases() * kChunkBytes;
  if (swizzle.getPhases() * swizzle.getRows() != 8 || getRowBytes() != bytes)
    return std::nullopt;
  return bytes;
}

SharedType SharedType::choose(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape, Type elementType) {
  MLIRContext *context = elementType.getContext();
  int64_t panel = 0, rowBytes = 0;
  if (shape.size() == 2 && elementType.isIntOrFloat()) {
    int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
    rowBytes = shape[1] * elementBytes;
    for (int64_t bytes : {128, 64, 32})
      if (rowBytes % bytes == 0) {
        panel = rowBytes == bytes ? 0 : bytes / elementBytes;
        rowBytes = bytes;
        break;
      }
  }
  // Chunk positions modulo 8 repeat after 8 / phases rows.
  int64_t chunks = std::max<int64_t>(rowBytes / kChunkBytes, 1);
  int64_t phases = std::min<int64_t>(chunks & -chunks, 8);
  auto swizzle = SwizzleAttr::get(context, phases, 8 / phases);
  return getChecked(emitError, context, shape, elementType, swizzle, panel,
                    /*band=*/int64_t(0));
}

SharedType SharedType::inBands() const {
  if (getNumPanels() == 1 || getShape()[0] % kBandRows != 0)
    return *this;
  return get(getContext(), getShape(), getElementType(), getSwizzle(),
             getPanel(), kBandRows);
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t slots, SharedType buffer) {
  if (slots < 1 || slots > kMaxSlots)
    return emitError() << "ring of " << slots << " slots, expected 1 to "
                       << kMaxSlots;
  if (slots * buffer.getBytes() > kMaxSharedBytes)
    return emitError() << "ring of more than " << kMaxSharedBytes << " bytes";
  return success();
}

LogicalResult WriteSharedOp::verify() {
  RankedTensorType tile = getValue().getType();
  SharedType buffer = getBuffer().getType();
  if (tile.getShape() != buffer.getShape() ||
      tile.getElementType() != buffer.getElementType())
    return emitOpError() << "writes " << tile << " to " << buffer
                         << ", expected the same extents and elements";
  return success();
}

void WriteSharedOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

//===----------------------------------------------------------------------===//
// Dot
//===----------------------------------------------------------------------===//

void DotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<SharedType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
}

int64_t DotOp::getStaticDepth() {
  if (getDepth())
    return getDepth()->getExpr().asConstant().value_or(0);
  int64_t dim = getTransposeA() ? 0 : 1;
  if (auto shared = dyn_cast<SharedType>(getA().getType()))
    return shared.getShape()[dim];
  return cast<RankedTensorType>(getA().getType()).getShape()[dim];
}

/// Extents of a dot's operand, rows first after transposition.
static SmallVector<Expr> getOperandExtents(Type type, bool transposed) {
  SmallVector<Expr> extents;
  if (auto shared = dyn_cast<SharedType>(type))
    for (int64_t size : shared.getShape())
      extents.push_back(Expr::constant(size));
  else
    extents = getTileExtents(cast<RankedTensorType>(type));
  if (transposed && extents.size() == 2)
    std::swap(extents[0], extents[1]);
  return extents;
}

Type tile::getOperandElement(Type type) {
  if (auto shared = dyn_cast<SharedType>(type))
    return shared.getElementType();
  return cast<RankedTensorType>(type).getElementType();
}

bool tile::widensExactly(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

LogicalResult DotOp::verify() {
  SmallVector<Expr> a = getOperandExtents(getA().getType(), getTransposeA());
  SmallVector<Expr> b = getOperandExtents(getB().getType(), getTransposeB());
  SmallVector<Expr> c = getTileExtents(getAccumulator().getType());
  if (a.size() != 2 || b.size() != 2 || c.size() != 2)
    return emitOpError() << "multiplies tiles of rank " << a.size() << " and "
                         << b.size() << " into one of rank " << c.size()
                         << ", expected rank 2";
  auto check = [&](StringRef what, const Expr &found,
                   const Expr &expected) -> LogicalResult {
    if (found == expected)
      return success();
    return emitOpError() << "has " << what << " '" << found.str()
                         << "', expected '" << expected.str() << "'";
  };
  if (failed(check("rows of the accumulator", c[0], a[0])))
    return failure();
  if (getDepth() || getFirst()) {
    // How much is left out is known where all is bound.
    auto isLess = [](const Expr &found, const Expr &most) {
      auto left = found.asConstant(), right = most.asConstant();
      return !left || !right || (*left >= 0 && *left <= *right);
    };
    Expr depth = getDepth() ? getDepth()->getExpr() : a[1];
    if (!isLess(depth, a[1]) || !isLess(depth, b[0]) || !isLess(c[1], b[1]))
      return emitOpError() << "multiplies " << depth.str() << " of "
                           << a[1].str() << " and " << b[0].str()
                           << " elements of K to " << c[1].str() << " of "
                           << b[1].str() << " columns, expected no more";
  } else if (failed(check("rows of b", b[0], a[1])) ||
             failed(check("columns of the accumulator", c[1], b[1]))) {
    return failure();
  }
  Type element = getOperandElement(getA().getType());
  Type other = getOperandElement(getB().getType());
  // Instructions may mix 8-bit floats; a template may leave types open.
  auto isMixable = [](Type type) {
    auto floatType = dyn_cast<FloatType>(type);
    return isa<DTypeType>(type) || (floatType && floatType.getWidth() == 8);
  };
  if (element != other && !(isMixable(element) && isMixable(other)))
    return emitOpError() << "multiplies " << element << " by " << other
                         << ", expected one element type or 8-bit floats";
  Type sum = getAccumulator().getType().getElementType();
  bool ok = element.isInteger(8)
                ? sum.isInteger(32)
                : isa<FloatType, DTypeType>(element) && sum.isF32();
  if (!ok)
    return emitOpError() << "adds products of " << element << " up in " << sum
                         << ", expected f32 for floats and i32 for i8";
  bool inShared =
      isa<SharedType>(getA().getType()) && isa<SharedType>(getB().getType());
  if (getAsync() && (!isa<SharedType>(getB().getType()) ||
                     (getTransposeA() && !isa<SharedType>(getA().getType()))))
    return emitOpError("is async, expected b in shared memory, and a unless it "
                       "is in registers as the sums are");
  if (getAs() &&
      (!getAs()->isF16() || !widensExactly(element) || !widensExactly(other) ||
       !inShared || getTransposeA() || !getTransposeB() || getAsync()))
    return emitOpError() << "multiplies as " << *getAs()
                         << ", expected f16 for 8-bit floats in shared memory, "
                            "with K in rows, and no async";
  return success();
}
