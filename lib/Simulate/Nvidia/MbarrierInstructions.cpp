//===- MbarrierInstructions.cpp - mbarrier intrinsics ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `.relaxed` is taken as `.release` or `.acquire`: hand-overs of a read buffer
// rely on the order that the hardware keeps anyway.
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"
#include "Register.h"

using namespace llvm;

namespace lathe::sim {

namespace {

struct ArriveInfo {
  bool counted = false, expectTx = false, drop = false, noComplete = false;
  bool returnsState = true;
};

void runInit(Call &call) {
  mbarrierInit(call.thread, call.site, call.integer(0), call.integer(1));
}

void runInvalidate(Call &call) {
  mbarrierInvalidate(call.thread, call.site, call.integer(0));
}

void runArrive(Call &call) {
  const auto &info = infoOf<ArriveInfo>(call);
  Arrival arrival;
  arrival.drop = info.drop;
  arrival.noComplete = info.noComplete;
  if (info.counted)
    arrival.count = uint32_t(call.integer(1));
  if (info.expectTx)
    arrival.expectTx = uint32_t(call.integer(1));
  uint64_t state =
      mbarrierArrive(call.thread, call.site, call.integer(0), arrival);
  if (info.returnsState)
    call.setInteger(state);
}

void runExpect(Call &call) {
  mbarrierExpectTx(call.thread, call.site, call.integer(0), call.integer(1));
}

void runComplete(Call &call) {
  mbarrierCompleteTx(call.thread, call.site, call.integer(0), call.integer(1));
}

void runTestState(Call &call) {
  call.setInteger(mbarrierTestState(call.thread, call.site, call.integer(0),
                                    call.integer(1)));
}

void runTestParity(Call &call) {
  call.setInteger(mbarrierTestParity(call.thread, call.site, call.integer(0),
                                     call.integer(1)));
}

void runWaitState(Call &call) {
  mbarrierWaitState(call.thread, call.site, call.integer(0), call.integer(1));
  call.setInteger(1);
}

void runWaitParity(Call &call) {
  mbarrierWaitParity(call.thread, call.site, call.integer(0), call.integer(1));
  call.setInteger(1);
}

void runPending(Call &call) {
  call.setInteger(mbarrierPendingCount(call.integer(0)));
}

void addArrivals(InstructionSet &set) {
  for (bool drop : {false, true}) {
    std::string name = drop ? "mbarrier.arrive.drop" : "mbarrier.arrive";
    for (StringRef space : {"", ".shared"}) {
      ArriveInfo info;
      info.drop = drop;
      addNvvm(set, name + space, runArrive, info);
      info.counted = info.noComplete = true;
      addNvvm(set, name + ".noComplete" + space, runArrive, info);
    }
    for (bool expectTx : {false, true})
      for (StringRef order : {"", ".relaxed"})
        for (StringRef scope : {".scope.cta", ".scope.cluster"})
          for (bool remote : {false, true}) {
            ArriveInfo info;
            info.drop = drop;
            info.expectTx = expectTx;
            info.counted = !expectTx;
            info.returnsState = !remote;
            addNvvm(set,
                    name + (expectTx ? ".expect.tx" : "") + order + scope +
                        (remote ? ".space.cluster" : ".space.cta"),
                    runArrive, info);
          }
  }
}

} // namespace

void addMbarriers(InstructionSet &set) {
  for (StringRef space : {"", ".shared"}) {
    addNvvm(set, "mbarrier.init" + space, runInit);
    addNvvm(set, "mbarrier.inval" + space, runInvalidate);
    addNvvm(set, "mbarrier.test.wait" + space, runTestState);
  }
  addNvvm(set, "mbarrier.pending.count", runPending, /*isPure=*/true);
  addArrivals(set);
  for (StringRef scope : {".scope.cta", ".scope.cluster"}) {
    for (StringRef space : {".space.cta", ".space.cluster"}) {
      addNvvm(set, "mbarrier.expect.tx" + scope + space, runExpect);
      addNvvm(set, "mbarrier.complete.tx" + scope + space, runComplete);
    }
    for (StringRef order : {"", ".relaxed"}) {
      std::string suffix = (order + scope + ".space.cta").str();
      addNvvm(set, "mbarrier.test.wait" + suffix, runTestState);
      addNvvm(set, "mbarrier.test.wait.parity" + suffix, runTestParity);
      for (StringRef limit : {"", ".tl"}) {
        addNvvm(set, "mbarrier.try.wait" + limit + suffix, runWaitState);
        addNvvm(set, "mbarrier.try.wait.parity" + limit + suffix,
                runWaitParity);
      }
    }
  }
}

} // namespace lathe::sim
