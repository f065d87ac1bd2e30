//===- LowerReference.cpp - A reference as LLVM IR ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerReference.h"

#include "PrepareReference.h"
#include "lathe/Conversion/ErrorLines.h"
#include "lathe/Conversion/Registry.h"
#include "lathe/Specialize/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lathe;

static void buildPipeline(PassManager &pm) {
  arith::ArithExpandOpsPassOptions expand;
  // x86 may convert to bf16 by an instruction that flushes denormals.
  expand.includeBf16 = true;
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(arith::createArithExpandOpsPass(expand));
  // The host's libm, not approximations such as log(1 + x).
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// The entry that takes every argument of @reference from its slot.
static void addEntry(llvm::Module &module) {
  llvm::Function *callee = module.getFunction("reference");
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), builder.getPtrTy(), false),
      llvm::Function::ExternalLinkage, referenceEntry, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", entry));
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : callee->args()) {
    llvm::Value *slot = builder.CreateConstGEP1_64(
        builder.getInt64Ty(), entry->getArg(0), argument.getArgNo());
    arguments.push_back(builder.CreateLoad(argument.getType(), slot));
  }
  builder.CreateCall(callee, arguments);
  builder.CreateRetVoid();
  callee->setLinkage(llvm::Function::InternalLinkage);
}

llvm::Expected<LoweredReference> lathe::lowerReference(
    const OperatorSpec &spec,
    const std::map<std::string, std::string, std::less<>> &dtypes) {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Of these operations are made even where a reference has none.
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      memref::MemRefDialect, scf::SCFDialect>();
  ErrorLines errors(context, "error: ");
  llvm::SmallString<256> path(spec.directory);
  llvm::sys::path::append(path, "reference.mlir");
  auto failed = [&] {
    return llvm::createStringError(errors.empty() ? "cannot lower '" +
                                                        path.str().str() + "'"
                                                  : errors.str());
  };

  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(path, ParserConfig(&context));
  if (!module)
    return failed();
  PassManager specialize(&context);
  TileSpecializeReferenceOptions options;
  for (auto &[variable, dtype] : dtypes)
    options.dtypes.push_back(variable + ":" + dtype);
  specialize.addPass(createTileSpecializeReference(options));
  PassManager lower(&context);
  buildPipeline(lower);

  LoweredReference result;
  if (mlir::failed(renamePrivateFunctions(*module)) ||
      mlir::failed(specialize.run(*module)) ||
      mlir::failed(
          checkReferenceSignature(*module, spec, dtypes, result.operands)) ||
      mlir::failed(narrowReferenceRows(*module, result.sampledRank)) ||
      mlir::failed(guardReferenceAccesses(*module, result.places)) ||
      mlir::failed(lower.run(*module)))
    return failed();
  result.context = std::make_unique<llvm::LLVMContext>();
  result.module = translateModuleToLLVMIR(*module, *result.context, spec.name);
  if (!result.module)
    return failed();
  addEntry(*result.module);
  return result;
}
