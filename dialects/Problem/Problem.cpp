//===- Problem.cpp - The problem dialect ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/ProblemOps.h"

#include "lathe/Support/TensorMap.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe::problem;

#include "Problem/ProblemDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Problem/ProblemAttrs.cpp.inc"

void ProblemDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Problem/ProblemAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Problem/ProblemOps.cpp.inc"
      >();
}

ExprAttr ExprAttr::get(MLIRContext *context, const lathe::Expr &expr) {
  return Base::get(context, expr.str());
}

lathe::Expr ExprAttr::getExpr() const {
  return llvm::cantFail(lathe::Expr::parse(getText()));
}

LogicalResult ExprAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef text) {
  auto expr = lathe::Expr::parse(text);
  if (!expr)
    return emitError() << "expected an expression: "
                       << llvm::toString(expr.takeError());
  return success();
}

TensorMapAttr TensorMapAttr::get(MLIRContext *context,
                                 const lathe::TensorMap &map) {
  auto attrs = [&](llvm::ArrayRef<lathe::Expr> exprs) {
    return llvm::map_to_vector(exprs, [&](const lathe::Expr &expr) {
      return ExprAttr::get(context, expr);
    });
  };
  SmallVector<int64_t> box(map.box.begin(), map.box.end());
  return Base::get(context, int64_t(map.operand), map.dtype, attrs(map.extents),
                   attrs(map.strides), box, int64_t(map.swizzle));
}

static lathe::TensorMap mapOf(int64_t operand, StringRef dtype,
                              ArrayRef<ExprAttr> extents,
                              ArrayRef<ExprAttr> strides, ArrayRef<int64_t> box,
                              int64_t swizzle) {
  lathe::TensorMap map;
  map.operand = uint32_t(operand);
  map.dtype = dtype.str();
  for (ExprAttr extent : extents)
    map.extents.push_back(extent.getExpr());
  for (ExprAttr stride : strides)
    map.strides.push_back(stride.getExpr());
  map.box.assign(box.begin(), box.end());
  map.swizzle = uint32_t(swizzle);
  return map;
}

lathe::TensorMap TensorMapAttr::getMap() const {
  return mapOf(getOperand(), getDtype(), getExtents(), getStrides(), getBox(),
               getSwizzle());
}

LogicalResult
TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t operand, StringRef dtype,
                      ArrayRef<ExprAttr> extents, ArrayRef<ExprAttr> strides,
                      ArrayRef<int64_t> box, int64_t swizzle) {
  // What the value cannot even hold.
  auto isNarrow = [](int64_t number) { return llvm::isUInt<16>(number); };
  if (!isNarrow(operand) || !isNarrow(swizzle) || !llvm::all_of(box, isNarrow))
    return emitError() << "tensor map has a number out of range, expected 0 to "
                          "65535";
  llvm::Error error = lathe::checkTensorMap(
      mapOf(operand, dtype, extents, strides, box, swizzle));
  if (error)
    return emitError() << llvm::toString(std::move(error));
  return success();
}

/// A list of AttrT and nothing else.
template <typename AttrT>
static LogicalResult verifyListOf(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayAttr list, StringRef what) {
  for (Attribute element : list)
    if (!isa<AttrT>(element))
      return emitError() << what << " should not hold " << element;
  return success();
}

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringRef name, StringRef kind, int64_t min,
                              int64_t max, ExprAttr init) {
  if (name.empty())
    return emitError() << "dim has no name";
  if (kind != "static" && kind != "request" && kind != "stride" &&
      kind != "list" && kind != "figure")
    return emitError() << "kind is '" << kind
                       << "' when it should be static, request, stride, list "
                          "or figure";
  if (min < 0 || min > max)
    return emitError() << "dim '" << name << "' has no value in [" << min
                       << ", " << max << "]";
  if ((kind == "stride" || kind == "figure") && !init)
    return emitError() << kind << " dim '" << name << "' has no init";
  return success();
}

LogicalResult OptionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, ArrayAttr values,
                                 StringRef init) {
  if (failed(verifyListOf<StringAttr>(emitError, values, "values")))
    return failure();
  if (!llvm::is_contained(values.getAsValueRange<StringAttr>(), init))
    return emitError() << "init '" << init << "' is not a value of option '"
                       << name << "'";
  return success();
}

LogicalResult DTypeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, ArrayAttr choices) {
  if (choices.empty())
    return emitError() << "dtype '" << name << "' has no choice";
  return verifyListOf<StringAttr>(emitError, choices, "choices");
}

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef name, StringRef dtype,
                                  ArrayAttr shape, ArrayAttr strides,
                                  StringAttr alias) {
  if (failed(verifyListOf<ExprAttr>(emitError, shape, "shape")))
    return failure();
  if (!strides)
    return success();
  if (strides.size() != shape.size())
    return emitError() << "operand '" << name << "' has " << strides.size()
                       << " strides when it should have " << shape.size();
  return verifyListOf<ExprAttr>(emitError, strides, "strides");
}

LogicalResult RooflineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef target, FloatAttr timeUs,
                                   FloatAttr attainableUs, StringRef regime) {
  if (regime != "compute" && regime != "memory" && regime != "launch")
    return emitError() << "regime is '" << regime
                       << "' when it should be compute, memory or launch";
  return success();
}

LogicalResult GuardAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef dim, int64_t lo, int64_t hi,
                                int64_t multiple) {
  if (lo > hi)
    return emitError() << "guard on '" << dim << "' has no value in [" << lo
                       << ", " << hi << "]";
  if (multiple < 1)
    return emitError() << "guard on '" << dim << "' has multiple " << multiple
                       << " when it should be 1 or more";
  return success();
}
