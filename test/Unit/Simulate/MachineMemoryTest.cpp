//===- MachineMemoryTest.cpp - Bounds, alignment, values that are there ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>

using namespace lathe::sim;
using namespace lathe::sim::test;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

class MachineMemoryTest : public MachineTest {
protected:
  MachineMemoryTest() { shape(1, 1); }
  alignas(16) uint32_t words[16] = {};
};

TEST_F(MachineMemoryTest, NamesTheBufferThatWasMissed) {
  buffer("x", words, 64);
  uint32_t get = site("load i32");
  RunReport report =
      run([&](Thread &thread) { load<uint32_t>(get, words + 19); });
  EXPECT_TRUE(report.aborted);
  EXPECT_THAT(faultsOf(report),
              ElementsAre("out-of-bounds: read of 4 bytes at 'x'+76, 12 bytes "
                          "after its end (64 bytes)"));
  EXPECT_EQ(report.faults[0].instruction, "load i32");
  report = run([&](Thread &thread) { load<uint64_t>(get, words + 15); });
  EXPECT_THAT(faultsOf(report),
              Contains("out-of-bounds: read of 8 bytes at 'x'+60 of 64"));
  report = run([&](Thread &thread) {
    store(get, reinterpret_cast<uint32_t *>(16), 1u);
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre("out-of-bounds: write of 4 bytes at address 16 (a "
                          "null pointer)"));
}

TEST_F(MachineMemoryTest, NamesMisalignedAccess) {
  buffer("x", words, 64);
  uint32_t get = site("load");
  RunReport report = run([&](Thread &thread) {
    lathe_sim_access(get, reinterpret_cast<uint64_t>(words) + 4, 16, 16,
                     unsigned(AccessKind::Read));
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre("misaligned: read of 16 bytes at 'x'+4 of 64, "
                          "expected an address that is a multiple of 16"));
}

TEST_F(MachineMemoryTest, RefusesWritesOfInputs) {
  buffer("weight", words, 64).readOnly = true;
  uint32_t put = site("store");
  RunReport report = run([&](Thread &thread) { store(put, words + 2, 1u); });
  EXPECT_TRUE(report.aborted);
  EXPECT_THAT(faultsOf(report),
              ElementsAre("read-only-write: write of 4 bytes at 'weight'+8, "
                          "which is read-only"));
}

TEST_F(MachineMemoryTest, NamesBytesThatNobodyWrote) {
  buffer("scratch", words, 64).initialized = false;
  uint32_t put = site("store"), get = site("load"), add = site("atomic");
  RunReport report = run([&](Thread &thread) {
    store(put, words, 1u);
    load<uint32_t>(get, words);
    atomicAdd(add, words, 1u);
  });
  EXPECT_TRUE(report.ok());
  report = run([&](Thread &thread) {
    store<uint16_t>(put, words + 1, 1);
    load<uint32_t>(get, words + 1);
    atomicAdd(add, words + 2, 1u);
  });
  EXPECT_THAT(
      faultsOf(report),
      ElementsAre("uninitialized-read: read of 4 bytes at 'scratch'+4: nothing "
                  "was written to byte 6 before",
                  "uninitialized-read: atomic update of 4 bytes at "
                  "'scratch'+8: nothing was written to byte 8 before"));
}

TEST_F(MachineMemoryTest, TellsWhichBytesWereWritten) {
  uint8_t written[8] = {};
  buffer("out", words, 64).written = written;
  uint32_t put = site("store");
  run([&](Thread &thread) {
    store(put, words + 1, 1u);
    store<uint16_t>(put, words + 3, 1);
  });
  EXPECT_THAT(written, ElementsAre(0xF0, 0x30, 0, 0, 0, 0, 0, 0));
}

TEST_F(MachineMemoryTest, LargeBuffersCostWhatIsTouched) {
  uint64_t bytes = uint64_t(1) << 36;
  void *map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(map, MAP_FAILED);
  buffer("huge", map, bytes).initialized = false;
  uint32_t put = site("store"), get = site("load");
  char *last = static_cast<char *>(map) + bytes - 4;
  RunReport report = run([&](Thread &thread) {
    store(put, last, 7u);
    EXPECT_EQ(load<uint32_t>(get, last), 7u);
  });
  EXPECT_TRUE(report.ok());
  ::munmap(map, bytes);
}

TEST_F(MachineMemoryTest, SharedMemoryEndsWhereTheLaunchSays) {
  program.staticShared = 40;
  program.dynamicAlign = 16;
  launch.dynamicShared = 16;
  uint32_t put = site("store"), get = site("load");
  RunReport report = run([&](Thread &thread) {
    EXPECT_EQ(*shared(thread, 3), 0xFFFFFFFFu);
    EXPECT_EQ(lathe_sim_arena() >> 32, 0u);
    store(put, shared(thread, 15), 1u);
    load<uint32_t>(get, shared(thread, 14));
    store(put, shared(thread, 16), 1u);
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre("uninitialized-read: read of 4 bytes at shared+56: "
                          "nothing was written to shared+56 before",
                          "out-of-bounds: write of 4 bytes at shared+64, the "
                          "block has 64 bytes"));
}

TEST_F(MachineMemoryTest, SharedMemoryIsEmptyForEachBlock) {
  shape(2, 1);
  launch.dynamicShared = 16;
  uint32_t put = site("store"), get = site("load");
  RunReport report = run([&](Thread &thread) {
    if (thread.block->linear == 0)
      store(put, shared(thread, 0), 1u);
    else
      load<uint32_t>(get, shared(thread, 0));
  });
  EXPECT_THAT(faultsOf(report), ElementsAre(HasSubstr("uninitialized-read")));
  EXPECT_THAT(report.faults[0].block, ElementsAre(1, 0, 0));
}

TEST_F(MachineMemoryTest, LocalVariablesBeginEmpty) {
  uint32_t put = site("store"), get = site("load");
  RunReport report = run([&](Thread &thread) {
    uint32_t local[4] = {};
    lathe_sim_local(reinterpret_cast<uint64_t>(local), sizeof(local));
    store(put, local + 1, 5u);
    EXPECT_EQ(load<uint32_t>(get, local + 1), 5u);
    load<uint32_t>(get, local + 2);
    lathe_sim_access(get, reinterpret_cast<uint64_t>(local + 4), 4, 4,
                     unsigned(AccessKind::Read));
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre("uninitialized-read: read of 4 bytes at byte 8 of a "
                          "local variable: nothing was written to byte 8 "
                          "before",
                          "out-of-bounds: read of 4 bytes at local memory, "
                          "outside of every variable"));
}

TEST_F(MachineMemoryTest, KnowsVariablesAndConstants) {
  program.variables = {{"table", reinterpret_cast<uint64_t>(words), 64, true}};
  uint32_t get = site("load"), put = site("store");
  RunReport report = run([&](Thread &thread) {
    load<uint32_t>(get, words + 3);
    uint64_t value = 77;
    Machine &machine = *thread.machine;
    uint64_t address = machine.constant("hidden", &value, 8);
    EXPECT_EQ(machine.constant("hidden", &value, 8), address);
    EXPECT_EQ(load<uint64_t>(get, reinterpret_cast<void *>(address)), 77u);
    EXPECT_NE(machine.resolve(thread, address, 8), nullptr);
    EXPECT_EQ(machine.resolve(thread, address, 9), nullptr);
    EXPECT_EQ(machine.resolve(thread, 8, 1), nullptr);
    store(put, words, 1u);
  });
  EXPECT_THAT(faultsOf(report), ElementsAre(HasSubstr("read-only-write")));
}

TEST_F(MachineMemoryTest, CountsEqualFaultsOnce) {
  shape(1, 32);
  buffer("x", words, 64).initialized = false;
  uint32_t get = site("load");
  RunReport report = run([&](Thread &thread) {
    for (unsigned i = 0; i < 4; ++i)
      load<uint32_t>(get, words + i);
  });
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].count, 128u);
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  EXPECT_THAT(text, AllOf(HasSubstr("uninitialized-read: read of 4 bytes at "
                                    "'x'+0"),
                          HasSubstr("block (0,0,0) thread (0,0,0), seen 128 "
                                    "times"),
                          HasSubstr("in load"), HasSubstr("faults: 1 blocks")));
  EXPECT_EQ(report.toJSON()
                .getAsObject()
                ->getArray("faults")
                ->front()
                .getAsObject()
                ->getInteger("count"),
            128);
}

} // namespace
