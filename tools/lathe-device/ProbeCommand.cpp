//===- ProbeCommand.cpp - What the GPUs of this machine are ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Supervisor.h"

#include <cstdio>

using namespace lathe::device;
using namespace lathe::measure;

static void print(int ordinal, const ProbeReply &reply) {
  const DeviceInfo &device = reply.device;
  printf("device %d: %s, %s, %s\n", ordinal, device.name.c_str(),
         device.arch().c_str(), device.uuid.c_str());
  printf("  driver %s, CUDA %d.%d\n",
         reply.driver.empty() ? "unknown" : reply.driver.c_str(),
         device.driverVersion / 1000, device.driverVersion % 1000 / 10);
  printf("  %d multiprocessors, %.1f GiB, last-level cache %.1f MiB\n",
         device.multiprocessors, double(device.memoryBytes) / (1 << 30),
         double(device.l2Bytes) / (1 << 20));
  printf("  empty kernel: events %.2f us, graph %.2f us, cupti %.2f us, host "
         "%.2f us\n",
         reply.floors.events, reply.floors.graph, reply.floors.cupti,
         reply.floors.host);
  printf("  fill: %.0f GB/s written\n", reply.fillBytesPerSecond / 1e9);
  if (reply.clocks.known)
    printf("  clocks: %u MHz, memory %u MHz, %u C, %.0f W%s%s\n",
           reply.clocks.smMHz, reply.clocks.memoryMHz, reply.clocks.temperature,
           reply.clocks.powerMilliwatts / 1e3,
           reply.clocks.isThrottled() ? ", throttled: " : "",
           reply.clocks.isThrottled() ? reply.clocks.throttleText().c_str()
                                      : "");
}

void lathe::device::addProbeCommand(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("probe", "Says what the GPUs of this machine are");
  command->callback([] {
    std::atomic<bool> cancel{false};
    int count = 1;
    for (int i = 0; i < count; ++i) {
      ChildSetup setup;
      setup.ordinal = i;
      ProbeReply reply = probeDevice(setup, cancel);
      count = reply.devices;
      print(i, reply);
    }
  });
}
