//===- ExportShared.cpp - A library with the bundle inside ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Package/Export.h"
#include "lathe/Runtime/lathe_runtime.h"

#include "Codegen/Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace lathe;
using llvm::StringRef;

namespace {

/// Builds the module: the bundle as a constant, NAME_open, and per op set entry
/// a function that stores its parameters into arrays and calls the runtime.
class LibraryBuilder {
public:
  LibraryBuilder(const Bundle &bundle, StringRef bytes, StringRef name,
                 llvm::Module &module)
      : bundle(bundle), bytes(bytes), name(name), module(module),
        builder(module.getContext()) {}
  void run();

private:
  llvm::Function *define(StringRef symbol,
                         llvm::ArrayRef<llvm::Type *> parameters) {
    auto *type = llvm::FunctionType::get(i32, parameters, false);
    auto *function = llvm::Function::Create(
        type, llvm::GlobalValue::ExternalLinkage, symbol, module);
    builder.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", function));
    return function;
  }
  void defineOpen();
  void defineEntry(const DispatchTable &table, uint32_t index);
  llvm::Type *scalarType(StringRef dtype);
  /// An array on the stack that holds the values.
  llvm::Value *spill(llvm::Type *type, llvm::ArrayRef<llvm::Value *> values);

  const Bundle &bundle;
  StringRef bytes, name;
  llvm::Module &module;
  llvm::IRBuilder<> builder;
  llvm::Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  llvm::Type *f64 = builder.getDoubleTy(), *ptr = builder.getPtrTy();
};

} // namespace

llvm::Type *LibraryBuilder::scalarType(StringRef dtype) {
  if (dtype == "f32")
    return builder.getFloatTy();
  if (dtype == "f64")
    return f64;
  return dtype == "i32" ? i32 : i64;
}

llvm::Value *LibraryBuilder::spill(llvm::Type *type,
                                   llvm::ArrayRef<llvm::Value *> values) {
  llvm::Value *array = builder.CreateAlloca(
      type, builder.getInt32(uint32_t(std::max<size_t>(values.size(), 1))));
  for (auto [i, value] : llvm::enumerate(values))
    builder.CreateStore(value, builder.CreateConstGEP1_32(type, array, i));
  return array;
}

void LibraryBuilder::defineOpen() {
  auto *data = llvm::ConstantDataArray::getString(module.getContext(), bytes,
                                                  /*AddNull=*/false);
  auto *global = new llvm::GlobalVariable(
      module, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, data, "lathe_bundle_bytes");
  global->setAlignment(llvm::Align(16));
  llvm::Function *open = define((name + "_open").str(), {ptr});
  auto callee = module.getOrInsertFunction(
      "lathe_open_memory",
      llvm::FunctionType::get(i32, {ptr, i64, i32, ptr}, false));
  builder.CreateRet(builder.CreateCall(
      callee, {global, builder.getInt64(bytes.size()),
               builder.getInt32(LATHE_OPEN_BORROW), open->getArg(0)}));
}

void LibraryBuilder::defineEntry(const DispatchTable &table, uint32_t index) {
  std::vector<llvm::Type *> parameters = {ptr};
  parameters.insert(parameters.end(), table.dims.size(), i64);
  parameters.insert(parameters.end(), table.operands.size(), ptr);
  for (const DispatchScalar &scalar : table.scalars)
    parameters.push_back(scalarType(scalar.dtype));
  parameters.push_back(ptr);
  llvm::Function *function =
      define(entrySignature(table, name).function, parameters);

  auto *argument = function->arg_begin();
  llvm::Value *prepared = argument++;
  std::vector<llvm::Value *> dims, pointers, scalars;
  for (size_t i = 0; i < table.dims.size(); ++i)
    dims.push_back(argument++);
  for (size_t i = 0; i < table.operands.size(); ++i)
    pointers.push_back(argument++);
  for (const DispatchScalar &scalar : table.scalars) {
    llvm::Value *value = argument++;
    if (scalar.dtype == "f32")
      value = builder.CreateFPExt(value, f64);
    else if (scalar.dtype != "f64")
      value = builder.CreateSIToFP(value, f64);
    scalars.push_back(value);
  }
  llvm::Value *stream = argument;

  auto find = module.getOrInsertFunction(
      "lathe_prepared_table",
      llvm::FunctionType::get(ptr, {ptr, i32, ptr}, false));
  auto launch = module.getOrInsertFunction(
      "lathe_launch",
      llvm::FunctionType::get(
          i32, {ptr, ptr, ptr, i32, ptr, i32, ptr, i32, ptr}, false));
  auto count = [&](size_t n) { return builder.getInt32(uint32_t(n)); };
  llvm::Value *found = builder.CreateCall(
      find, {prepared, count(index), builder.CreateGlobalString(table.entry)});
  builder.CreateRet(builder.CreateCall(
      launch, {prepared, found, spill(i64, dims), count(dims.size()),
               spill(ptr, pointers), count(pointers.size()),
               spill(f64, scalars), count(scalars.size()), stream}));
}

void LibraryBuilder::run() {
  defineOpen();
  for (auto [i, table] : llvm::enumerate(bundle.tables))
    defineEntry(table, uint32_t(i));
}

static llvm::Error checkNames(const Bundle &bundle, StringRef name) {
  llvm::StringSet<> functions;
  functions.insert((name + "_open").str());
  for (const DispatchTable &table : bundle.tables) {
    std::string function = entrySignature(table, name).function;
    if (!functions.insert(function).second)
      return llvm::createStringError("two functions would be named '" +
                                     function + "'");
  }
  return llvm::Error::success();
}

/// Compiles for the machine this runs on.
static llvm::Expected<std::string> emitObject(llvm::Module &module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string problem;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return llvm::createStringError(problem);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "generic", "", {}, llvm::Reloc::PIC_));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  if (llvm::verifyModule(module, &llvm::errs()))
    return llvm::createStringError("the exported library does not verify");
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("cannot emit objects for " + triple.str());
  passes.run(module);
  return object.str().str();
}

static llvm::Expected<std::string>
link(StringRef object, const SharedOptions &options, const Toolkit &toolkit) {
  if (toolkit.lld.empty())
    return llvm::createStringError("a shared library needs ld.lld, which was "
                                   "not found");
  auto scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  std::string input = scratch->file("library.o");
  std::string output = scratch->file("library.so");
  if (auto error = writeFile(input, object))
    return std::move(error);
  auto run =
      runTool(toolkit.lld,
              {"-shared", "--build-id=none", "-z", "defs", "-rpath", "$ORIGIN",
               "-soname", options.soname, "-o", output, input, options.runtime},
              *scratch);
  if (!run)
    return run.takeError();
  if (run->exitCode != 0)
    return llvm::createStringError("ld.lld failed: " +
                                   StringRef(run->output).trim());
  return readFile(output);
}

llvm::Expected<SharedLibrary> lathe::exportShared(const Bundle &bundle,
                                                  StringRef serialized,
                                                  const SharedOptions &options,
                                                  const Toolkit &toolkit) {
  if (auto error = checkNames(bundle, options.name))
    return std::move(error);
  llvm::LLVMContext context;
  llvm::Module module(options.name, context);
  LibraryBuilder(bundle, serialized, options.name, module).run();
  auto object = emitObject(module);
  if (!object)
    return object.takeError();
  auto library = link(*object, options, toolkit);
  if (!library)
    return library.takeError();
  return SharedLibrary{std::move(*library), sharedHeader(bundle, options.name)};
}
