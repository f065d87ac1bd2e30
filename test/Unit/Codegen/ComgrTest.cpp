//===- ComgrTest.cpp - AMD's own library reads the same -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace lathe;
using namespace lathe::test;

namespace {

/// The few calls of AMD's code object manager that read metadata, loaded at
/// run time: an implementation that shares nothing with Lathe's.
class Comgr {
public:
  struct Handle {
    uint64_t value = 0;
  };

  bool load() {
    library = dlopen("libamd_comgr.so.2", RTLD_NOW | RTLD_LOCAL);
    return library && bind(createData, "create_data") &&
           bind(setData, "set_data") &&
           bind(getMetadata, "get_data_metadata") &&
           bind(lookup, "metadata_lookup") &&
           bind(index, "index_list_metadata") &&
           bind(getString, "get_metadata_string") &&
           bind(destroy, "destroy_metadata") && bind(release, "release_data");
  }

  /// A number of the first kernel in a code object, or -1.
  int64_t number(const std::string &image, const char *key) {
    constexpr int executable = 8; // AMD_COMGR_DATA_KIND_EXECUTABLE
    Handle data, root, kernels, kernel, value;
    char text[32] = {};
    size_t size = sizeof(text);
    const bool failed =
        createData(executable, &data) ||
        setData(data, image.size(), image.data()) || getMetadata(data, &root) ||
        lookup(root, "amdhsa.kernels", &kernels) ||
        index(kernels, 0, &kernel) || lookup(kernel, key, &value) ||
        getString(value, &size, text);
    for (Handle node : {value, kernel, kernels, root})
      if (node.value)
        destroy(node);
    if (data.value)
      release(data);
    return failed ? -1 : std::atoll(text);
  }

private:
  template <typename Function> bool bind(Function &function, const char *name) {
    function = reinterpret_cast<Function>(
        dlsym(library, ("amd_comgr_" + std::string(name)).c_str()));
    return function != nullptr;
  }

  void *library = nullptr;
  int (*createData)(int, Handle *) = nullptr;
  int (*setData)(Handle, size_t, const char *) = nullptr;
  int (*getMetadata)(Handle, Handle *) = nullptr;
  int (*lookup)(Handle, const char *, Handle *) = nullptr;
  int (*index)(Handle, size_t, Handle *) = nullptr;
  int (*getString)(Handle, size_t *, char *) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*release)(Handle) = nullptr;
};

TEST(Comgr, AgreesOnTheFigures) {
  Comgr comgr;
  if (!comgr.load())
    GTEST_SKIP() << "no libamd_comgr.so.2";
  for (const char *arch : {"gfx90a", "gfx942"}) {
    TargetSpec spec = target(arch);
    CodegenOptions options;
    options.toolkit = findToolkit();
    auto artifact =
        compileText(kernelText(spec, "turn", sharedBody(spec), sharedGlobal()),
                    spec, options);
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    const ResourceUsage &usage = artifact->usage;
    auto read = [&](const char *key) {
      return comgr.number(artifact->image, key);
    };
    EXPECT_EQ(read(".vgpr_count"), usage.registers) << arch;
    EXPECT_EQ(read(".sgpr_count"), usage.scalarRegisters) << arch;
    EXPECT_EQ(read(".agpr_count"), usage.accumulatorRegisters) << arch;
    EXPECT_EQ(read(".group_segment_fixed_size"), usage.sharedBytes) << arch;
    EXPECT_EQ(read(".private_segment_fixed_size"), usage.stackBytes) << arch;
    EXPECT_EQ(read(".vgpr_spill_count") * 4, usage.spillBytes) << arch;
    EXPECT_EQ(read(".max_flat_workgroup_size"), usage.maxThreads) << arch;
  }
}

} // namespace
