//===- CrossLane.cpp - Values that travel between AMD lanes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "Site.h"

using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

//===----------------------------------------------------------------------===//
// DPP
//===----------------------------------------------------------------------===//

struct Dpp {
  bool hasOld;
  unsigned control, rowMask, bankMask;
  bool boundControl; ///< lanes without a source get zero, not the old value
};

Prepared prepareDpp(const Site &site, bool hasOld) {
  auto value = [&](unsigned i) {
    return site.operands[1 + hasOld + i].constant;
  };
  if (llvm::Error error = checkDppControl(value(0)))
    return std::move(error);
  return std::make_shared<Dpp>(Dpp{hasOld, unsigned(value(0)),
                                   unsigned(value(1)), unsigned(value(2)),
                                   value(3) != 0});
}

void runDpp(Call &call) {
  const auto &dpp = *static_cast<const Dpp *>(call.site.prepared.get());
  meetActive(call, [&](LaneCalls &calls) {
    unsigned value = dpp.hasOld ? 1 : 0;
    uint32_t bytes = slotBytes(call.site.results[0]);
    forEachLane(calls, [&](unsigned lane, Call &to) {
      auto source = dppSource(dpp.control, lane);
      bool found = source && calls.lane[*source];
      if (dppWrites(dpp.rowMask, dpp.bankMask, lane) && found)
        returnOperand(*calls.lane[*source], value, to);
      else if (dppWrites(dpp.rowMask, dpp.bankMask, lane) && dpp.boundControl)
        std::memset(to.result(), 0, bytes);
      else if (dpp.hasOld)
        returnOperand(to, 0, to);
      else
        std::memset(to.result(), 0xFF, bytes); // nothing defines it
    });
  });
}

//===----------------------------------------------------------------------===//
// Through the LDS crossbar
//===----------------------------------------------------------------------===//

/// Each lane gets the value of another; of one that is not active: zero.
void gather(Call &call, unsigned value,
            llvm::function_ref<unsigned(const Call &, unsigned lane)> source) {
  meetActive(call, [&](LaneCalls &calls) {
    forEachLane(calls, [&](unsigned lane, Call &to) {
      Call *from = calls.lane[source(to, lane)];
      if (from)
        returnOperand(*from, value, to);
      else
        std::memset(to.result(), 0, slotBytes(to.site.results[0]));
    });
  });
}

void runSwizzle(Call &call) {
  unsigned pattern = call.site.operands[1].constant;
  gather(call, 0, [&](const Call &, unsigned lane) {
    return swizzleSource(pattern, lane);
  });
}

void runBackwardPermute(Call &call) {
  gather(call, 1, [](const Call &to, unsigned) {
    return unsigned(to.integer(0) / 4 % waveLanes);
  });
}

// Of several lanes that write to one, the highest wins.
void runPermute(Call &call) {
  meetActive(call, [&](LaneCalls &calls) {
    std::array<uint32_t, waveLanes> written = {};
    forEachLane(calls, [&](unsigned, Call &from) {
      copyOperand(from, 1, &written[from.integer(0) / 4 % waveLanes], 4);
    });
    forEachLane(calls, [&](unsigned lane, Call &to) { to.set(written[lane]); });
  });
}

//===----------------------------------------------------------------------===//
// Scalars of the wave
//===----------------------------------------------------------------------===//

/// The operand that has to be the same in all active lanes.
uint64_t uniform(LaneCalls &calls, unsigned operand, const char *what) {
  Call &first = *calls.lane[__builtin_ctzll(calls.mask)];
  uint64_t value = first.integer(operand);
  forEachLane(calls, [&](unsigned, Call &other) {
    if (other.integer(operand) != value)
      other.thread.machine->fault(
          FaultKind::InvalidOperand, &other.thread, other.site,
          llvm::Twine(what) + " is " + llvm::Twine(other.integer(operand)) +
              " in one active lane and " + llvm::Twine(value) +
              " in another, expected a uniform one");
  });
  return value;
}

void runReadFirstLane(Call &call) {
  meetActive(call, [&](LaneCalls &calls) {
    Call &first = *calls.lane[__builtin_ctzll(calls.mask)];
    forEachLane(calls,
                [&](unsigned, Call &to) { returnOperand(first, 0, to); });
  });
}

void runReadLane(Call &call) {
  meetActive(call, [&](LaneCalls &calls) {
    unsigned lane = uniform(calls, 1, "lane to read") % waveLanes;
    Call *from = calls.lane[lane];
    if (!from)
      call.thread.machine->fault(
          FaultKind::InvalidOperand, &call.thread, call.site,
          "lane " + llvm::Twine(lane) + " is read and not active");
    forEachLane(calls, [&](unsigned, Call &to) {
      if (from)
        returnOperand(*from, 0, to);
      else
        std::memset(to.result(), 0xFF, slotBytes(to.site.results[0]));
    });
  });
}

void runWriteLane(Call &call) {
  meetActive(call, [&](LaneCalls &calls) {
    unsigned written = uniform(calls, 1, "lane to write") % waveLanes;
    forEachLane(calls, [&](unsigned lane, Call &to) {
      returnOperand(to, lane == written ? 0 : 2, to);
    });
  });
}

} // namespace

void lathe::sim::addAmdCrossLane(InstructionSet &set) {
  set.add("llvm.amdgcn.update.dpp",
          {runDpp, [](const Site &site) { return prepareDpp(site, true); }});
  set.add("llvm.amdgcn.mov.dpp",
          {runDpp, [](const Site &site) { return prepareDpp(site, false); }});
  set.add("llvm.amdgcn.ds.swizzle",
          {runSwizzle, [](const Site &site) -> Prepared {
             if (llvm::Error error = checkSwizzle(site.operands[1].constant))
               return std::move(error);
             return nullptr;
           }});
  set.add("llvm.amdgcn.ds.bpermute", runBackwardPermute);
  set.add("llvm.amdgcn.ds.permute", runPermute);
  set.add("llvm.amdgcn.readfirstlane", runReadFirstLane);
  set.add("llvm.amdgcn.readlane", runReadLane);
  set.add("llvm.amdgcn.writelane", runWriteLane);
}
