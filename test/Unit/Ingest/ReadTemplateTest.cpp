//===- ReadTemplateTest.cpp - A template and what it calls ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/ReadTemplate.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace lathe;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

class ReadTemplate : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("read-template", root));
  }
  void TearDown() override { fs::remove_directories(root); }

  void write(llvm::StringRef name, llvm::StringRef text) {
    llvm::SmallString<256> file(root);
    path::append(file, name);
    ASSERT_FALSE(fs::create_directories(path::parent_path(file)));
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << text;
    ASSERT_FALSE(error);
  }
  std::vector<std::string> functionsOf(llvm::StringRef directory) {
    llvm::SmallString<256> folder(root);
    path::append(folder, directory);
    TemplateSource source = llvm::cantFail(readTemplate(folder, "kernel"));
    std::vector<std::string> files;
    for (const TemplateText &function : source.functions) {
      files.push_back(function.file);
      EXPECT_NE(source.joined().find(function.text), std::string::npos);
    }
    return files;
  }

  llvm::SmallString<128> root;
};

using Files = std::vector<std::string>;

} // namespace

TEST_F(ReadTemplate, FindsWhatIsCalledAndWhatThatCalls) {
  write("operators/op/kernel.mlir",
        "func.func private @own() {}\nfunc.call @own()\n"
        "func.call @outer(%x)\nfunc.call @outer(%y)\nfunc.call @missing()");
  write("functions/outer.mlir",
        "func.func private @outer() { func.call @inner() func.call @outer() }");
  write("functions/inner.mlir", "func.func private @inner() {}");
  write("functions/own.mlir", "never read");
  write("functions/unused.mlir", "never read");
  EXPECT_EQ(functionsOf("operators/op"),
            (Files{"functions/outer.mlir", "functions/inner.mlir"}));
}

TEST_F(ReadTemplate, NearerFunctionsComeFirst) {
  write("mine/op/kernel.mlir", "func.call @f()");
  write("functions/f.mlir", "far");
  EXPECT_EQ(functionsOf("mine/op"), Files{"functions/f.mlir"});
  write("mine/functions/f.mlir", "near");
  llvm::SmallString<256> folder(root);
  path::append(folder, "mine", "op");
  TemplateSource source = llvm::cantFail(readTemplate(folder, "kernel"));
  ASSERT_EQ(source.functions.size(), 1u);
  EXPECT_EQ(source.functions[0].text, "near");
}

TEST_F(ReadTemplate, SaysWhatCannotBeRead) {
  auto source = readTemplate(root, "nothing");
  ASSERT_FALSE(bool(source));
  EXPECT_NE(llvm::toString(source.takeError()).find("nothing.mlir"),
            std::string::npos);
}
