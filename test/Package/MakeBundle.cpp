//===- MakeBundle.cpp - Writes the bundle that the tests read -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lathe-test-bundle IN.mlir OUT.bundle [ARCH=FILE]...: packs the dispatch
// tables of a module. Every table and architecture gets FILE as its image
// (cubin, or code object), or a few bytes that nobody can run.
//
// lathe-test-bundle --swap-modules IN.bundle OUT.bundle: exchanges the first
// two modules of one entry and architecture; all hashes are right.
//
//===----------------------------------------------------------------------===//

#include "Dispatch/Convert.h"
#include "Dispatch/Dispatch.h"
#include "lathe/Package/Package.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace lathe;

static int fail(const llvm::Twine &what) {
  llvm::errs() << what << '\n';
  return 1;
}

/// The same kernel with a store to its stack that nobody reads.
static std::string edited(llvm::StringRef bitcode, llvm::StringRef symbol) {
  llvm::LLVMContext context;
  auto module = llvm::cantFail(
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, symbol), context));
  llvm::IRBuilder<> builder(
      &*module->getFunction(symbol)->getEntryBlock().begin());
  llvm::Value *slot = builder.CreateAlloca(builder.getInt32Ty());
  builder.CreateStore(builder.getInt32(7), slot, /*isVolatile=*/true);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  llvm::WriteBitcodeToFile(*module, os);
  return bytes;
}

static int editModules(llvm::StringRef from, llvm::StringRef to) {
  auto bundle = readBundle(from);
  if (!bundle)
    return fail(llvm::toString(bundle.takeError()));
  for (BundleImage &image : bundle->images)
    if (image.kind == BundleImage::Module)
      image.bytes = edited(image.bytes, image.symbol);
  if (llvm::Error error = writeBundle(*bundle, to))
    return fail(llvm::toString(std::move(error)));
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && argv[1] == llvm::StringRef("--edit-modules"))
    return editModules(argv[2], argv[3]);
  if (argc < 3)
    return fail("usage: lathe-test-bundle IN.mlir OUT.bundle [ARCH=FILE]...");
  mlir::MLIRContext context;
  context.loadDialect<dispatch::DispatchDialect>();
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  Bundle bundle;
  bundle.manifest["versions"] = llvm::json::Object{{"lathe", "test"}};
  bundle.tables = dispatch::readTables(*module);
  std::map<std::string, std::string> files;
  for (int i = 3; i < argc; ++i) {
    auto [arch, path] = llvm::StringRef(argv[i]).split('=');
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return fail(path + ": " + buffer.getError().message());
    files[arch.str()] = (*buffer)->getBuffer().str();
  }
  for (const DispatchTable &table : bundle.tables) {
    std::set<std::string> seen;
    for (const DispatchCase &row : table.cases) {
      if (!seen.insert(row.arch).second)
        continue;
      std::string bytes = "image of " + table.entry + " for " + row.arch;
      if (auto it = files.find(row.arch); it != files.end())
        bytes = it->second;
      auto kind = llvm::StringRef(row.arch).starts_with("gfx")
                      ? BundleImage::CodeObject
                      : BundleImage::Cubin;
      bundle.images.push_back({kind, table.entry, row.arch, bytes});
    }
  }
  if (llvm::Error error = writeBundle(bundle, argv[2]))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
