//===- BuildCandidate.cpp - From a template to a binary -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/BuildCandidate.h"

#include "CountInstructions.h"
#include "lathe/Conversion/ErrorLines.h"
#include "lathe/Conversion/Pipelines.h"
#include "lathe/Conversion/Registry.h"
#include "lathe/Specialize/Passes.h"
#include "lathe/Support/ParseTemplate.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;
using namespace lathe;

namespace {

/// Writes `DIR/NN-<stage>.<ext>`; does nothing without a folder.
class Dumper {
public:
  explicit Dumper(StringRef directory) : directory(directory) {}

  llvm::Error write(StringRef name, StringRef text) {
    if (directory.empty())
      return llvm::Error::success();
    if (std::error_code code = llvm::sys::fs::create_directories(directory))
      return llvm::createFileError(directory, code);
    SmallString<128> path(directory);
    std::string number = std::to_string(count++);
    llvm::sys::path::append(path, (number.size() < 2 ? "0" : "") + number +
                                      "-" + name);
    std::error_code code;
    llvm::raw_fd_ostream file(path, code);
    if (code)
      return llvm::createFileError(path, code);
    file << text;
    return llvm::Error::success();
  }
  llvm::Error write(StringRef name, Operation *op) {
    if (directory.empty())
      return llvm::Error::success();
    std::string text;
    llvm::raw_string_ostream(text) << *op << "\n";
    return write(name, text);
  }
  bool enabled() const { return !directory.empty(); }

private:
  std::string directory;
  unsigned count = 0;
};

TileSpecializeOptions getSpecializeOptions(const BuildRequest &request,
                                           const TargetSpec &target) {
  const Candidate &candidate = request.candidate;
  TileSpecializeOptions options;
  auto pairs = [](const auto &map) {
    SmallVector<std::string> entries;
    for (auto &[name, value] : map) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
        entries.push_back(name + ":" + value);
      else
        entries.push_back(name + ":" + std::to_string(value));
    }
    return entries;
  };
  options.constants = pairs(candidate.constants);
  options.schedule = pairs(candidate.schedule);
  options.dtypes = pairs(candidate.dtypes);
  options.multiples = pairs(candidate.multiples);
  options.dims =
      SmallVector<std::string>(request.dims.begin(), request.dims.end());
  options.alignment = candidate.alignment;
  options.wave = target.waveSize;
  options.sharedMemory = request.sharedMemory;
  options.features = SmallVector<std::string>(request.features.begin(),
                                              request.features.end());
  options.kernelName = request.symbol;
  return options;
}

} // namespace

llvm::Expected<Artifact> lathe::buildCandidate(const BuildRequest &request,
                                               const BuildOptions &options) {
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<TargetSpec> target = lookupTarget(request.candidate.arch);
  if (!target)
    return target.takeError();

  DialectRegistry registry;
  registerPipelineDialects(registry);
  registerCodegenTranslations(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ErrorLines errors(context);
  auto failed = [&](StringRef stage) {
    return llvm::createStringError(
        errors.empty() ? "failed at stage '" + stage + "'" : errors.str());
  };

  Dumper dumper(options.dumpDir);
  if (llvm::Error error =
          dumper.write("template.mlir", request.source.joined()))
    return std::move(error);
  OwningOpRef<ModuleOp> module = parseTemplate(context, request.source);
  if (!module)
    return failed("parse");

  struct Step {
    BuildStage stage;
    StringRef name;
    llvm::function_ref<void(OpPassManager &)> build;
  };
  auto specialize = [&](OpPassManager &pm) {
    pm.addPass(createTileSpecialize(getSpecializeOptions(request, *target)));
  };
  auto lower = [&](OpPassManager &pm) {
    buildGPUToTargetPipeline(pm, target->arch);
  };
  const Step steps[] = {
      {BuildStage::Specialized, "specialized.mlir", specialize},
      {BuildStage::Tile, "tile.mlir", buildTilePipeline},
      {BuildStage::GPU, "gpu.mlir", buildTileToGPUPipeline},
      {BuildStage::Target, "target.mlir", lower},
  };
  bool multiplies = false; ///< by matrix instructions
  for (const Step &step : steps) {
    PassManager pm(&context);
    step.build(pm);
    if (mlir::failed(pm.run(*module)))
      return failed(step.name);
    if (step.stage == BuildStage::Tile)
      module->walk([&](Operation *op) {
        multiplies |= op->getName().getStringRef() == "tile.dot";
      });
    if (llvm::Error error = dumper.write(step.name, module->getOperation()))
      return std::move(error);
    if (options.stopAfter == step.stage) {
      Artifact artifact;
      artifact.symbol = request.symbol;
      artifact.arch = target->arch;
      return artifact;
    }
  }

  auto gpuModules = module->getOps<gpu::GPUModuleOp>();
  if (gpuModules.empty())
    return failed("target.mlir");
  double mlirMs = std::chrono::duration<double, std::milli>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  CodegenOptions codegen = options.codegen;
  codegen.keepText |= dumper.enabled();
  llvm::Expected<Artifact> artifact =
      compileModule(*gpuModules.begin(), *target, codegen);
  if (!artifact) {
    std::string text = llvm::toString(artifact.takeError());
    return llvm::createStringError(errors.empty() ? text
                                                  : text + "\n" + errors.str());
  }
  if (multiplies)
    if (llvm::Error error = checkMatrixInstructions(*artifact))
      return std::move(error);
  artifact->times.mlirMs = mlirMs;
  if (dumper.enabled()) {
    llvm::LLVMContext llvmContext;
    llvm::Expected<std::unique_ptr<llvm::Module>> llvmModule =
        llvm::parseBitcodeFile(
            llvm::MemoryBufferRef(artifact->bitcode, request.symbol),
            llvmContext);
    if (!llvmModule)
      return llvmModule.takeError();
    std::string text;
    llvm::raw_string_ostream os(text);
    (*llvmModule)->print(os, nullptr);
    if (llvm::Error error = dumper.write("optimized.ll", text))
      return std::move(error);
    if (llvm::Error error = dumper.write(
            target->isAMD() ? "kernel.s" : "kernel.ptx", artifact->text))
      return std::move(error);
    if (!artifact->image.empty())
      if (llvm::Error error =
              dumper.write(target->isAMD() ? "kernel.hsaco" : "kernel.cubin",
                           artifact->image))
        return std::move(error);
  }
  return artifact;
}
