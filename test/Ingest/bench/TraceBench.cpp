//===- TraceBench.cpp - How fast traces are read --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KinetoReader.h"

#include <benchmark/benchmark.h>

#include <cstring>

using namespace lathe;
using llvm::StringRef;

/// Events as the PyTorch profiler writes them; @I is the call's number, @S its
/// start, @R its rows, @F the Python frame.
static constexpr const char *frameText = R"json({
  "ph": "X", "cat": "python_function",
  "name": "module.py(1553): _call_impl", "pid": 1, "tid": 1,
  "ts": @S.@F00, "dur": 15.5,
  "args": {
    "Python parent id": @F, "Python id": @I, "Ev Idx": 1
  }
},
)json";
static constexpr const char *callText = R"json({
  "ph": "X", "cat": "cpu_op", "name": "_C::rms_norm", "pid": 1, "tid": 1,
  "ts": @S.750, "dur": 8.5,
  "args": {
    "External id": @I, "Record function id": 0,
    "Concrete Inputs": ["", "", "", "1e-06"],
    "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar"],
    "Input Strides": [[4096, 1], [4096, 1], [1], []],
    "Input Dims": [[@R, 4096], [@R, 4096], [4096], []], "Ev Idx": 1
  }
},
{
  "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
  "tid": 1, "ts": @S.999, "dur": 2.25,
  "args": {
    "External id": @I, "cbid": 211, "correlation": 9@I
  }
},
{
  "ph": "s", "id": 9@I, "pid": 1, "tid": 1, "ts": @S.999,
  "cat": "ac2g", "name": "ac2g"
},
{
  "ph": "X", "cat": "kernel",
  "name": "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, float)",
  "pid": 0, "tid": 7, "ts": @S.999, "dur": 3.5,
  "args": {
    "External id": @I, "queued": 0, "device": 0, "context": 1, "stream": 7,
    "correlation": 9@I, "registers per thread": 32, "shared memory": 0,
    "blocks per SM": 0.1, "warps per SM": 0.1, "grid": [128, 1, 1],
    "block": [512, 1, 1], "est. achieved occupancy %": 5
  }
},
{
  "ph": "f", "id": 9@I, "pid": 0, "tid": 7, "ts": @S.999,
  "cat": "ac2g", "name": "ac2g", "bp": "e"
})json";

static void append(std::string &text, StringRef pattern, size_t call,
                   int frame) {
  while (!pattern.empty()) {
    auto [plain, rest] = pattern.split('@');
    text.append(plain.data(), plain.size());
    if (rest.empty())
      return;
    text += std::to_string(rest[0] == 'I'   ? call
                           : rest[0] == 'S' ? 20 * call
                           : rest[0] == 'R' ? call % 7 + 1
                                            : size_t(frame));
    pattern = rest.drop_front();
  }
}

/// `frames` are the Python frames around each call: 0 for a trace that was
/// recorded without stacks.
static void BM_ReadTrace(benchmark::State &state) {
  constexpr size_t size = 64 << 20;
  std::string text = "{\"record_shapes\": 1, \"traceEvents\": [\n";
  text.reserve(size + (4 << 20));
  size_t numCalls = 0;
  for (; text.size() < size; ++numCalls) {
    text += numCalls ? ",\n" : "";
    for (int frame = 0; frame != state.range(0); ++frame)
      append(text, frameText, numCalls, frame);
    append(text, callText, numCalls, 0);
  }
  text += "\n]}\n";
  for (auto _ : state) {
    StringRef rest = text;
    auto read = [&](char *to, size_t size) {
      StringRef part = rest.take_front(size);
      memcpy(to, part.data(), part.size());
      rest = rest.drop_front(part.size());
      return part.size();
    };
    TraceEvents events;
    if (llvm::Error error = readKineto(read, events)) {
      state.SkipWithError(llvm::toString(std::move(error)).c_str());
      break;
    }
    if (events.ops.size() != numCalls || events.kernels.size() != numCalls ||
        events.flowEnds.size() != numCalls) {
      state.SkipWithError("not every call was read");
      break;
    }
  }
  state.SetBytesProcessed(int64_t(state.iterations() * text.size()));
}
BENCHMARK(BM_ReadTrace)
    ->ArgName("frames")
    ->Arg(6)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
