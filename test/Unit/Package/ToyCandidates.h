//===- ToyCandidates.h - A small candidate plan -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_PACKAGE_TOYCANDIDATES_H
#define LATHE_TEST_UNIT_PACKAGE_TOYCANDIDATES_H

#include "lathe/Measure/Candidates.h"
#include "lathe/Package/Package.h"

namespace lathe::test {

/// out[t, h] = x[t, h] + s over f32, at one timed size and one check; every
/// field has a value of its own. Images view static memory.
inline measure::Candidates toyCandidates() {
  using namespace measure;
  Candidates plan;
  plan.lathe = "0.1.0";
  plan.tools = "tools";
  plan.target = {"h200", "sm_90a", {{"f32", 67e12}}, 4.8e12, 3.2};
  EntryPlan entry;
  entry.name = "add";
  entry.op = "add_one";
  entry.dtypes = {{"DT", "f32"}};
  entry.options = {{"MODE", "plain"}};
  entry.operands = {{"x", "f32", false, -1, {}},
                    {"out", "f32", true, 0, {2, 0.5, 0.25, 0.125, 0.0625}}};
  entry.scalars = {"s"};
  entry.importance = 0.75;
  plan.entries.push_back(entry);
  ReferencePlan reference;
  reference.op = "add_one";
  reference.symbol = "lathe_reference_add_one";
  reference.image = 1;
  reference.rowRank = 1;
  reference.usesHeap = true;
  reference.scalarDTypes = {"f32"};
  plan.references.push_back(reference);
  for (bool timed : {true, false}) {
    Problem problem;
    problem.why = timed ? "hot" : "padded rows";
    int64_t rows = timed ? 4 : 3, pitch = timed ? 8 : 11;
    problem.dims = {{"H", 8}, {"T", rows}, {"XS", pitch}};
    problem.views = {{{rows, 8}, {pitch, 1}}, {{rows, 8}, {8, 1}}};
    problem.referenceDims = {rows, 8, pitch};
    problem.referenceOptions = {0};
    problem.referenceRows = {rows};
    DrawPlan draw;
    draw.name = timed ? "realistic" : "tiny";
    draw.sources.resize(2);
    draw.sources[0].kind = DrawKind::Uniform;
    draw.sources[0].scale = 0.02;
    draw.sources[0].finite = true;
    draw.sources[0].huge = false;
    draw.sources[0].bound = 7;
    draw.lists.resize(2);
    draw.scalars = {timed ? 1.0 : __builtin_inf()};
    problem.draws.push_back(draw);
    problem.timed = timed;
    problem.phase = timed ? "decode" : "";
    problem.weight = timed ? 0.5 : 0;
    problem.count = timed ? 100 : 0;
    problem.flops = 32;
    problem.bytes = 256;
    problem.rooflineUs = 0.001;
    plan.problems.push_back(problem);
  }
  KernelPlan kernel;
  kernel.name = "add_one.rows.sm_90a.a_16";
  kernel.symbol = "add_one__rows__sm_90a__a_16";
  kernel.templateName = "rows";
  kernel.schedule = "ROWS=1";
  kernel.role = "generic";
  kernel.origin = "template";
  kernel.block[0] = 128;
  kernel.sharedBytes = 1024;
  kernel.registers = 32;
  kernel.spillBytes = 4;
  kernel.staticSharedBytes = 16;
  kernel.codeBytes = 4;
  for (uint32_t problem : {0, 1}) {
    LaunchPlan launch;
    launch.problem = problem;
    launch.grid[0] = 4 - problem;
    launch.arguments = {{Argument::Operand, 0},
                        {Argument::Operand, 1},
                        {Argument::I64, ~uint64_t(0)},
                        {Argument::Scalar, 0, "f32"}};
    launch.maps = {{0,
                    "f32",
                    {8, uint64_t(4 - problem)},
                    {problem ? 48u : 32u},
                    {4, 4},
                    32}};
    launch.alignment = 16;
    launch.modelUs = 3.5;
    kernel.launches.push_back(launch);
  }
  plan.kernels.push_back(kernel);
  KernelPlan refused = kernel;
  refused.name = "mine";
  refused.origin = "external";
  refused.form = "cuda";
  refused.proof = "sanitizer";
  refused.refused = "calls 'printf'";
  refused.launches.clear();
  plan.kernels.push_back(refused);
  plan.images = {{"", false, "code"}, {"", true, std::string_view("ptx\0", 4)}};
  for (Image &image : plan.images)
    image.sha256 = sha256Hex(image.bytes);
  return plan;
}

} // namespace lathe::test

#endif // LATHE_TEST_UNIT_PACKAGE_TOYCANDIDATES_H
