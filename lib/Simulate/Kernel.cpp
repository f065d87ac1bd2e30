//===- Kernel.cpp - Launches, checked against their kernel ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Program.h"
#include "TensorMap.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lathe::sim {

char UnsupportedError::ID = 0;

void UnsupportedError::log(raw_ostream &os) const {
  os << "unsupported: " << join(instructions, ", ");
}

struct Kernel::Impl {
  std::unique_ptr<Program> program;
};

Kernel::Kernel(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Kernel::~Kernel() = default;

Expected<std::unique_ptr<Kernel>> Kernel::load(StringRef bitcode,
                                               StringRef symbol) {
  auto program = buildProgram(bitcode, symbol);
  if (!program)
    return program.takeError();
  auto impl = std::make_unique<Impl>();
  impl->program = std::move(*program);
  return std::unique_ptr<Kernel>(new Kernel(std::move(impl)));
}

StringRef Kernel::symbol() const { return impl->program->symbol; }
StringRef Kernel::arch() const { return impl->program->arch; }
ArrayRef<ParameterInfo> Kernel::parameters() const {
  return impl->program->parameters;
}
uint64_t Kernel::staticShared() const { return impl->program->staticShared; }
uint64_t Kernel::maxThreads() const { return impl->program->maxThreads; }
std::optional<std::array<uint32_t, 3>> Kernel::requiredBlock() const {
  return impl->program->requiredBlock;
}
std::optional<std::array<uint32_t, 3>> Kernel::requiredCluster() const {
  return impl->program->requiredCluster;
}

static std::string text(const std::array<uint32_t, 3> &extents) {
  return (Twine(extents[0]) + " x " + Twine(extents[1]) + " x " +
          Twine(extents[2]))
      .str();
}

static uint64_t product(const std::array<uint32_t, 3> &extents) {
  return SaturatingMultiply<uint64_t>(uint64_t(extents[0]) * extents[1],
                                      extents[2]);
}

static Error checkShape(const Program &program, const Launch &launch) {
  const std::pair<const char *, const std::array<uint32_t, 3> &> shapes[] = {
      {"grid", launch.grid},
      {"block", launch.block},
      {"cluster", launch.cluster}};
  for (auto &[name, extents] : shapes)
    if (product(extents) == 0)
      return createStringError(Twine(name) + " is " + text(extents) +
                               ", expected positive extents");
  if (program.requiredBlock && launch.block != *program.requiredBlock)
    return createStringError("block is " + text(launch.block) +
                             ", expected the " + text(*program.requiredBlock) +
                             " that kernel '" + program.symbol + "' requires");
  if (product(launch.block) > program.maxThreads)
    return createStringError("block is " + text(launch.block) +
                             ", expected at most " + Twine(program.maxThreads) +
                             " threads");
  constexpr uint64_t mostInCluster = 16;
  if (program.requiredCluster && launch.cluster != *program.requiredCluster)
    return createStringError("cluster is " + text(launch.cluster) +
                             ", expected the " +
                             text(*program.requiredCluster) + " that kernel '" +
                             program.symbol + "' requires");
  if (product(launch.cluster) > mostInCluster ||
      (program.isAmd && product(launch.cluster) > 1))
    return createStringError(
        "cluster is " + text(launch.cluster) + ", expected at most " +
        Twine(program.isAmd ? 1 : mostInCluster) + " blocks");
  for (auto [grid, cluster] : zip(launch.grid, launch.cluster))
    if (grid % cluster)
      return createStringError("grid is " + text(launch.grid) +
                               ", expected multiples of the cluster " +
                               text(launch.cluster));
  if (product(launch.grid) > uint64_t(1) << 47)
    return createStringError("grid is " + text(launch.grid) +
                             ", expected at most 2^47 blocks");
  // Of a block: NVIDIA data sheets and the CDNA3 ISA guide.
  uint64_t most = program.isAmd ? 64 * 1024 : 227 * 1024;
  uint64_t shared = alignTo(program.staticShared, program.dynamicAlign);
  if (shared > most || launch.dynamicShared > most - shared)
    return createStringError("found " + Twine(launch.dynamicShared) +
                             " bytes of dynamic and " +
                             Twine(program.staticShared) +
                             " of static shared memory, expected at most " +
                             Twine(most) + " in all");
  return Error::success();
}

static Error checkArgument(const Launch &launch, const Argument &argument,
                           const ParameterInfo &parameter, unsigned index) {
  auto failed = [&](const Twine &message) {
    return createStringError("argument " + Twine(index) + " " + message);
  };
  auto checkBuffer = [&](unsigned buffer, uint64_t offset) -> Error {
    if (buffer >= launch.buffers.size())
      return failed("names buffer " + Twine(buffer) + ", expected one of " +
                    Twine(launch.buffers.size()));
    if (offset > launch.buffers[buffer].bytes)
      return failed("begins at byte " + Twine(offset) + " of buffer '" +
                    launch.buffers[buffer].name + "', which has " +
                    Twine(launch.buffers[buffer].bytes));
    return Error::success();
  };
  switch (argument.kind) {
  case Argument::Pointer:
    if (!parameter.pointer)
      return failed("is a pointer, expected a value of " +
                    Twine(parameter.bytes) + " bytes");
    return checkBuffer(argument.buffer, argument.offset);
  case Argument::Value:
    if (parameter.tensorMap || parameter.bytes > 8)
      return failed("is a value of at most 8 bytes, expected " +
                    Twine(parameter.bytes) + " bytes");
    if (parameter.pointer && argument.value)
      return failed("is a value, expected a pointer into a buffer");
    if (parameter.bytes < 8 && argument.value >> (8 * parameter.bytes))
      return failed("is " + Twine(argument.value) +
                    ", expected what fits into " + Twine(parameter.bytes) +
                    " bytes");
    return Error::success();
  case Argument::Map:
    if (!parameter.tensorMap)
      return failed("is a tensor map, expected " + Twine(parameter.bytes) +
                    " bytes");
    return checkBuffer(argument.map.buffer, argument.map.offset);
  }
  llvm_unreachable("unknown kind of argument");
}

static Error check(const Program &program, const Launch &launch,
                   const RunOptions &options) {
  if (Error error = checkShape(program, launch))
    return error;
  if (launch.arguments.size() != program.parameters.size())
    return createStringError("found " + Twine(launch.arguments.size()) +
                             " arguments, kernel '" + program.symbol +
                             "' has " + Twine(program.parameters.size()) +
                             " parameters");
  for (const Buffer &buffer : launch.buffers)
    if (!buffer.data && buffer.bytes)
      return createStringError("buffer '" + buffer.name + "' has no memory");
  for (auto [i, argument] : enumerate(launch.arguments))
    if (Error error = checkArgument(launch, argument, program.parameters[i], i))
      return error;
  uint64_t blocks = product(launch.grid);
  for (auto [i, block] : enumerate(options.blocks)) {
    if (block >= blocks)
      return createStringError("block " + Twine(block) +
                               " is to run, the grid has " + Twine(blocks));
    if (i && options.blocks[i - 1] >= block)
      return createStringError("blocks to run are not in ascending order");
  }
  return Error::success();
}

Expected<RunReport> Kernel::run(const Launch &launch,
                                const RunOptions &options) {
  const Program &program = *impl->program;
  if (Error error = check(program, launch, options))
    return std::move(error);
  struct alignas(64) Storage {
    char bytes[128] = {};
  };
  std::vector<Storage> storage(launch.arguments.size());
  std::vector<void *> pointers;
  for (auto [argument, parameter] : zip(launch.arguments, storage)) {
    pointers.push_back(parameter.bytes);
    if (argument.kind == Argument::Map) {
      const Buffer &buffer = launch.buffers[argument.map.buffer];
      if (Error error = encodeTensorMap(argument.map, parameter.bytes,
                                        buffer.data + argument.map.offset))
        return std::move(error);
      continue;
    }
    uint64_t value = argument.value;
    if (argument.kind == Argument::Pointer)
      value = reinterpret_cast<uint64_t>(launch.buffers[argument.buffer].data) +
              argument.offset;
    std::memcpy(parameter.bytes, &value, sizeof(value));
  }
  return runProgram(program, launch, options, pointers);
}

} // namespace lathe::sim
