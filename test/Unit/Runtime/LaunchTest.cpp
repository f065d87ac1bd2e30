//===- LaunchTest.cpp - Launches through stand-in drivers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "OpenedBundle.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace lathe;
using namespace lathe::test;

/// Loads a stand-in first: the runtime's dlopen then finds it by its soname.
static fake_state &fake(const char *stem) {
  std::string path = std::string(LATHE_FAKE_DIR "/libfake_") + stem + ".so";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    llvm::report_fatal_error(dlerror());
  auto *state = static_cast<fake_state *>(dlsym(library, "fake_state"));
  *state = {};
  state->major = 9;
  return *state;
}

static Bundle launchable() {
  DispatchTable table = makeSignature("norm");
  for (const char *arch : {"sm_90a", "gfx942"}) {
    table.cases.push_back(makeCase(arch, CaseKind::Bucket,
                                   {{"T", 1, 64, 1}, {"H", 64, 64, 1}}, 16));
    table.cases.back().runtimeDims = {"T", "XS"};
    table.cases.back().sharedBytes = 65536;
    table.cases.push_back(makeCase(arch, CaseKind::Generic, {}));
  }
  DispatchTable other = makeSignature("other");
  other.cases.push_back(makeCase("gfx90a", CaseKind::Generic, {}));
  return makeBundle({table, other});
}

TEST(Launch, PassesArgumentsInOrder) {
  fake_state &state = fake("cuda");
  Opened opened(launchable());
  const lathe_table *table = opened.table("norm");
  lathe_prepared *prepared;
  ASSERT_EQ(lathe_prepare(opened.bundle, LATHE_VENDOR_ANY, 0, &prepared),
            LATHE_OK)
      << lathe_last_error();
  EXPECT_EQ(state.loads, 1);
  EXPECT_EQ(state.resolved, 2);
  EXPECT_EQ(state.code_loads, 2);
  EXPECT_EQ(state.allowed_shared, 65536);
  EXPECT_EQ(state.retained, 1);

  // pointers, T, XS (by default H), eps
  state.num_args = 6;
  void *pointers[] = {reinterpret_cast<void *>(0x1000),
                      reinterpret_cast<void *>(0x2010),
                      reinterpret_cast<void *>(0x3020)};
  int64_t dims[] = {10, 64, LATHE_DIM_DEFAULT};
  double eps = 0.5;
  void *stream = &eps;
  ASSERT_EQ(
      lathe_launch(prepared, table, dims, 3, pointers, 3, &eps, 1, stream),
      LATHE_OK)
      << lathe_last_error();
  EXPECT_EQ(state.launches, 1);
  EXPECT_EQ(state.stream, stream);
  EXPECT_EQ(state.grid[0], 3u); // ceil(10 / 4)
  EXPECT_EQ(state.grid[1], 1u);
  EXPECT_EQ(state.threads, 128u);
  EXPECT_EQ(state.shared, 65536u);
  EXPECT_EQ(state.args[1], 0x2010u);
  EXPECT_EQ(state.args[3], 10u);
  EXPECT_EQ(state.args[4], 64u);
  float narrow = 0.5f;
  uint32_t bits;
  memcpy(&bits, &narrow, 4);
  EXPECT_EQ(state.args[5], bits);
  EXPECT_EQ(state.pushes, state.pops);

  // A pointer off by two bytes: the generic kernel, which takes H, too.
  pointers[1] = reinterpret_cast<void *>(0x2012);
  state.num_args = 7;
  ASSERT_EQ(
      lathe_launch(prepared, table, dims, 3, pointers, 3, nullptr, 1, stream),
      LATHE_INVALID_ARGUMENT);
  ASSERT_EQ(
      lathe_launch(prepared, table, dims, 3, pointers, 3, nullptr, 0, stream),
      LATHE_OK);
  EXPECT_EQ(state.shared, 0u);
  EXPECT_EQ(state.args[4], 64u);

  // Half an element off is a caller's mistake, not a fault on the device.
  pointers[1] = reinterpret_cast<void *>(0x2011);
  EXPECT_EQ(
      lathe_launch(prepared, table, dims, 3, pointers, 3, nullptr, 0, stream),
      LATHE_INVALID_ARGUMENT);
  EXPECT_STREQ(lathe_last_error(), "norm: the address of weight is not a "
                                   "multiple of its element's 2 bytes");
  pointers[1] = reinterpret_cast<void *>(0x2012);

  // Nothing to do is not a launch.
  dims[0] = 0;
  ASSERT_EQ(
      lathe_launch(prepared, table, dims, 3, pointers, 3, nullptr, 0, stream),
      LATHE_OK);
  EXPECT_EQ(state.launches, 2);

  uint32_t arch, ptx;
  ASSERT_EQ(lathe_prepared_arch(prepared, table, &arch, &ptx), LATHE_OK);
  EXPECT_STREQ(lathe_arch_name(table, arch), "sm_90a");
  const lathe_table *other = opened.table("other");
  EXPECT_EQ(
      lathe_launch(prepared, other, dims, 3, pointers, 3, nullptr, 0, stream),
      LATHE_NO_IMAGE);
  EXPECT_EQ(
      lathe_launch(prepared, table, dims, 3, pointers, 2, nullptr, 0, stream),
      LATHE_INVALID_ARGUMENT);
  EXPECT_EQ(lathe_prepared_table(prepared, 0, "norm"), table);
  EXPECT_EQ(lathe_prepared_table(prepared, 1, "norm"), nullptr);
  EXPECT_EQ(lathe_prepared_table(prepared, 2, "norm"), nullptr);
  EXPECT_EQ(
      lathe_launch(prepared, nullptr, dims, 3, pointers, 3, nullptr, 0, stream),
      LATHE_INVALID_ARGUMENT);
  EXPECT_STREQ(lathe_last_error(), "the prepared bundle has no 'norm' at 2");
  lathe_release(prepared);
  EXPECT_EQ(state.unloads, 1);
  EXPECT_EQ(state.retained, 0);
}

TEST(Launch, FailuresLeaveNothingBehind) {
  fake_state &state = fake("cuda");
  Opened opened(launchable());
  lathe_prepared *prepared;
  state.fail_load = 1;
  EXPECT_EQ(lathe_prepare(opened.bundle, LATHE_VENDOR_NVIDIA, 0, &prepared),
            LATHE_DRIVER_ERROR);
  EXPECT_STREQ(lathe_last_error(),
               "cuModuleLoadDataEx: bad image: FAKE_ERROR (200)");
  EXPECT_EQ(prepared, nullptr);
  EXPECT_EQ(state.retained, 0);
  EXPECT_EQ(state.pushes, state.pops);
  state.fail_load = 0;
  state.major = 7;
  EXPECT_EQ(lathe_prepare(opened.bundle, LATHE_VENDOR_NVIDIA, 0, &prepared),
            LATHE_NO_IMAGE);
  EXPECT_EQ(lathe_prepare(opened.bundle, LATHE_VENDOR_NVIDIA, 5, &prepared),
            LATHE_DRIVER_ERROR);
  EXPECT_EQ(state.retained, 0);
}

TEST(Launch, Amd) {
  fake_state &state = fake("amdhip64");
  Opened opened(launchable());
  lathe_prepared *prepared;
  ASSERT_EQ(lathe_prepare(opened.bundle, LATHE_VENDOR_AMD, 0, &prepared),
            LATHE_OK)
      << lathe_last_error();
  EXPECT_EQ(state.loads, 1);
  void *pointers[3] = {};
  int64_t dims[] = {10, 64, 64};
  state.num_args = 6;
  ASSERT_EQ(lathe_launch(prepared, opened.table("norm"), dims, 3, pointers, 3,
                         nullptr, 0, nullptr),
            LATHE_OK);
  EXPECT_EQ(state.grid[0], 3u);
  EXPECT_EQ(state.args[4], 64u);
  lathe_release(prepared);
  EXPECT_EQ(state.unloads, 1);
}
