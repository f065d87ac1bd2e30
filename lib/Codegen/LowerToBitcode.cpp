//===- LowerToBitcode.cpp - A dumped stage to what the backend gets -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/Compile.h"

#include "Tile/Tile.h"
#include "lathe/Conversion/ErrorLines.h"
#include "lathe/Conversion/Pipelines.h"
#include "lathe/Conversion/Registry.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

llvm::Expected<lathe::OptimizedModule>
lathe::lowerToBitcode(llvm::StringRef text, llvm::StringRef name,
                      const TargetSpec &target) {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  registerCodegenTranslations(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ErrorLines errors(context, "error: ");
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), name);
  if (!module)
    return llvm::createStringError(errors.str());

  PassManager pm(&context);
  if (!module->getOps<tile::KernelOp>().empty()) {
    buildTilePipeline(pm);
    buildTileToGPUPipeline(pm);
  }
  buildGPUToTargetPipeline(pm, target.arch);
  // Lines of the text, for reports about the module.
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  if (failed(pm.run(*module)))
    return llvm::createStringError(errors.str());
  if (module->getOps<gpu::GPUModuleOp>().empty())
    return llvm::createStringError(
        name + ": found no kernel, expected a tile.kernel or a gpu.module");
  llvm::Expected<OptimizedModule> out =
      optimizeToBitcode(module->getOperation(), target);
  if (!out)
    return llvm::createStringError(llvm::toString(out.takeError()) +
                                   (errors.empty() ? "" : "\n" + errors.str()));
  return out;
}
