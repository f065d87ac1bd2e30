//===- ArchTest.cpp - Which image a device gets ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenedBundle.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace lathe;
using namespace lathe::test;

/// Images are "sm_90a" (cubin), "sm_80+ptx" (both) or "ptx:sm_80".
static Bundle withImages(const std::vector<std::string> &images) {
  DispatchTable table = makeSignature("norm");
  Bundle bundle;
  for (const std::string &text : images) {
    bool only = llvm::StringRef(text).starts_with("ptx:");
    std::string arch = only ? text.substr(4) : text.substr(0, text.find('+'));
    table.cases.push_back(makeCase(arch, CaseKind::Generic, {}));
    auto binary = arch[0] == 'g' ? BundleImage::CodeObject : BundleImage::Cubin;
    if (!only)
      bundle.images.push_back({binary, "norm", arch, "binary"});
    if (only || text.find('+') != std::string::npos)
      bundle.images.push_back({BundleImage::Ptx, "norm", arch, "ptx"});
  }
  bundle.tables.push_back(table);
  return bundle;
}

/// "sm_90a", "sm_80 ptx", or "none".
static std::string match(const Bundle &bundle, uint32_t major, uint32_t minor) {
  Opened opened(bundle);
  lathe_device device = {};
  device.struct_size = sizeof device;
  device.vendor = LATHE_VENDOR_NVIDIA;
  device.major = major;
  device.minor = minor;
  uint32_t arch, ptx;
  const lathe_table *table = opened.table("norm");
  if (lathe_match_arch(table, &device, &arch, &ptx))
    return "none";
  return std::string(lathe_arch_name(table, arch)) + (ptx ? " ptx" : "");
}

TEST(Arch, SuffixedImagesAreForTheirOwnDeviceOnly) {
  Bundle bundle = withImages({"sm_90a", "sm_100a+ptx"});
  EXPECT_EQ(match(bundle, 9, 0), "sm_90a");
  EXPECT_EQ(match(bundle, 10, 0), "sm_100a");
  EXPECT_EQ(match(bundle, 10, 3), "none");
  EXPECT_EQ(match(bundle, 12, 0), "none");
  EXPECT_EQ(match(bundle, 8, 0), "none");
  EXPECT_EQ(match(withImages({"ptx:sm_90a"}), 9, 0), "sm_90a ptx");
  EXPECT_EQ(match(withImages({"ptx:sm_90a"}), 10, 0), "none");
}

TEST(Arch, CubinsServeLaterMinorsOfTheirMajor) {
  Bundle bundle = withImages({"sm_80"});
  EXPECT_EQ(match(bundle, 8, 0), "sm_80");
  EXPECT_EQ(match(bundle, 8, 9), "sm_80");
  EXPECT_EQ(match(bundle, 9, 0), "none");
  EXPECT_EQ(match(bundle, 7, 5), "none");
  EXPECT_EQ(match(withImages({"sm_86"}), 8, 0), "none");
  EXPECT_EQ(match(withImages({"sm_80", "sm_86"}), 8, 9), "sm_86");
  EXPECT_EQ(match(withImages({"sm_100f"}), 10, 3), "sm_100f");
  EXPECT_EQ(match(withImages({"sm_100f"}), 12, 0), "none");
}

TEST(Arch, PtxServesWhatHasNoBinary) {
  Bundle bundle = withImages({"sm_80+ptx", "sm_90a"});
  EXPECT_EQ(match(bundle, 8, 6), "sm_80");
  EXPECT_EQ(match(bundle, 9, 0), "sm_90a");
  EXPECT_EQ(match(bundle, 10, 0), "sm_80 ptx");
  EXPECT_EQ(match(bundle, 7, 0), "none");
}

TEST(Arch, AmdNamesMatchExactly) {
  Opened opened(withImages({"gfx90a", "gfx942", "sm_80"}));
  const lathe_table *table = opened.table("norm");
  lathe_device device = {};
  device.struct_size = sizeof device;
  device.vendor = LATHE_VENDOR_AMD;
  uint32_t arch;
  strcpy(device.name, "gfx942:sramecc+:xnack-");
  ASSERT_EQ(lathe_match_arch(table, &device, &arch, nullptr), LATHE_OK);
  EXPECT_STREQ(lathe_arch_name(table, arch), "gfx942");
  strcpy(device.name, "gfx94");
  EXPECT_EQ(lathe_match_arch(table, &device, &arch, nullptr), LATHE_NO_IMAGE);
  memset(device.name, 'x', sizeof device.name);
  EXPECT_EQ(lathe_match_arch(table, &device, &arch, nullptr), LATHE_NO_IMAGE);
  EXPECT_EQ(lathe_find_arch(table, "gfx90a", &arch), LATHE_OK);
  EXPECT_EQ(lathe_find_arch(table, "gfx90", &arch), LATHE_NOT_FOUND);
}
