//===- FakeGpu.h - Tests on the fake driver ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_MEASURE_FAKEGPU_H
#define LATHE_TEST_UNIT_MEASURE_FAKEGPU_H

#include "lathe/Measure/Timer.h"

#include <functional>
#include <string>

namespace lathe::measure {

/// Runs a test's body in a process of its own, since the fake driver reads its
/// options once; failures there are failures here.
void onFakeGpu(const std::string &options, const std::function<void()> &body);

/// Of the fake driver: passes time on the host.
void fakeHostWork(double us);

/// A kernel of a fake module on two sets of 64 rows of 32, poisoned before each
/// launch and compared after it.
class ToySubject : public Subject {
public:
  /// `line` is what a line of a module says after the kernel's name.
  ToySubject(Device &device, const std::string &line);
  std::string name() const override { return "toy"; }
  unsigned sets() const override { return 2; }
  void launch(unsigned set, Stream stream) override;
  void prepare(unsigned set, Stream stream) override;
  void check(unsigned set) override;

  unsigned checks = 0;

protected:
  Device &device;
  void *function = nullptr;

private:
  struct Set {
    DevicePointer x = 0, y = 0;
  } memory[2];
};

} // namespace lathe::measure

#endif // LATHE_TEST_UNIT_MEASURE_FAKEGPU_H
