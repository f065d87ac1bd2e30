//===- SpecialRegisters.cpp - Who and where a thread is -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not here, and therefore unsupported: %envreg and %pm, which a launch does not
// define, and %aggr_smem_size, which counts what a driver reserves.
//
//===----------------------------------------------------------------------===//

#include "Register.h"
#include "SpecialRegister.h"

using namespace llvm;

namespace lathe::sim {

namespace {

// Of an H200. Blocks are dealt out round robin.
constexpr uint32_t multiprocessors = 132, warpsOfMultiprocessor = 64;

using Vector = Dim3 (*)(Thread &);

const std::pair<StringLiteral, Vector> vectors[] = {
    {"tid", [](Thread &t) { return t.id; }},
    {"ntid", [](Thread &t) { return t.machine->blockDim(); }},
    {"ctaid", [](Thread &t) { return t.block->id; }},
    {"nctaid", [](Thread &t) { return t.machine->gridDim(); }},
    {"clusterid",
     [](Thread &t) {
       Dim3 id = t.block->id, size = t.machine->clusterDim();
       return Dim3{id.x / size.x, id.y / size.y, id.z / size.z};
     }},
    {"nclusterid",
     [](Thread &t) {
       Dim3 grid = t.machine->gridDim(), size = t.machine->clusterDim();
       return Dim3{grid.x / size.x, grid.y / size.y, grid.z / size.z};
     }},
    {"cluster_ctaid",
     [](Thread &t) {
       Dim3 id = t.block->id, size = t.machine->clusterDim();
       return Dim3{id.x % size.x, id.y % size.y, id.z % size.z};
     }},
    {"cluster_nctaid", [](Thread &t) { return t.machine->clusterDim(); }},
};

using Reader = uint64_t (*)(Thread &);

uint64_t dynamicShared(Thread &thread) {
  return thread.machine->launch().dynamicShared;
}

const std::pair<StringLiteral, Reader> scalars[] = {
    {"laneid", [](Thread &t) -> uint64_t { return t.lane; }},
    {"warpid", [](Thread &t) -> uint64_t { return t.warp->index; }},
    {"nwarpid", [](Thread &) -> uint64_t { return warpsOfMultiprocessor; }},
    {"warpsize", [](Thread &t) -> uint64_t { return t.machine->warpSize(); }},
    {"smid",
     [](Thread &t) -> uint64_t { return t.block->linear % multiprocessors; }},
    {"nsmid", [](Thread &) -> uint64_t { return multiprocessors; }},
    {"gridid", [](Thread &) -> uint64_t { return 1; }},
    {"lanemask_eq", [](Thread &t) -> uint64_t { return 1u << t.lane; }},
    {"lanemask_lt", [](Thread &t) -> uint64_t { return (1u << t.lane) - 1; }},
    {"lanemask_le", [](Thread &t) -> uint64_t { return (2u << t.lane) - 1; }},
    {"lanemask_gt", [](Thread &t) -> uint64_t { return -(2u << t.lane); }},
    {"lanemask_ge", [](Thread &t) -> uint64_t { return -(1u << t.lane); }},
    {"clock", [](Thread &t) -> uint64_t { return t.machine->time(); }},
    {"clock64", [](Thread &t) -> uint64_t { return t.machine->time(); }},
    {"globaltimer", [](Thread &t) -> uint64_t { return t.machine->time(); }},
    {"globaltimer_lo", [](Thread &t) -> uint64_t { return t.machine->time(); }},
    {"globaltimer_hi",
     [](Thread &t) -> uint64_t { return t.machine->time() >> 32; }},
    {"cluster_ctarank", [](Thread &t) -> uint64_t { return t.block->rank; }},
    {"cluster_nctarank",
     [](Thread &t) -> uint64_t { return t.block->cluster.size(); }},
    {"is_explicit_cluster",
     [](Thread &t) -> uint64_t { return t.block->cluster.size() > 1; }},
    {"total_smem_size",
     [](Thread &t) -> uint64_t { return t.block->sharedBytes; }},
    {"dynamic_smem_size", dynamicShared},
};

void run(Call &call) {
  call.setInteger(infoOf<SpecialRegister>(call).read(call.thread));
}

// The most frequent ones at once.
void runThread(Call &call) { call.setInteger(call.thread.id.x); }
void runBlock(Call &call) { call.setInteger(call.thread.block->id.x); }

} // namespace

uint64_t SpecialRegister::read(Thread &thread) const {
  if (scalar)
    return scalar(thread);
  Dim3 value = vector(thread);
  // PTX ISA: the fourth element is always zero.
  return axis == 0 ? value.x : axis == 1 ? value.y : axis == 2 ? value.z : 0;
}

std::optional<SpecialRegister> findSpecialRegister(StringRef name) {
  SpecialRegister result;
  for (const auto &[known, read] : scalars)
    if (known == name) {
      result.scalar = read;
      return result;
    }
  auto [base, axis] = name.rsplit('.');
  size_t index = StringRef("xyzw").find(axis);
  if (axis.size() != 1 || index == StringRef::npos)
    return std::nullopt;
  for (const auto &[known, read] : vectors)
    if (known == base) {
      result.vector = read;
      result.axis = unsigned(index);
      return result;
    }
  return std::nullopt;
}

void addSpecialRegisters(InstructionSet &set) {
  // LLVM writes cluster.ctaid where PTX writes cluster_ctaid.
  auto spell = [](StringRef name) {
    StringRef rest = name;
    if (rest.consume_front("cluster_"))
      return ("cluster." + rest).str();
    if (rest.consume_front("lanemask_"))
      return ("lanemask." + rest).str();
    if (rest.consume_front("globaltimer_"))
      return ("globaltimer." + rest).str();
    return name.str();
  };
  for (const auto &[name, read] : vectors)
    for (StringRef axis : {"x", "y", "z", "w"}) {
      std::string full = (name + "." + axis).str();
      Handler handler = full == "tid.x"     ? runThread
                        : full == "ctaid.x" ? runBlock
                                            : run;
      addNvvm(set, "read.ptx.sreg." + spell(name) + "." + axis, handler,
              *findSpecialRegister(full));
    }
  for (const auto &[name, read] : scalars) {
    if (name == "is_explicit_cluster")
      addNvvm(set, name, run, *findSpecialRegister(name));
    else if (name != "globaltimer_hi") // PTX alone
      addNvvm(set, "read.ptx.sreg." + spell(name), run,
              *findSpecialRegister(name));
  }
}

} // namespace lathe::sim
