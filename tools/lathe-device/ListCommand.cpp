//===- ListCommand.cpp - What a candidate file holds ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "lathe/Measure/Candidates.h"
#include "lathe/Records/Records.h"

#include <cstdio>
#include <memory>

using namespace lathe;
using namespace lathe::device;

static void list(const std::string &path) {
  auto file = measure::CandidateFile::open(path);
  const measure::Candidates &plan = file.plan();
  printf("%s: %zu kernels of %zu entries for %s (%s), lathe %s\n", path.c_str(),
         plan.kernels.size(), plan.entries.size(), plan.target.name.c_str(),
         plan.target.arch.c_str(), plan.lathe.c_str());
  printf("sha256 %s\n", file.hash().c_str());
  for (size_t e = 0; e != plan.entries.size(); ++e) {
    const measure::EntryPlan &entry = plan.entries[e];
    const measure::ReferencePlan &reference = plan.references[entry.reference];
    printf("\n%s (%s)%s%s\n", entry.name.c_str(), entry.op.c_str(),
           reference.missing.empty() ? "" : ", no reference: ",
           reference.missing.c_str());
    for (const measure::Problem &problem : plan.problems)
      if (problem.entry == e)
        printf("  %-5s %s (%s)\n", problem.timed ? "time" : "check",
               records::dimsText(problem.dims).c_str(), problem.why.c_str());
    for (const measure::KernelPlan &kernel : plan.kernels)
      if (kernel.entry == e)
        printf("  kernel %s, %zu problems%s%s\n", kernel.name.c_str(),
               kernel.launches.size(),
               kernel.refused.empty() ? "" : ", refused: ",
               kernel.refused.c_str());
  }
}

void lathe::device::addListCommand(CLI::App &app) {
  auto path = std::make_shared<std::string>();
  CLI::App *command =
      app.add_subcommand("list", "Lists what a candidate file holds");
  command->add_option("file", *path, "Candidate file")->required();
  command->callback([path] { list(*path); });
}
