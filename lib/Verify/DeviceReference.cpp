//===- DeviceReference.cpp - The trusted meaning, on a GPU ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/DeviceReference.h"

#include "LowerReference.h"
#include "lathe/Codegen/ArtifactCache.h"
#include "lathe/Codegen/Compile.h"
#include "lathe/Ingest/Load.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Value;
namespace json = llvm::json;

using DTypes = std::map<std::string, std::string, std::less<>>;

/// Nobody can say where: a trap ends the launch, and the check says so.
static void trapOutOfBounds(llvm::Module &module) {
  llvm::Function *report = module.getFunction(outOfBoundsCallee);
  if (!report)
    return;
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(module.getContext(), "", report));
  builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
}

/// first + the number of the thread in the grid, and whether it has a row.
static Value *rowOfThread(llvm::IRBuilder<> &builder, llvm::Function &kernel,
                          llvm::BasicBlock *done) {
  auto read = [&](llvm::Intrinsic::ID id) {
    return builder.CreateZExt(builder.CreateIntrinsic(id, {}),
                              builder.getInt64Ty());
  };
  Value *thread = builder.CreateAdd(
      builder.CreateMul(read(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                        read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x)),
      read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
  auto *work =
      llvm::BasicBlock::Create(builder.getContext(), "work", &kernel, done);
  builder.CreateCondBr(builder.CreateICmpULT(thread, kernel.getArg(2)), work,
                       done);
  builder.SetInsertPoint(work);
  return builder.CreateAdd(kernel.getArg(1), thread);
}

/// The kernel in place of the host's entry: slots as there, but each thread
/// narrows the ranges of the outer loop to its row.
static void addKernel(llvm::Module &module, StringRef symbol, unsigned rank) {
  llvm::Function *callee = module.getFunction("reference");
  module.getFunction(referenceEntry)->eraseFromParent();
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type *word = builder.getInt64Ty();
  auto *kernel = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(),
                              {builder.getPtrTy(), word, word}, false),
      llvm::Function::ExternalLinkage, symbol, module);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  auto *start = llvm::BasicBlock::Create(context, "", kernel);
  auto *done = llvm::BasicBlock::Create(context, "done", kernel);
  builder.SetInsertPoint(start);
  Value *row = rowOfThread(builder, *kernel, done);
  auto slot = [&](unsigned number, llvm::Type *type) {
    return builder.CreateLoad(
        type, builder.CreateConstGEP1_64(word, kernel->getArg(0), number));
  };
  unsigned ranges = unsigned(callee->arg_size()) - 2 * rank;
  llvm::SmallVector<Value *> arguments;
  for (unsigned i = 0; i != ranges; ++i)
    arguments.push_back(slot(i, callee->getArg(i)->getType()));
  arguments.resize(callee->arg_size());
  for (unsigned dim = rank; dim-- != 0;) {
    Value *begin = slot(ranges + 2 * dim, word);
    Value *extent = builder.CreateSub(slot(ranges + 2 * dim + 1, word), begin);
    Value *index = row;
    if (dim != 0) {
      index = builder.CreateURem(row, extent);
      row = builder.CreateUDiv(row, extent);
    }
    index = builder.CreateAdd(begin, index);
    arguments[ranges + 2 * dim] = index;
    arguments[ranges + 2 * dim + 1] =
        builder.CreateAdd(index, builder.getInt64(1));
  }
  builder.CreateCall(callee, arguments);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

Expected<DeviceReference>
lathe::compileDeviceReference(const OperatorSpec &spec, const DTypes &dtypes,
                              const TargetSpec &target,
                              const Toolkit &toolkit) {
  if (!spec.hasReference)
    return llvm::createStringError("operator '" + spec.name +
                                   "' has no reference.mlir");
  auto lowered = lowerReference(spec, dtypes);
  if (!lowered)
    return lowered.takeError();
  llvm::Module &module = *lowered->module;
  trapOutOfBounds(module);
  addKernel(module, "lathe_reference_" + spec.name, lowered->sampledRank);
  DeviceReference reference;
  reference.rowRank = lowered->sampledRank;
  reference.usesHeap = module.getFunction("malloc") != nullptr;
  auto artifact = compilePlain(writeBitcode(module), target, toolkit);
  if (!artifact)
    return llvm::createStringError("reference.mlir of '" + spec.name +
                                   "': " + toString(artifact.takeError()));
  reference.artifact = std::move(*artifact);
  return reference;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

Message lathe::deviceReferenceMessage(const OperatorSpec &spec,
                                      const DTypes &dtypes, StringRef arch) {
  json::Object variables;
  for (const auto &[variable, dtype] : dtypes)
    variables[variable] = dtype;
  Message message;
  message.header = json::Object{{"job", "reference"},
                                {"directory", spec.directory},
                                {"dtypes", std::move(variables)},
                                {"arch", arch}};
  return message;
}

static Expected<DeviceReference> answer(const Message &message,
                                        const Toolkit &toolkit) {
  const json::Object &header = message.header;
  auto spec = loadOperator(header.getString("directory").value_or(""));
  if (!spec)
    return spec.takeError();
  auto target = lookupTarget(header.getString("arch").value_or(""));
  if (!target)
    return target.takeError();
  DTypes dtypes;
  if (const json::Object *variables = header.getObject("dtypes"))
    for (const auto &[variable, dtype] : *variables)
      dtypes[variable.str()] = dtype.getAsString().value_or("").str();
  return compileDeviceReference(*spec, dtypes, *target, toolkit);
}

Message lathe::answerDeviceReference(const Message &message,
                                     const Toolkit &toolkit) {
  Message response;
  auto reference = answer(message, toolkit);
  if (!reference) {
    response.header =
        json::Object{{"error", llvm::toString(reference.takeError())}};
    return response;
  }
  reference->artifact.times = {};
  response = artifactToMessage(reference->artifact);
  response.header["row_rank"] = int64_t(reference->rowRank);
  response.header["uses_heap"] = reference->usesHeap;
  return response;
}

Expected<DeviceReference> lathe::deviceReferenceFrom(const Message &message) {
  if (auto error = message.header.getString("error"))
    return llvm::createStringError(*error);
  auto artifact = artifactFromMessage(message);
  if (!artifact)
    return artifact.takeError();
  auto rank = message.header.getInteger("row_rank");
  auto heap = message.header.getBoolean("uses_heap");
  if (!rank || *rank < 0 || !heap)
    return llvm::createStringError("the answer holds no reference");
  DeviceReference reference;
  reference.artifact = std::move(*artifact);
  reference.rowRank = unsigned(*rank);
  reference.usesHeap = *heap;
  return reference;
}

std::string lathe::deviceReferenceKey(const OperatorSpec &spec,
                                      const DTypes &dtypes, StringRef arch) {
  std::string variables;
  for (const auto &[variable, dtype] : dtypes)
    variables += variable + "=" + dtype + ",";
  std::vector<std::string> files;
  for (const char *name : {"operator.yaml", "reference.mlir"}) {
    llvm::SmallString<256> path(spec.directory);
    llvm::sys::path::append(path, name);
    auto buffer = llvm::MemoryBuffer::getFile(path);
    files.push_back(buffer ? (*buffer)->getBuffer().str() : "");
  }
  return cacheKey({"reference", arch, variables, files[0], files[1]});
}
