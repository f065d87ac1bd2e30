//===- TileSpecialize.cpp - Bind a template's parameters ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Specialize/Passes.h"

#include "Tile/Tile.h"
#include "lathe/Support/ScheduleSymbols.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

namespace lathe {
#define GEN_PASS_DEF_TILESPECIALIZE
#include "lathe/Specialize/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;
using lathe::problem::ExprAttr;

/// Reads `name:value` entries; reports the entry that is not one.
static LogicalResult parseInts(Operation *op, StringRef option,
                               ArrayRef<std::string> entries,
                               Bindings &result) {
  for (StringRef entry : entries) {
    auto [name, text] = entry.split(':');
    int64_t value;
    if (name.empty() || text.getAsInteger(10, value))
      return op->emitError() << "option '" << option << "' has '" << entry
                             << "', expected name:integer";
    if (!result.emplace(name.str(), value).second)
      return op->emitError()
             << "option '" << option << "' binds '" << name << "' twice";
  }
  return success();
}

static std::string describe(const Bindings &bindings, const Expr &expr) {
  llvm::SetVector<StringRef> symbols;
  expr.collectSymbols(symbols);
  std::string text;
  for (StringRef symbol : symbols) {
    auto it = bindings.find(symbol);
    if (it != bindings.end())
      text += (text.empty() ? "" : ", ") + symbol.str() + " = " +
              std::to_string(it->second.elements.front());
  }
  return text;
}

/// Adds what `condition` says of divisors: `d mod c == 0`, alone or with
/// others.
static void collectDivisors(const Expr &condition, Bindings &divisors) {
  if (condition.kind() == Expr::Kind::And)
    for (const Expr &part : condition.operands())
      collectDivisors(part, divisors);
  if (condition.kind() != Expr::Kind::Eq ||
      condition.operands()[1].asConstant() != 0)
    return;
  Expr remainder = condition.operands()[0];
  if (remainder.kind() != Expr::Kind::Mod ||
      remainder.operands()[0].kind() != Expr::Kind::Symbol)
    return;
  std::optional<int64_t> divisor = remainder.operands()[1].asConstant();
  if (!divisor || *divisor < 1)
    return;
  ExprValue &known =
      divisors.emplace(remainder.operands()[0].symbolName().str(), 1)
          .first->second;
  // Either is true of the dimension; a product of both may overflow.
  known = std::max(known.elements.front(), *divisor);
}

namespace {

struct TileSpecialize : lathe::impl::TileSpecializeBase<TileSpecialize> {
  using TileSpecializeBase::TileSpecializeBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    if (kernels.size() != 1) {
      getOperation().emitError() << "module has " << kernels.size()
                                 << " tile.kernel operations, expected 1";
      return signalPassFailure();
    }
    if (failed(specialize(kernels.front())))
      signalPassFailure();
  }

  LogicalResult specialize(KernelOp kernel) {
    Bindings point, known, divisors;
    if (kernel.isStatic())
      return kernel.emitError("kernel is already specialized");
    if (failed(inlineFunctions(kernel)))
      return failure();
    if (failed(parseInts(kernel, "constants", constants, known)) ||
        failed(parseInts(kernel, "schedule", schedule, point)) ||
        failed(parseInts(kernel, "multiples", multiples, divisors)) ||
        failed(checkSchedule(kernel, point)) ||
        failed(checkPromises(kernel, divisors)))
      return failure();
    known.insert(point.begin(), point.end());
    std::optional<int64_t> numThreads = blockThreads(
        [&](StringRef name, int64_t otherwise) {
          auto it = point.find(name);
          return it == point.end() ? otherwise : it->second.elements.front();
        },
        wave);
    if (!numThreads || *numThreads < 1)
      return kernel.emitError(
          "schedule has no threads, expected WARPS of at least 1");
    for (const std::string &feature : features)
      if (!isHardwareFeature(feature))
        return kernel.emitError() << "option 'features' has '" << feature
                                  << "', expected tma, wgmma, fp8 or flushes";
    bindHardwareSymbols(known, wave, sharedMemory, features);

    llvm::DenseMap<StringRef, Type> types;
    SmallVector<StringRef> open;
    if (failed(parseDTypes(kernel, types, known)) ||
        failed(collectOpenDims(kernel, known, open)) ||
        failed(checkConstraints(kernel, known, open, divisors)))
      return failure();

    substitute(kernel, known, types);
    if (failed(checkClosed(kernel, open)))
      return failure();
    finish(kernel, point, divisors, open, *numThreads);
    return success();
  }

  /// Puts the bodies of functions in the place of their calls, innermost last.
  LogicalResult inlineFunctions(KernelOp kernel) {
    constexpr int mostCalls = 1000;
    SymbolTable symbols(getOperation());
    SmallVector<func::CallOp> calls;
    auto collect = [&](Operation *root) {
      root->walk([&](func::CallOp call) { calls.push_back(call); });
    };
    collect(kernel);
    for (int count = 0; !calls.empty(); ++count) {
      func::CallOp call = calls.pop_back_val();
      auto function = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!function || !function.getBody().hasOneBlock())
        return call.emitError() << "calls '" << call.getCallee()
                                << "', expected a function of one block in "
                                   "the template";
      if (count == mostCalls)
        return call.emitError() << "is one of more than " << mostCalls
                                << " calls, expected no recursion";
      OpBuilder builder(call);
      IRMapping mapping;
      mapping.map(function.getArguments(), call.getOperands());
      for (Operation &op : function.front().without_terminator())
        collect(builder.clone(op, mapping));
      for (auto [result, value] :
           llvm::zip_equal(call.getResults(),
                           function.front().getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(value));
      call.erase();
    }
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      function.erase();
    return success();
  }

  /// Every parameter has one of its values in one of the spaces, and no other
  /// is bound.
  LogicalResult checkSchedule(KernelOp kernel, const Bindings &point) {
    SmallVector<DictionaryAttr> spaces;
    if (kernel.getSpace())
      for (auto space : kernel.getSpaceAttr().getAsRange<DictionaryAttr>())
        spaces.push_back(space);
    if (spaces.empty())
      spaces.push_back(DictionaryAttr::get(&getContext()));
    for (auto &[name, value] : point)
      if (!spaces.front().contains(name))
        return kernel.emitError() << "schedule binds '" << name
                                  << "', which the space does not have";
    for (NamedAttribute entry : spaces.front()) {
      StringRef name = entry.getName().getValue();
      auto it = point.find(name);
      if (it == point.end())
        return kernel.emitError()
               << "schedule parameter '" << name << "' is not bound";
      llvm::SetVector<int64_t> values;
      for (DictionaryAttr space : spaces)
        values.insert_range(valuesIn(space, name));
      if (!values.contains(it->second.elements.front())) {
        InFlightDiagnostic diag = kernel.emitError();
        diag << "schedule parameter '" << name << "' is "
             << it->second.elements.front() << ", expected one of [";
        llvm::interleaveComma(values, diag);
        return diag << "]";
      }
    }
    bool isInOne = llvm::any_of(spaces, [&](DictionaryAttr space) {
      return llvm::all_of(point, [&](auto &bound) {
        return llvm::is_contained(valuesIn(space, bound.first),
                                  bound.second.elements.front());
      });
    });
    if (!isInOne)
      return kernel.emitError("schedule binds parameters to values that are in "
                              "no space together");
    return success();
  }

  static ArrayRef<int64_t> valuesIn(DictionaryAttr space, StringRef name) {
    return space.getAs<DenseI64ArrayAttr>(name).asArrayRef();
  }

  LogicalResult checkPromises(KernelOp kernel, const Bindings &divisors) {
    for (auto &[name, value] : divisors)
      if (value.elements.front() < 1)
        return kernel.emitError()
               << "multiple of '" << name << "' is " << value.elements.front()
               << ", expected at least 1";
    if (!llvm::isPowerOf2_64(alignment))
      return kernel.emitError() << "alignment is " << alignment.getValue()
                                << ", expected a power of two";
    return success();
  }

  /// Each constraint holds, or only open dims are left in it: then a guard
  /// checks it before launch, and its divisors may be relied upon.
  LogicalResult checkConstraints(KernelOp kernel, const Bindings &known,
                                 ArrayRef<StringRef> open, Bindings &divisors) {
    for (const Expr &condition : kernel.getWhereExprs()) {
      Expr folded = condition.substitute(known);
      std::optional<int64_t> value = folded.asConstant();
      llvm::SetVector<StringRef> symbols;
      folded.collectSymbols(symbols);
      bool isGuard = llvm::all_of(symbols, [&](StringRef symbol) {
        return llvm::is_contained(open, symbol);
      });
      if (value ? *value != 0 : isGuard) {
        collectDivisors(folded, divisors);
        continue;
      }
      InFlightDiagnostic diag = kernel.emitError();
      diag << "constraint '" << condition.str() << "' ";
      if (value)
        return diag << "does not hold for " << describe(known, condition);
      return diag << "depends on what is not bound: '" << folded.str() << "'";
    }
    return success();
  }

  LogicalResult parseDTypes(KernelOp kernel,
                            llvm::DenseMap<StringRef, Type> &types,
                            Bindings &known) {
    for (StringRef entry : dtypes) {
      auto [name, text] = entry.split(':');
      Type type = text.empty() ? Type() : parseType(text, &getContext());
      if (name.empty() || !type || !type.isIntOrFloat())
        return kernel.emitError() << "option 'dtypes' has '" << entry
                                  << "', expected variable:type";
      known.emplace((name + "_bytes").str(), type.getIntOrFloatBitWidth() / 8);
      types[name] = type;
    }
    return success();
  }

  /// The operator's dims that stay open must be accepted at run time.
  LogicalResult collectOpenDims(KernelOp kernel, const Bindings &known,
                                SmallVectorImpl<StringRef> &open) {
    for (StringRef dim : dims) {
      if (known.count(dim))
        continue;
      bool accepted =
          kernel.getRuntime() &&
          llvm::any_of(kernel.getRuntimeAttr(), [&](Attribute attr) {
            return cast<StringAttr>(attr).getValue() == dim;
          });
      if (!accepted)
        return kernel.emitError()
               << "dimension '" << dim
               << "' is not bound, and the template does not accept it at run "
                  "time";
      open.push_back(dim);
    }
    return success();
  }

  void substitute(KernelOp kernel, const Bindings &known,
                  const llvm::DenseMap<StringRef, Type> &types) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ExprAttr attr) -> Attribute {
      return ExprAttr::get(&getContext(), attr.getExpr().substitute(known));
    });
    replacer.addReplacement([&](DTypeType type) -> Type {
      auto it = types.find(type.getName());
      return it == types.end() ? Type(type) : it->second;
    });
    // After the two above: a tile's shape follows its substituted extents.
    replacer.addReplacement([&](RankedTensorType type)
                                -> std::optional<std::pair<Type, WalkResult>> {
      SmallVector<Expr> extents;
      for (const Expr &extent : getTileExtents(type))
        extents.push_back(extent.substitute(known));
      Type element = replacer.replace(type.getElementType());
      if (isa_and_nonnull<ExtentsAttr>(type.getEncoding()))
        return std::make_pair(getTileType(&getContext(), extents, element),
                              WalkResult::skip());
      return std::make_pair(
          RankedTensorType::get(type.getShape(), element, type.getEncoding()),
          WalkResult::skip());
    });
    kernel.removeWhereAttr();
    kernel.removeSpaceAttr();
    kernel.removeRuntimeAttr();
    kernel.removeModelAttr();
    replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    OpBuilder builder(&getContext());
    kernel.walk([&](SizeOp size) {
      std::optional<int64_t> value = size.getExpr().getExpr().asConstant();
      if (!value)
        return;
      builder.setInsertionPoint(size);
      size.replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, size.getLoc(), *value)
              .getResult());
      size.erase();
    });
  }

  /// No parameter may be left: not in a type, an extent, or an expression.
  LogicalResult checkClosed(KernelOp kernel, ArrayRef<StringRef> open) {
    std::string unbound, variable, extent;
    AttrTypeWalker walker;
    walker.addWalk([&](ExprAttr attr) {
      llvm::SetVector<StringRef> symbols;
      Expr expr = attr.getExpr();
      expr.collectSymbols(symbols);
      for (StringRef symbol : symbols)
        if (!llvm::is_contained(open, symbol) && unbound.empty())
          unbound = symbol.str();
    });
    walker.addWalk([&](DTypeType type) { variable = type.getName().str(); });
    walker.addWalk([&](ExtentsAttr attr) {
      for (ExprAttr expr : attr.getExtents())
        if (!expr.getExpr().asConstant())
          extent = expr.getText().str();
    });
    WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            walker.walk(type);
      if (!unbound.empty())
        op->emitError() << "parameter '" << unbound << "' is not bound";
      else if (!variable.empty())
        op->emitError() << "dtype variable '" << variable << "' is not bound";
      else if (!extent.empty())
        op->emitError() << "tile extent '" << extent
                        << "' is not constant after binding";
      else
        return WalkResult::advance();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void finish(KernelOp kernel, const Bindings &point, const Bindings &divisors,
              ArrayRef<StringRef> open, int64_t numThreads) {
    Builder builder(&getContext());
    for (StringRef dim : open)
      kernel.getBody().addArgument(
          builder.getIndexType(),
          NameLoc::get(builder.getStringAttr(dim), kernel.getLoc()));
    kernel.setFunctionType(builder.getFunctionType(
        kernel.getBody().getArgumentTypes(), TypeRange()));
    auto dictionary = [&](const Bindings &bindings) {
      NamedAttrList list;
      for (auto &[name, value] : bindings)
        list.append(name, builder.getI64IntegerAttr(value.elements.front()));
      return list.getDictionary(&getContext());
    };
    kernel.setDimsAttr(builder.getStrArrayAttr(open));
    kernel.setMultiplesAttr(dictionary(divisors));
    kernel.setAlignment(alignment);
    kernel.setWave(wave);
    kernel.setThreads(numThreads);
    kernel.setScheduleAttr(dictionary(point));
    if (!kernelName.empty())
      kernel.setSymName(kernelName);
  }
};

} // namespace
