//===- BundleTest.cpp - Bundles survive a round trip ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntheticTables.h"

#include "lathe/Package/Package.h"
#include "lathe/Runtime/lathe_runtime.h"

#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace lathe;
using namespace lathe::test;
using llvm::StringRef;

static std::string text(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(Bundle, RoundTrip) {
  Rng rng(1);
  DispatchTable table = makeTable(rng, "norm", {"sm_90a", "gfx942"}, 12);
  table.options = {{"activation", "silu"}};
  table.dims.push_back(
      {"Z", -5, 5,
       llvm::cantFail(Expr::parse("select(T == 0, 0, T mod 3 - 1)"))});
  Bundle bundle = makeBundle({table});
  bundle.images.push_back({BundleImage::Ptx, "norm", "sm_90a", ".version 8.6"});
  bundle.images.push_back({BundleImage::Object, "norm", "gfx942", "OBJ"});
  auto bytes = serializeBundle(bundle);
  ASSERT_TRUE(bool(bytes)) << text(bytes.takeError());
  auto back = parseBundle(*bytes);
  ASSERT_TRUE(bool(back)) << text(back.takeError());

  ASSERT_EQ(back->tables.size(), 1u);
  const DispatchTable &read = back->tables[0];
  EXPECT_EQ(read.entry, "norm");
  EXPECT_EQ(read.op, "rms_norm");
  EXPECT_EQ(read.options, table.options);
  EXPECT_EQ(read.dtypes, table.dtypes);
  ASSERT_EQ(read.dims.size(), 4u);
  EXPECT_EQ(read.dims[3].defaultValue, table.dims[3].defaultValue);
  EXPECT_EQ(read.scalars[0].defaultValue, 1e-6);
  ASSERT_EQ(read.cases.size(), table.cases.size());
  for (size_t i = 0; i < read.cases.size(); ++i) {
    const DispatchCase &a = table.cases[i], &b = read.cases[i];
    EXPECT_EQ(a.kernel, b.kernel);
    EXPECT_EQ(a.arch, b.arch);
    EXPECT_EQ(a.guards.size(), b.guards.size());
    EXPECT_EQ(a.gridX, b.gridX);
    EXPECT_EQ(a.runtimeDims, b.runtimeDims);
    EXPECT_EQ(a.usage.registers, b.usage.registers);
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.modelUs, b.modelUs);
  }
  ASSERT_EQ(back->images.size(), 4u);
  EXPECT_EQ(back->images[0].kind, BundleImage::CodeObject);
  EXPECT_EQ(back->images[2].kind, BundleImage::Cubin);
  EXPECT_EQ(back->images[3].bytes, ".version 8.6");
  // Writing what was read gives the same file.
  auto again = serializeBundle(*back);
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(*again, *bytes);
}

TEST(Bundle, BytesDoNotDependOnOrderOfImages) {
  Rng rng(2);
  Bundle a = makeBundle({makeTable(rng, "norm", {"sm_80", "sm_90a"}, 4)});
  Bundle b = a;
  std::reverse(b.images.begin(), b.images.end());
  EXPECT_EQ(llvm::cantFail(serializeBundle(a)),
            llvm::cantFail(serializeBundle(b)));
}

TEST(Bundle, IsAnOffloadBinary) {
  Rng rng(3);
  auto bytes = llvm::cantFail(
      serializeBundle(makeBundle({makeTable(rng, "norm", {"sm_90a"}, 4)})));
  llvm::SmallVector<llvm::object::OffloadFile> members;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes);
  ASSERT_FALSE(
      llvm::object::extractOffloadBinaries(buffer->getMemBufferRef(), members));
  ASSERT_EQ(members.size(), 4u); // directory, manifest, table, cubin
  EXPECT_EQ(members[3].getBinary()->getTriple(), "nvptx64-nvidia-cuda");
  EXPECT_EQ(members[3].getBinary()->getArch(), "sm_90a");
}

TEST(Bundle, ManifestStatesHashesAndVerdict) {
  Rng rng(4);
  Bundle bundle = makeBundle({makeTable(rng, "norm", {"sm_90a"}, 2)});
  auto back = parseBundle(llvm::cantFail(serializeBundle(bundle)));
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->manifest.getString("verdict"), "unproven");
  EXPECT_EQ(back->manifest.getObject("versions")->getString("lathe"), "0.1.0");
  const auto *image = (*back->manifest.getArray("images"))[0].getAsObject();
  EXPECT_EQ(image->getString("sha256"), sha256Hex(bundle.images[0].bytes));
  const auto *kernel = (*back->manifest.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel->getString("image_sha256"), image->getString("sha256"));
}

TEST(Bundle, CarriesModulesAndEvidence) {
  Rng rng(7);
  Bundle bundle = makeBundle({makeTable(rng, "norm", {"sm_90a"}, 2)});
  for (DispatchCase &row : bundle.tables[0].cases)
    row.verdict = "PASSED";
  const DispatchCase &row = bundle.tables[0].cases[0];
  bundle.images.push_back(
      {BundleImage::Module, "norm", "sm_90a", "BC one", row.symbol});
  bundle.images.push_back(
      {BundleImage::Module, "norm", "sm_90a", "BC two", "other"});
  bundle.evidence["norm/" + row.kernel]["launches"] = 17;
  auto bytes = serializeBundle(bundle);
  ASSERT_TRUE(bool(bytes)) << text(bytes.takeError());
  auto back = parseBundle(*bytes);
  ASSERT_TRUE(bool(back)) << text(back.takeError());
  EXPECT_EQ(back->manifest.getString("verdict"), "proven");
  ASSERT_EQ(back->images.size(), 3u);
  unsigned modules = 0;
  for (const BundleImage &image : back->images)
    if (image.kind == BundleImage::Module) {
      ++modules;
      EXPECT_FALSE(image.isLoaded());
      EXPECT_EQ(image.bytes, image.symbol == "other" ? "BC two" : "BC one");
    }
  EXPECT_EQ(modules, 2u);
  EXPECT_EQ(back->evidence["norm/" + row.kernel].getInteger("launches"), 17);
  EXPECT_EQ(llvm::cantFail(serializeBundle(*back)), *bytes);
  // A module alone serves nobody.
  bundle.images.erase(bundle.images.begin());
  EXPECT_EQ(text(serializeBundle(bundle).takeError()),
            "'norm' has cases but no image for sm_90a");
}

TEST(Bundle, KeepsWhatWasMeasured) {
  DispatchTable table = makeSignature("norm");
  table.cases = {makeCase("sm_90a", CaseKind::Bucket, {{"T", 1, 64, 1}}),
                 makeCase("sm_90a", CaseKind::Generic, {})};
  table.cases[0].origin = "measured";
  table.cases[0].imageSha = "abc";
  table.cases[0].measured =
      MeasuredCase{"H=8,T=17", 2.5, 2.25, 2.75, "other", 1.5, 1.25, 1.75};
  auto read = parseBundle(llvm::cantFail(serializeBundle(makeBundle({table}))));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  const DispatchCase &row = read->tables[0].cases[0];
  EXPECT_EQ(row.origin, "measured");
  EXPECT_EQ(row.imageSha, "abc");
  ASSERT_TRUE(row.measured);
  EXPECT_EQ(row.measured->dims, "H=8,T=17");
  EXPECT_EQ(row.measured->highUs, 2.75);
  EXPECT_EQ(row.measured->runnerUp, "other");
  EXPECT_EQ(row.measured->ratioLow, 1.25);
  EXPECT_FALSE(read->tables[0].cases[1].measured);
}

TEST(Bundle, HolesAreNamed) {
  Rng rng(5);
  Bundle bundle = makeBundle({makeTable(rng, "norm", {"sm_90a"}, 2),
                              makeTable(rng, "gate", {"sm_90a", "sm_80"}, 2)});
  EXPECT_FALSE(requireArchs(bundle, {"sm_90a"}));
  EXPECT_EQ(text(requireArchs(bundle, {"sm_90a", "sm_80", "gfx942"})),
            "'norm' has no kernel for sm_80\n'norm' has no kernel for gfx942\n"
            "'gate' has no kernel for gfx942");
}

TEST(Bundle, RefusesToWriteWhatCannotRun) {
  Rng rng(6);
  Bundle good = makeBundle({makeTable(rng, "norm", {"sm_90a"}, 2)});
  Bundle bad = good;
  bad.images.clear();
  EXPECT_EQ(text(serializeBundle(bad).takeError()),
            "'norm' has cases but no image for sm_90a");
  bad = good;
  bad.images.push_back(bad.images[0]);
  EXPECT_EQ(text(serializeBundle(bad).takeError()),
            "two images of one kind serve 'norm' on sm_90a");
  bad = good;
  bad.images[0].arch = "sm_90";
  EXPECT_EQ(text(serializeBundle(bad).takeError()),
            "the cubin of 'norm' for sm_90 serves no case of a dispatch table");
  bad = good;
  bad.tables.push_back(bad.tables[0]);
  EXPECT_EQ(text(serializeBundle(bad).takeError()),
            "two dispatch tables serve 'norm'");
}

TEST(Bundle, ExpressionTooLargeForTheRuntime) {
  DispatchTable table = makeSignature("norm");
  table.cases.push_back(makeCase("sm_90a", CaseKind::Generic, {}));
  std::string deep = "T";
  for (int i = 0; i < 40; ++i)
    deep = "T - (" + deep + " * 3)";
  table.cases[0].gridX = llvm::cantFail(Expr::parse(deep));
  EXPECT_NE(text(encodeTable(table).takeError()).find("too large"),
            std::string::npos);
}

TEST(Bundle, NoFileIsLeftBehind) {
  llvm::SmallString<64> dir;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("lathe-package", dir));
  std::string path = (dir + "/model.bundle").str();
  Rng rng(7);
  Bundle bundle = makeBundle({makeTable(rng, "norm", {"sm_90a"}, 2)});
  ASSERT_FALSE(writeBundle(bundle, path));
  EXPECT_TRUE(bool(readBundle(path)));
  EXPECT_EQ(text(writeBundle(bundle, (dir + "/none/x").str()))
                .find((dir + "/none/x: cannot write").str()),
            0u);
  std::error_code error;
  int files = 0;
  for (llvm::sys::fs::directory_iterator it(dir, error), end; it != end;
       it.increment(error))
    ++files;
  EXPECT_EQ(files, 1);
  llvm::sys::fs::remove_directories(dir);
}

TEST(Names, Nearest) {
  EXPECT_EQ(nearestName("rmsnorm", {"layer_norm", "rms_norm"}), "rms_norm");
  EXPECT_EQ(nearestName("zzzzzzzz", {"layer_norm", "rms_norm"}), "");
}
