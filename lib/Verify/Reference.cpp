//===- Reference.cpp - The trusted meaning, on the host -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Reference.h"

#include "LowerReference.h"
#include "lathe/Support/FloatFormat.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemAlloc.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cmath>

using namespace lathe;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// The first access outside of an operand, and how many there were.
struct OutOfBounds {
  uint32_t place = 0;
  uint64_t count = 0;
};
} // namespace

static thread_local OutOfBounds outOfBounds;

static void reportOutOfBounds(uint32_t place) {
  if (outOfBounds.count++ == 0)
    outOfBounds.place = place;
}

template <FloatFormat format> static uint32_t encode(double value) {
  return uint32_t(encodeFloat(format, value));
}

/// Gives the module's call that widens a format of 8 bits, if there is one, the
/// table as its body.
static void defineDecode(llvm::Module &module, StringRef dtype,
                         FloatFormat format) {
  llvm::Function *function =
      module.getFunction(("lathe_" + dtype + "_decode").str());
  if (!function)
    return;
  llvm::LLVMContext &context = module.getContext();
  llvm::Constant *values =
      llvm::ConstantDataArray::get(context, ArrayRef(decodeTable(format), 256));
  auto *table =
      new llvm::GlobalVariable(module, values->getType(), true,
                               llvm::GlobalValue::PrivateLinkage, values);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  llvm::Value *bits = builder.CreateAnd(function->getArg(0), 0xFF);
  llvm::Value *place =
      builder.CreateGEP(builder.getFloatTy(), table,
                        builder.CreateZExt(bits, builder.getInt64Ty()));
  builder.CreateRet(builder.CreateLoad(builder.getFloatTy(), place));
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
}

static Error fail(const Twine &message) {
  return llvm::createStringError(message);
}

struct Reference::Impl {
  std::string name;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*entry)(const uint64_t *slots) = nullptr;
  std::vector<ReferenceForm> forms;
  std::vector<OperandSpec> operands;
  std::vector<ScalarSpec> scalars;
  size_t dims = 0;
  std::vector<OptionSpec> options;
  std::vector<std::string> places;
  unsigned sampledRank = 0;

  Error addOperand(size_t position, const ReferenceOperand &operand,
                   std::vector<uint64_t> &slots) const;
  Error addScalar(const ScalarSpec &scalar, double value,
                  std::vector<uint64_t> &slots) const;
};

Reference::Reference(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Reference::~Reference() = default;
unsigned Reference::sampledRank() const { return impl->sampledRank; }

static Expected<std::unique_ptr<llvm::orc::LLJIT>>
compileForHost(LoweredReference lowered) {
  static const bool initialized = !llvm::InitializeNativeTarget() &&
                                  !llvm::InitializeNativeTargetAsmPrinter();
  if (!initialized)
    return fail("LLVM cannot generate code for the host");
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  auto jit =
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*machine).create();
  if (!jit)
    return jit.takeError();

  lowered.module->setDataLayout((*jit)->getDataLayout());
  lowered.module->setTargetTriple((*jit)->getTargetTriple());
  for (auto [dtype, format] :
       {std::pair("f8E4M3FN", FloatFormat::F8E4M3FN),
        std::pair("f8E5M2", FloatFormat::F8E5M2),
        std::pair("f8E4M3FNUZ", FloatFormat::F8E4M3FNUZ),
        std::pair("f8E5M2FNUZ", FloatFormat::F8E5M2FNUZ)})
    defineDecode(*lowered.module, dtype, format);
  auto target = machine->createTargetMachine();
  if (!target)
    return target.takeError();
  llvm::PassBuilder passes(target->get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(callGraph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, callGraph, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(*lowered.module, modules);

  llvm::orc::SymbolMap symbols;
  auto define = [&](llvm::StringRef name, auto *function) {
    symbols[(*jit)->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  define(outOfBoundsCallee, reportOutOfBounds);
  define("malloc", llvm::safe_malloc);
  define("lathe_f8E4M3FN_encode", encode<FloatFormat::F8E4M3FN>);
  define("lathe_f8E5M2_encode", encode<FloatFormat::F8E5M2>);
  define("lathe_f8E4M3FNUZ_encode", encode<FloatFormat::F8E4M3FNUZ>);
  define("lathe_f8E5M2FNUZ_encode", encode<FloatFormat::F8E5M2FNUZ>);
  llvm::orc::JITDylib &dylib = (*jit)->getMainJITDylib();
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  dylib.addGenerator(std::move(*process)); // libm
  if (Error error = dylib.define(absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (Error error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(
          std::move(lowered.module), std::move(lowered.context))))
    return std::move(error);
  return jit;
}

Expected<std::unique_ptr<Reference>> Reference::compile(
    const OperatorSpec &spec,
    const std::map<std::string, std::string, std::less<>> &dtypes) {
  if (!spec.hasReference)
    return fail("operator '" + spec.name + "' has no reference.mlir");
  Expected<LoweredReference> lowered = lowerReference(spec, dtypes);
  if (!lowered)
    return lowered.takeError();
  auto impl = std::make_unique<Impl>();
  impl->name = spec.name;
  impl->forms = std::move(lowered->operands);
  impl->operands = spec.operands;
  impl->scalars = spec.scalars;
  impl->options = spec.options;
  for (const DimSpec &dim : spec.dims)
    impl->dims += dim.isForReference();
  impl->places = std::move(lowered->places);
  impl->sampledRank = lowered->sampledRank;
  auto jit = compileForHost(std::move(*lowered));
  if (!jit)
    return jit.takeError();
  impl->jit = std::move(*jit);
  auto entry = impl->jit->lookup(referenceEntry);
  if (!entry)
    return entry.takeError();
  impl->entry = entry->toPtr<void (*)(const uint64_t *)>();
  return std::unique_ptr<Reference>(new Reference(std::move(impl)));
}

Error Reference::Impl::addOperand(size_t position,
                                  const ReferenceOperand &operand,
                                  std::vector<uint64_t> &slots) const {
  const ReferenceForm &form = forms[position];
  const std::string &name = operands[position].name;
  size_t rank = form.shape.size();
  if (operand.shape.size() != rank || operand.strides.size() != rank)
    return fail("operand '" + name + "' has " + Twine(operand.shape.size()) +
                " extents and " + Twine(operand.strides.size()) +
                " strides, expected " + Twine(rank));
  bool isEmpty = llvm::is_contained(operand.shape, 0);
  int64_t dense = 1;
  for (size_t dim = rank; dim-- != 0;) {
    int64_t extent = operand.shape[dim], stride = operand.strides[dim];
    if (extent < 0 || (form.shape[dim] != mlir::ShapedType::kDynamic &&
                       form.shape[dim] != extent))
      return fail("extent " + Twine(dim) + " of operand '" + name + "' is " +
                  Twine(extent) + ", which the reference does not take");
    int64_t expected = form.isDense ? dense : form.strides[dim];
    // Nobody steps along a dimension of one element, nor in an empty operand.
    if (!isEmpty && extent > 1 && stride != expected &&
        expected != mlir::ShapedType::kDynamic)
      return fail("stride " + Twine(dim) + " of operand '" + name + "' is " +
                  Twine(stride) + ", expected " + Twine(expected));
    if (llvm::MulOverflow(dense, std::max<int64_t>(extent, 1), dense))
      return fail("operand '" + name + "' has more than 2^63 elements");
  }
  if (!isEmpty && !operand.data)
    return fail("operand '" + name + "' has no memory");
  uint64_t address = reinterpret_cast<uintptr_t>(operand.data);
  slots.insert(slots.end(), {address, address, 0});
  slots.insert(slots.end(), operand.shape.begin(), operand.shape.end());
  slots.insert(slots.end(), operand.strides.begin(), operand.strides.end());
  return Error::success();
}

Error Reference::Impl::addScalar(const ScalarSpec &scalar, double value,
                                 std::vector<uint64_t> &slots) const {
  if (auto format = parseFloatFormat(scalar.dtype))
    slots.push_back(encodeFloat(*format, value));
  else if (std::abs(value) < 0x1p53 && value == std::trunc(value))
    slots.push_back(uint64_t(int64_t(value)));
  else
    return fail("scalar '" + scalar.name + "' is " +
                llvm::formatv("{0}", value) + ", expected an integer");
  return Error::success();
}

Error Reference::run(ArrayRef<ReferenceOperand> operands,
                     ArrayRef<int64_t> dims, ArrayRef<int64_t> options,
                     ArrayRef<double> scalars,
                     ArrayRef<IndexRange> ranges) const {
  auto expect = [&](const char *what, size_t found, size_t expected) -> Error {
    if (found == expected)
      return Error::success();
    return fail("reference of '" + impl->name + "' got " + Twine(found) + " " +
                what + ", expected " + Twine(expected));
  };
  if (Error error = expect("operands", operands.size(), impl->forms.size()))
    return error;
  if (Error error = expect("dimensions", dims.size(), impl->dims))
    return error;
  if (Error error = expect("options", options.size(), impl->options.size()))
    return error;
  if (Error error = expect("scalars", scalars.size(), impl->scalars.size()))
    return error;
  if (ranges.size() > impl->sampledRank)
    return fail("reference of '" + impl->name + "' got " +
                Twine(ranges.size()) + " ranges, expected at most " +
                Twine(impl->sampledRank));

  std::vector<uint64_t> slots;
  for (size_t i = 0; i != operands.size(); ++i)
    if (Error error = impl->addOperand(i, operands[i], slots))
      return error;
  slots.insert(slots.end(), dims.begin(), dims.end());
  for (size_t i = 0; i != scalars.size(); ++i)
    if (Error error = impl->addScalar(impl->scalars[i], scalars[i], slots))
      return error;
  for (size_t i = 0; i != options.size(); ++i) {
    if (options[i] < 0 || size_t(options[i]) >= impl->options[i].values.size())
      return fail("option '" + impl->options[i].name + "' has index " +
                  Twine(options[i]) + ", expected less than " +
                  Twine(impl->options[i].values.size()));
    slots.push_back(uint64_t(options[i]));
  }
  for (unsigned i = 0; i != impl->sampledRank; ++i) {
    IndexRange range = i < ranges.size() ? ranges[i] : IndexRange{0, INT64_MAX};
    if (range.begin < 0)
      return fail("range starts at " + Twine(range.begin) +
                  ", expected at least 0");
    slots.insert(slots.end(), {uint64_t(range.begin), uint64_t(range.end)});
  }

  outOfBounds = {};
  impl->entry(slots.data());
  if (outOfBounds.count != 0)
    return fail("reference of '" + impl->name +
                "' accesses memory outside of "
                "an operand at " +
                impl->places[outOfBounds.place] + " (" +
                Twine(outOfBounds.count) + " accesses in all)");
  return Error::success();
}
