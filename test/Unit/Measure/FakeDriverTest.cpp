//===- FakeDriverTest.cpp - Whether the fake misbehaves as it says --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeGpu.h"

#include "lathe/Measure/Candidates.h"
#include "lathe/Measure/Kernels.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lathe::measure;

namespace {

constexpr int64_t rows = 4, columns = 8, pitch = 10;

/// x[r][c] = 100 r + c with some padding, in one allocation before y.
struct Toy {
  Toy(Device &device, const std::string &line) : device(device) {
    std::string image = "fake-module\n# a comment\n\nkernel f " + line + "\n";
    function = device.function(device.loadModule(image), "f", 0);
    x = device.allocate(rows * pitch * 4);
    y = device.allocate(rows * pitch * 4);
    stream = device.createStream();
    std::vector<float> values(rows * pitch);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(i);
    device.copyIn(x, values.data(), values.size() * 4);
    reset();
  }
  void reset() {
    device.fill(y, 0xff, rows * pitch * 4, stream);
    device.synchronize(stream);
  }
  void launch(int64_t launchedRows = rows) {
    int64_t shape[] = {launchedRows, columns, pitch, pitch};
    void *arguments[] = {&x, &y, &shape[0], &shape[1], &shape[2], &shape[3]};
    const uint32_t one[3] = {1, 1, 1};
    device.launch(function, one, one, 0, stream, arguments);
  }
  void run() {
    launch();
    device.synchronize(stream);
  }
  /// Elements that are not right.
  int wrong() {
    std::vector<float> found(rows * pitch);
    device.copyOut(found.data(), y, found.size() * 4);
    int count = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        count += found[size_t(row * pitch + column)] !=
                 float(row * pitch + column) + 1;
    return count;
  }
  float at(DevicePointer pointer, int64_t index) {
    float value = 0;
    device.copyOut(&value, pointer + uint64_t(index) * 4, 4);
    return value;
  }

  Device &device;
  void *function = nullptr;
  DevicePointer x = 0, y = 0;
  Stream stream = nullptr;
};

/// Runs a kernel once; gives the code of the driver's error, or 0.
int codeOf(const std::string &line) {
  auto device = Device::open(0);
  Toy toy(*device, line);
  try {
    toy.run();
  } catch (const DriverError &error) {
    return error.code;
  }
  return 0;
}

TEST(FakeDriver, WritesWhatItsLinesSay) {
  const struct {
    const char *line;
    int wrong;
  } cases[] = {{"do=add_one", 0},
               {"", 0},
               {"do=nothing", 32},
               {"do=half", 16},
               {"do=constant", 32},
               {"do=constant value=1", 31},
               {"do=skip_last", 1},
               {"do=modify_input", 0},
               {"do=wrong_rare above=34", 3},
               {"do=out_of_bounds by=-1", 32},
               {"do=constant beyond=4", 0},
               {"do=constant beyond=3", 32},
               {"do=constant below=5", 32},
               {"do=constant below=4", 0},
               {"do=constant after=1", 0},
               {"do=constant until=1", 32},
               {"do=constant cold", 32},
               {"do=constant warm", 0},
               {"do=constant every=2", 0}};
  for (auto [line, wrong] : cases)
    onFakeGpu("", [line = line, wrong = wrong] {
      auto device = Device::open(0);
      Toy toy(*device, line);
      try {
        toy.run();
        EXPECT_EQ(toy.wrong(), wrong) << line;
      } catch (const DriverError &error) {
        // Before y lies no memory of its own.
        EXPECT_EQ(std::string(line), "do=out_of_bounds by=-1");
        EXPECT_EQ(error.code, 700);
      }
    });
}

TEST(FakeDriver, ReachesBeyondItsOutput) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Toy toy(*device, "do=out_of_bounds by=1");
    toy.run();
    EXPECT_EQ(toy.wrong(), 0);
    // The padding of the last row.
    EXPECT_EQ(toy.at(toy.y, (rows - 1) * pitch + columns), 0);
    EXPECT_TRUE(std::isnan(toy.at(toy.y, (rows - 1) * pitch + columns + 1)));
  });
}

TEST(FakeDriver, ModifiesItsInput) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Toy toy(*device, "do=modify_input");
    toy.run();
    EXPECT_EQ(toy.wrong(), 0);
    EXPECT_EQ(toy.at(toy.x, 0), 1);
  });
}

TEST(FakeDriver, RemembersAndSteals) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Toy cached(*device, "do=cached");
    cached.run();
    EXPECT_EQ(cached.wrong(), 0);
    float value = 7;
    device->copyIn(cached.x, &value, 4);
    cached.run();
    EXPECT_EQ(cached.at(cached.y, 0), 1);
    // Another array with the answer is there now.
    Toy honest(*device, "do=add_one"), thief(*device, "do=steal");
    thief.run();
    EXPECT_EQ(thief.wrong(), 32);
  });
}

TEST(FakeDriver, RacesInSomeLaunches) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Toy toy(*device, "do=racy");
    int wrong = 0;
    for (int i = 0; i < 64; ++i) {
      toy.run();
      int now = toy.wrong();
      EXPECT_LE(now, 1);
      wrong += now;
    }
    EXPECT_GT(wrong, 8);
    EXPECT_LT(wrong, 56);
  });
}

TEST(FakeDriver, Fails) {
  const struct {
    const char *line;
    int code;
  } cases[] = {{"do=fault", 700},   {"do=trap", 719},
               {"do=too_big", 701}, {"do=launch_error code=718", 718},
               {"do=lost", 46},     {"do=out_of_bounds by=500", 700}};
  for (auto [line, code] : cases)
    onFakeGpu("", [line = line, code = code] {
      EXPECT_EQ(codeOf(line), code) << line;
    });
  // For good.
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Toy toy(*device, "do=fault");
    EXPECT_THROW(toy.run(), DriverError);
    EXPECT_THROW(device->allocate(4), DriverError);
    EXPECT_THROW(device->synchronizeAll(), DriverError);
    EXPECT_THROW(Device::open(0)->createStream(), DriverError);
  });
}

TEST(FakeDriver, ChecksBounds) {
  onFakeGpu("memory_mb=1", [] {
    auto device = Device::open(0);
    EXPECT_THROW(device->allocate(uint64_t(1) << 21), DriverError);
    EXPECT_EQ(device->freeMemory(), uint64_t(1) << 20);
    DevicePointer at = device->allocate(100);
    char bytes[200] = {};
    EXPECT_NO_THROW(device->copyIn(at, bytes, 100));
    EXPECT_THROW(device->copyIn(at, bytes, 101), DriverError);
    EXPECT_THROW(device->copyOut(bytes, at + 1, 100), DriverError);
    EXPECT_THROW(device->fill(at, 0, 101, nullptr), DriverError);
    device->release(at);
    EXPECT_THROW(device->release(at), DriverError);
    EXPECT_THROW(device->copyOut(bytes, at, 1), DriverError);
  });
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Toy toy(*device, "");
    toy.launch(/*launchedRows=*/rows + 1);
    try {
      device->synchronize(toy.stream);
      ADD_FAILURE() << "no fault";
    } catch (const DriverError &error) {
      EXPECT_TRUE(error.isFault());
    }
  });
}

TEST(FakeDriver, EndsOrHangsTheProcess) {
  const struct {
    const char *line;
    int signal, code;
  } cases[] = {{"do=abort", SIGABRT, 0},
               {"do=segv", SIGSEGV, 0},
               {"do=exit code=5", 0, 5},
               {"do=hang", SIGALRM, 0},
               {"do=spin_host", SIGALRM, 0}};
  for (auto [line, signal, code] : cases)
    onFakeGpu("", [line = line, signal = signal, code = code] {
      fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        alarm(1);
        codeOf(line);
        _exit(0);
      }
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, signal) << line;
      EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : 0, code) << line;
    });
}

TEST(FakeDriver, LosesADeviceForOtherProcesses) {
  std::string path = testing::TempDir() + "/lost-device";
  unlink(path.c_str());
  std::string options = "devices=2,lost=" + path;
  onFakeGpu(options, [] { EXPECT_EQ(codeOf("do=lost"), 46); });
  onFakeGpu(options, [] {
    try {
      Device::open(0);
      ADD_FAILURE() << "the device is there";
    } catch (const DriverError &error) {
      EXPECT_TRUE(error.isDeviceLost());
    }
    EXPECT_NO_THROW(Device::open(1));
  });
  unlink(path.c_str());
  onFakeGpu(options, [] { EXPECT_NO_THROW(Device::open(0)); });
}

TEST(FakeDriver, HasSeveralDevices) {
  onFakeGpu("devices=3", [] {
    EXPECT_EQ(Device::count(), 3);
    EXPECT_NE(Device::open(0)->info().uuid, Device::open(2)->info().uuid);
    EXPECT_THROW(Device::open(3), DriverError);
  });
}

TEST(FakeDriver, RejectsModules) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    const struct {
      const char *image, *error;
    } cases[] = {
        {"fake-module arch=80\n", "NO_BINARY"},
        {"fake-module fail=218\n", "(218)"},
        {"fake-module\nkernel f do=magic\n", "unknown 'do=magic'"},
        {"fake-module\nkernel f timeus=3\n", "unknown 'timeus=3'"},
        {"fake-module\nfunction f\n", "expected 'kernel SYMBOL'"},
        {"\x7f"
         "ELF",
         "neither 'fake-module' nor PTX"},
    };
    for (auto [image, text] : cases)
      try {
        device->loadModule(std::string_view(image, strlen(image) + 1));
        ADD_FAILURE() << image;
      } catch (const DriverError &error) {
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos)
            << error.what();
      }
    void *module = device->loadModule("fake-module arch=90\nkernel f\n");
    EXPECT_THROW(device->function(module, "g", 0), DriverError);
    EXPECT_NO_THROW(device->function(module, "f", 100000));
    EXPECT_THROW(device->function(module, "f", 300000), DriverError);
  });
}

TEST(FakeDriver, EncodesTensorMapsAsTheRealOne) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    CheckedMap map = checkMap({0, "f32", {8, 4}, {48}, {8, 4}, 32});
    struct alignas(64) {
      uint64_t words[16];
    } encoded = {}, other = {};
    DevicePointer at = device->allocate(192);
    device->encodeMap(map.shape, map.driverType, at, &encoded);
    EXPECT_EQ(encoded.words[0], at);
    // Another map has other bytes.
    map.shape.extents[1] = 3;
    device->encodeMap(map.shape, map.driverType, at, &other);
    EXPECT_NE(std::memcmp(&encoded, &other, sizeof other), 0);
    EXPECT_THROW(device->encodeMap(map.shape, map.driverType, at + 8, &other),
                 std::runtime_error);
    // What is only wrong to the driver.
    EXPECT_THROW(
        device->encodeMap(map.shape, map.driverType, at, &other.words[1]),
        DriverError);
    EXPECT_THROW(device->encodeMap(map.shape, 13, at, &other), DriverError);
  });
}

TEST(FakeDriver, ComputesTheReferenceByRows) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    Toy toy(*device, "do=reference");
    uint64_t slots[] = {toy.x, toy.x, 0, rows, columns, pitch, 1,
                        toy.y, toy.y, 0, rows, columns, pitch, 1};
    DevicePointer at = device->allocate(sizeof slots);
    device->copyIn(at, slots, sizeof slots);
    auto launch = [&](uint64_t first, uint64_t count) {
      void *arguments[] = {&at, &first, &count};
      const uint32_t one[3] = {1, 1, 1};
      device->launch(toy.function, one, one, 0, toy.stream, arguments);
      device->synchronize(toy.stream);
    };
    launch(1, 2);
    EXPECT_EQ(toy.wrong(), 16);
    launch(0, 100);
    EXPECT_EQ(toy.wrong(), 0);
  });
}

TEST(FakeDriver, RunsTheKernelsThatDrawAndCompare) {
  onFakeGpu("", [] {
    auto device = Device::open(0);
    DeviceKernels kernels(*device);
    Stream stream = device->createStream();
    DevicePointer at = device->allocate(1000);
    kernels.poison(at, 1000, 7, stream);
    EXPECT_EQ(kernels.changedBytes(at, 1000, 7, stream), 0u);
    device->fill(at + 10, 0, 20, stream);
    EXPECT_GT(kernels.changedBytes(at, 1000, 7, stream), 10u);
  });
}

} // namespace
