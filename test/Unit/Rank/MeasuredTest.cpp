//===- MeasuredTest.cpp - Measurements decide, where there are any --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryTimes.h"
#include "Plan/Fixture.h"
#include "lathe/Plan/ReadProblem.h"
#include "lathe/Rank/Rank.h"

#include "Tile/Tile.h"

#include <cmath>

using namespace lathe;
using namespace lathe::test;

namespace {

const std::vector<std::tuple<int64_t, int64_t, double>> points = {
    {64, 128, 0.2}, {4096, 128, 0.5}};

SizeKey size(int64_t t, int64_t h = 128) {
  return {{"H", h}, {"T", t}, {"XS", h}};
}

KernelTime measured(double us, double width = 0.002) {
  KernelTime time(us);
  time.lowUs = us * (1 - width);
  time.highUs = us * (1 + width);
  time.source = KernelTime::Measured;
  return time;
}

class Measured : public ::testing::Test {
protected:
  Measured() {
    mlir::DialectRegistry registry;
    registry.insert<tile::TileDialect>();
    context.appendDialectRegistry(registry);
    EnumerateOptions enumerate;
    enumerate.templateDirs = {templateDir()};
    enumerate.exact = 0;
    module = llvm::cantFail(importProblem(context, workload(points)));
    llvm::cantFail(enumerateCandidates(*module, enumerate));
    input = llvm::cantFail(readProblem(*module));
    read();
    options.times = &times;
  }

  void read() {
    kernels = readCandidates(*module);
    buckets.clear();
    for (const PlannedKernel &kernel : kernels)
      if (kernel.role == KernelRole::Bucket)
        buckets.push_back(&kernel);
      else
        generic = &kernel;
  }

  const OpSetEntry &entry() { return input.opset.entries[0]; }
  const OperatorSpec &spec() { return operatorOf(input, entry()); }

  ShapeFacts facts(int64_t t, int64_t h = 128) {
    return llvm::cantFail(
        factsOf(spec(), entry(), {{"T", t}, {"H", h}, {"XS", h}}));
  }
  double model(const PlannedKernel &kernel, int64_t t, int64_t h = 128) {
    return modelTime(kernel, spec(), input.targets[0], facts(t, h));
  }
  /// Says that the kernel takes `factor` times what the model thinks.
  void measure(const PlannedKernel &kernel, int64_t t, double factor) {
    at(kernel).times[size(t)] = measured(model(kernel, t) * factor);
  }
  MeasuredKernel &at(const PlannedKernel &kernel) {
    return times.kernels[{"scaled", kernel.kernel}];
  }
  EntryTimes entryTimes() {
    std::vector<const PlannedKernel *> all;
    for (const PlannedKernel &kernel : kernels)
      all.push_back(&kernel);
    return EntryTimes(spec(), entry(), input.targets[0], &times, all);
  }
  Selection select() { return llvm::cantFail(selectKernels(*module, options)); }
  /// The kernels of the first table that are not generic.
  std::vector<std::string> chosen(const Selection &selection) {
    std::vector<std::string> names;
    for (const DispatchCase &row : selection.tables[0].cases)
      if (row.kind != CaseKind::Generic &&
          !llvm::is_contained(names, row.kernel))
        names.push_back(row.kernel);
    return names;
  }
  /// All kernels at all points: the buckets as `us` says, the generic at 10.
  void measureAll(llvm::function_ref<double(size_t bucket, int64_t t)> us) {
    for (int64_t t : {64, 4096}) {
      at(*generic).times[size(t)] = measured(10);
      for (size_t i = 0; i < buckets.size(); ++i)
        at(*buckets[i]).times[size(t)] = measured(us(i, t));
    }
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  PlanInput input;
  std::vector<PlannedKernel> kernels;
  std::vector<const PlannedKernel *> buckets;
  const PlannedKernel *generic = nullptr;
  MeasuredTimes times;
  SelectOptions options;
};

} // namespace

TEST(Ties, AreWithinConfidenceOrTolerance) {
  auto time = [](double us, double low, double high) {
    KernelTime made(us);
    made.lowUs = low;
    made.highUs = high;
    return made;
  };
  EXPECT_TRUE(isTie(time(10, 10, 10), time(10.1, 10.1, 10.1), 0.01));
  EXPECT_FALSE(isTie(time(10, 10, 10), time(10.2, 10.2, 10.2), 0.01));
  EXPECT_TRUE(isTie(time(10, 9.5, 10.6), time(11, 10.5, 11.5), 0.01));
  EXPECT_TRUE(isTie(time(11, 10.5, 11.5), time(10, 9.5, 10.6), 0.01));
  EXPECT_FALSE(isTie(time(10, 9.5, 10.4), time(11, 10.5, 11.5), 0.01));
  KernelTime never(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(isTie(never, time(10, 10, 10), 0.01));
  EXPECT_TRUE(isTie(never, never, 0.01));
}

TEST_F(Measured, TheModelIsCorrectedBetweenMeasurements) {
  const PlannedKernel &kernel = *buckets[0];
  measure(kernel, 64, 2);
  measure(kernel, 4096, 1);
  EntryTimes all = entryTimes();
  KernelTime exact = all.at(kernel, facts(64));
  EXPECT_EQ(exact.source, KernelTime::Measured);
  EXPECT_DOUBLE_EQ(exact.us, model(kernel, 64) * 2);

  auto factor = [&](int64_t t) {
    KernelTime time = all.at(kernel, facts(t));
    EXPECT_EQ(time.source, KernelTime::Corrected);
    EXPECT_LT(time.lowUs, time.us);
    EXPECT_GT(time.highUs, time.us);
    return time.us / model(kernel, t);
  };
  // Half way by the logarithm of the size: the factors' geometric mean.
  EXPECT_NEAR(factor(512), std::sqrt(2), 0.02);
  EXPECT_GT(factor(128), factor(1024));
  // Beyond them the nearest holds.
  EXPECT_NEAR(factor(1), 2, 1e-9);
  EXPECT_NEAR(factor(1 << 20), 1, 1e-9);
}

TEST_F(Measured, OtherKernelsAreScaledByTheUsualError) {
  measure(*buckets[0], 64, 2);
  measure(*buckets[0], 4096, 3);
  measure(*buckets[1], 64, 3);
  EntryTimes all = entryTimes();
  KernelTime guess = all.at(*buckets[2], facts(512));
  EXPECT_EQ(guess.source, KernelTime::Model);
  EXPECT_NEAR(guess.us, model(*buckets[2], 512) * 3, 1e-9);
}

TEST_F(Measured, NobodyIsThoughtFasterThanWhatWasMeasured) {
  measure(*buckets[0], 64, 2);
  measure(*buckets[1], 64, 5);
  measure(*generic, 64, 50);
  // All others are thought to take a tenth of what the model says.
  for (int64_t t : {1, 2, 4096, 8192})
    measure(*buckets[0], t, 0.1);
  at(*buckets[2]).passed = true;
  EntryTimes all = entryTimes();
  double slowest =
      std::max(model(*buckets[0], 64) * 2, model(*buckets[1], 64) * 5);
  KernelTime guess = all.at(*buckets[2], facts(64));
  EXPECT_EQ(guess.source, KernelTime::Model);
  EXPECT_DOUBLE_EQ(guess.us, slowest);
  EXPECT_LE(guess.lowUs, guess.us);
  EXPECT_GE(guess.highUs, guess.us);
  EXPECT_LT(all.at(*buckets[2], facts(4097)).us,
            model(*buckets[2], 4097) * 0.2);
  // Of one that nobody has records of, the model tells.
  at(*buckets[2]).passed = false;
  EXPECT_LT(entryTimes().at(*buckets[2], facts(64)).us, slowest);
}

TEST_F(Measured, NoHonestTimeNoCase) {
  measure(*buckets[0], 64, 1);
  at(*buckets[0]).voids[size(4096)] = "throttled";
  at(*generic).voids[size(4096)] = "throttled";
  EntryTimes all = entryTimes();
  EXPECT_TRUE(std::isinf(all.at(*buckets[0], facts(4096)).us));
  // There is nothing else for what only the generic kernel serves.
  EXPECT_TRUE(std::isfinite(all.at(*generic, facts(4096)).us));
}

TEST_F(Measured, RecordsOfOtherDimsAreLeftOut) {
  at(*buckets[0]).times[{{"T", 64}}] = measured(1e6);
  at(*buckets[0]).times[{{"T", -1}, {"H", 128}, {"XS", 1}}] = measured(1e6);
  EntryTimes all = entryTimes();
  EXPECT_TRUE(all.sizes().empty());
  EXPECT_EQ(all.at(*buckets[0], facts(64)).us, model(*buckets[0], 64));
}

TEST_F(Measured, TheFastestWinsAndSaysByHowMuch) {
  ASSERT_GE(buckets.size(), 3u);
  measureAll([](size_t bucket, int64_t) { return bucket == 2 ? 4 : 5; });
  Selection selection = select();
  EXPECT_EQ(chosen(selection), std::vector<std::string>{buckets[2]->kernel});
  const DispatchCase &row = selection.tables[0].cases[0];
  EXPECT_EQ(row.origin, "measured");
  ASSERT_TRUE(row.measured);
  EXPECT_EQ(row.measured->dims, "H=128,T=4096,XS=128");
  EXPECT_EQ(row.measured->us, 4);
  EXPECT_NEAR(row.measured->ratio, 1.25, 1e-9);
  EXPECT_LT(row.measured->ratioLow, 1.25);
  EXPECT_GT(row.measured->ratioHigh, 1.25);
  EXPECT_EQ(selection.tables[0].cases.back().origin, "template");

  // Where both were interleaved, their pairs say by how much.
  std::string runnerUp = row.measured->runnerUp;
  at(*buckets[2]).against[size(4096)][runnerUp] = {1.3, 1.2, 1.4};
  selection = select();
  EXPECT_EQ(selection.tables[0].cases[0].measured->ratio, 1.3);
  EXPECT_EQ(selection.tables[0].cases[0].measured->ratioHigh, 1.4);
}

TEST_F(Measured, ABucketIsCutWhereAnotherKernelWins) {
  measureAll([](size_t bucket, int64_t t) {
    return bucket == size_t(t == 64) ? 4.0 : 5.0;
  });
  Selection selection = select();
  auto kernelAt = [&](int64_t t) {
    Bindings dims{{"T", t}, {"H", int64_t(128)}, {"XS", int64_t(128)}};
    return llvm::find_if(selection.tables[0].cases,
                         [&](const DispatchCase &row) {
                           return admits(row.guards, dims);
                         })
        ->kernel;
  };
  EXPECT_EQ(kernelAt(64), buckets[1]->kernel);
  EXPECT_EQ(kernelAt(4096), buckets[0]->kernel);
}

/// Of a range without outputs, or beyond the gate's memory, nothing is proven.
TEST_F(Measured, EveryRangeHasSizesToProve) {
  // One wins at 64 rows and where memory ends, the other from 4096 on and where
  // there is nothing to do.
  constexpr int64_t most = int64_t(1) << 27, beyond = int64_t(1) << 30;
  for (int64_t t :
       {int64_t(0), int64_t(1), int64_t(64), int64_t(4096), most, beyond})
    for (size_t i = 0; i < buckets.size(); ++i) {
      size_t winner = t == 0 || t == 4096 || t == most;
      at(*buckets[i]).times[size(t)] = measured(i == winner ? 4 : 8);
    }
  Selection selection = select();
  std::vector<std::pair<int64_t, std::string>> ranges;
  for (const DispatchCase &row : selection.tables[0].cases)
    for (const DimGuard &guard : row.guards)
      if (guard.dim == "T" && row.kind == CaseKind::Bucket)
        ranges.emplace_back(guard.lo, row.kernel);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0], std::make_pair(int64_t(0), buckets[0]->kernel));
  EXPECT_EQ(ranges[1].second, buckets[1]->kernel);
}

TEST_F(Measured, ATieGoesToTheSimplest) {
  for (const PlannedKernel &kernel : kernels) {
    ResourceUsage usage;
    usage.registers = 32;
    bool small = &kernel == buckets[1];
    llvm::cantFail(
        attachUsage(*module, kernel.kernel, usage, small ? 1000 : 2000));
  }
  read();
  // The first is faster, but by less than the measurement repeats to.
  measureAll([](size_t bucket, int64_t) {
    return bucket == 0 ? 4 : bucket == 1 ? 4.01 : 5;
  });
  EXPECT_EQ(chosen(select()), std::vector<std::string>{buckets[1]->kernel});
  // And none is added that only ties with the generic kernel.
  measureAll([](size_t, int64_t) { return 9.95; });
  EXPECT_TRUE(chosen(select()).empty());
}

TEST_F(Measured, TheBudgetKeepsTheBest) {
  measureAll([](size_t bucket, int64_t t) {
    // Two specialists, and one that is nearly as good at both.
    if (bucket == 2)
      return 4.4;
    return bucket == size_t(t == 64) ? 4.0 : 8.0;
  });
  options.maxKernels = 2;
  EXPECT_EQ(chosen(select()), std::vector<std::string>{buckets[2]->kernel});
}

TEST_F(Measured, WhatTheDeviceRefusedDoesNotShip) {
  measureAll([](size_t bucket, int64_t) { return bucket == 2 ? 4 : 5; });
  at(*buckets[2]).refused = "WRONG: half of it";
  Selection selection = select();
  EXPECT_FALSE(llvm::is_contained(chosen(selection), buckets[2]->kernel));
  EXPECT_TRUE(llvm::any_of(selection.rejected, [&](const PrunedKernel &kernel) {
    return kernel.kernel == buckets[2]->kernel &&
           kernel.reason == "WRONG: half of it";
  }));
  at(*generic).refused = "RACY: at T=64";
  selection = select();
  EXPECT_TRUE(selection.tables.empty());
  EXPECT_EQ(selection.coverage.rows[0].reason,
            "generic kernel " + generic->kernel + ": RACY: at T=64");
}

TEST_F(Measured, TheModelIsHeldAgainstTheDevice) {
  measureAll([](size_t bucket, int64_t) { return bucket == 2 ? 4 : 5; });
  Selection selection = select();
  ASSERT_EQ(selection.modelFits.size(), 1u);
  const ModelFit &fit = selection.modelFits[0];
  EXPECT_EQ(fit.entry, "scaled");
  EXPECT_EQ(fit.sizes, 2u);
  EXPECT_EQ(fit.kernels, kernels.size());
  EXPECT_GE(fit.regret1, fit.regret4);
  ASSERT_EQ(fit.bySize.size(), 2u);
  const SizeFit &size = fit.bySize[0];
  EXPECT_EQ(size.best, buckets[2]->kernel);
  EXPECT_EQ(size.bestUs, 4);
  EXPECT_EQ(size.kernels, kernels.size());
  EXPECT_EQ(size.dims.size(), 2u);
  EXPECT_EQ(size.answer.regret8, 0);
  std::string text;
  llvm::raw_string_ostream os(text);
  printRegret(os, fit);
  EXPECT_NE(text.find("T=64 H="), std::string::npos) << text;
  EXPECT_NE(text.find("within 3 % at 2 of 2 sizes"), std::string::npos) << text;
  llvm::json::Value json = modelFitsToJson(fit);
  const llvm::json::Object &record = *(*json.getAsArray())[0]
                                          .getAsObject()
                                          ->getArray("by_size")
                                          ->front()
                                          .getAsObject();
  EXPECT_EQ(record.getString("best"), llvm::StringRef(buckets[2]->kernel));
  EXPECT_EQ(record.getInteger("best_rank"), int64_t(size.answer.bestRank));
  times.kernels.clear();
  EXPECT_TRUE(select().modelFits.empty());
}

TEST(Fit, IsOfOrderAndRegret) {
  std::vector<FitSample> same = {{1, 10}, {2, 20}, {3, 30}, {4, 40}, {5, 50}};
  FitAnswer answer = fitOf(same);
  EXPECT_DOUBLE_EQ(answer.correlation, 1);
  EXPECT_DOUBLE_EQ(answer.regret1, 0);
  std::vector<FitSample> opposite = {
      {1, 50}, {2, 40}, {3, 30}, {4, 20}, {5, 10}};
  answer = fitOf(opposite);
  EXPECT_DOUBLE_EQ(answer.correlation, -1);
  EXPECT_DOUBLE_EQ(answer.regret1, 4);
  EXPECT_DOUBLE_EQ(answer.regret4, 1);
  EXPECT_DOUBLE_EQ(answer.regret8, 0);
  EXPECT_EQ(answer.bestRank, 5u);
  EXPECT_EQ(answer.best, 4u);
  // A model that cannot tell them apart picks the slowest.
  std::vector<FitSample> blind = {{1, 10}, {1, 20}, {1, 15}};
  answer = fitOf(blind);
  EXPECT_DOUBLE_EQ(answer.correlation, 0);
  EXPECT_DOUBLE_EQ(answer.regret1, 1);
  EXPECT_EQ(answer.bestRank, 3u);
}
