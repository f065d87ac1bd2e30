//===- FakeGpu.cpp - Tests on the fake driver -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeGpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace lathe::measure;

static constexpr int64_t rows = 64, columns = 32;

static void *fakeDriver = nullptr;

/// A library that is loaded is found by its name from then on.
static void loadFakes() {
  for (const char *name :
       {"libnvidia-ml.so.1", "libcupti.so.13", "libcuda.so.1"}) {
    std::string path = std::string(LATHE_FAKE_DIR) + "/" + name;
    fakeDriver = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(fakeDriver) << dlerror();
  }
}

void lathe::measure::onFakeGpu(const std::string &options,
                               const std::function<void()> &body) {
  fflush(stdout);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("LATHE_FAKE_CUDA", options.c_str(), 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    loadFakes();
    try {
      body();
    } catch (const std::exception &error) {
      ADD_FAILURE() << error.what();
    }
    fflush(stdout);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "the child ended with status " << status;
}

void lathe::measure::fakeHostWork(double us) {
  auto work = reinterpret_cast<void (*)(double)>(
      dlsym(fakeDriver, "latheFakeHostWork"));
  ASSERT_TRUE(work);
  work(us);
}

ToySubject::ToySubject(Device &device, const std::string &line)
    : device(device) {
  std::string image = "fake-module\nkernel toy " + line + "\n";
  function = device.function(device.loadModule(image), "toy", 0);
  std::vector<float> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  for (Set &set : memory) {
    set.x = device.allocate(values.size() * 4);
    set.y = device.allocate(values.size() * 4);
    device.copyIn(set.x, values.data(), values.size() * 4);
  }
}

void ToySubject::launch(unsigned set, Stream stream) {
  int64_t shape[] = {rows, columns, columns, columns};
  void *arguments[] = {&memory[set].x, &memory[set].y, &shape[0],
                       &shape[1],      &shape[2],      &shape[3]};
  const uint32_t grid[3] = {rows, 1, 1}, block[3] = {columns, 1, 1};
  device.launch(function, grid, block, 0, stream, arguments);
}

void ToySubject::prepare(unsigned set, Stream stream) {
  device.fill(memory[set].y, 0xa5, rows * columns * 4, stream);
}

void ToySubject::check(unsigned set) {
  ++checks;
  std::vector<float> found(rows * columns);
  device.copyOut(found.data(), memory[set].y, found.size() * 4);
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i] != float(i) + 1)
      throw WrongAnswer("element " + std::to_string(i) + " is " +
                        std::to_string(found[i]));
}
