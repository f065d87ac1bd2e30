//===- MakeBundle.cpp - Writes the bundle that the tests read -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lathe-test-bundle IN.mlir OUT.bundle [ARCH=FILE]...: packs the dispatch tables
// of a module. Every table and architecture gets FILE as its image (cubin, or
// code object), or a few bytes that nobody can run.
//
//===----------------------------------------------------------------------===//

#include "Dispatch/Convert.h"
#include "Dispatch/Dispatch.h"
#include "lathe/Package/Package.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace lathe;

static int fail(const llvm::Twine &what) {
  llvm::errs() << what << '\n';
  return 1;
}

int main(int argc, char **argv) {
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
