//===- LayoutChoices.cpp - What layouts accesses want ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutChoices.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

MmaAttr tile::chooseAsyncSums(KernelOp kernel, DotOp dot, int64_t numThreads) {
  RankedTensorType type = dot.getResult().getType();
  int64_t rows = type.getShape()[0], columns = type.getShape()[1];
  constexpr int64_t fragmentColumns = 8;
  int64_t groups = numThreads / kWarpgroupThreads;
  if (*kernel.getWave() != 32 || numThreads % kWarpgroupThreads != 0 ||
      rows % (kWarpgroupRows * groups) != 0 || columns % fragmentColumns != 0) {
    dot.emitError() << "accumulator " << type << " of an asynchronous product "
                    << "by " << numThreads << " threads in waves of "
                    << *kernel.getWave()
                    << ", expected 64 rows for each 128 threads in waves of "
                       "32, and a multiple of 8 columns";
    return {};
  }
  return MmaAttr::get(kernel.getContext(), Fragment::M16N8, {4 * groups, 1});
}

bool tile::takesSums(DotOp dot) {
  return isa<RankedTensorType>(dot.getA().getType()) &&
         !isa<RankedTensorType>(dot.getB().getType());
}

MmaAttr tile::chooseSums(KernelOp kernel, ArrayRef<DotOp> dots,
                         int64_t numThreads) {
  int64_t wave = *kernel.getWave();
  DotOp first = dots.front();
  if (wave != 32 && wave != 64) {
    first.emitError() << "no fragments for waves of " << wave
                      << " threads, expected 32 or 64";
    return {};
  }
  int64_t parts = std::max<int64_t>(kernel.getParts(), 1);
  if (numThreads % (wave * parts) != 0) {
    first.emitError() << "schedule has PARTS = " << parts
                      << ", expected a divisor of the " << numThreads / wave
                      << " warps";
    return {};
  }
  int64_t numWarps = numThreads / wave / parts;
  bool byRows = kernel.getParts() == 0 &&
                llvm::any_of(dots, [](DotOp dot) { return takesSums(dot); });
  for (Fragment fragment :
       {Fragment::M32N32, Fragment::M16N16, Fragment::M16N8}) {
    MmaAttr best;
    int64_t fewest = 0;
    for (int64_t down = byRows ? numWarps : 1; down <= numWarps; ++down) {
      if (numWarps % down != 0)
        continue;
      int64_t across = numWarps / down, reads = 0;
      auto layout = MmaAttr::get(kernel.getContext(), fragment,
                                 ArrayRef<int64_t>{down, across}, parts);
      bool fits = layout.getWave() == wave;
      for (DotOp dot : dots) {
        ArrayRef<int64_t> shape = dot.getResult().getType().getShape();
        fits &= shape[0] % layout.getTurnSize(0) == 0 &&
                shape[1] % layout.getTurnSize(1) == 0;
        reads += shape[0] / down + shape[1] / across;
      }
      if (!fits || (best && reads > fewest))
        continue;
      best = layout;
      fewest = reads;
    }
    if (best)
      return best;
  }
  InFlightDiagnostic diag = first.emitError();
  diag << "sums cannot be shared out in fragments of "
       << (wave == 32 ? "16x8" : "16x16") << " to " << numWarps << " warps"
       << (byRows ? ", each with whole rows of products that take each "
                    "other's:"
                  : ":");
  for (DotOp dot : dots)
    diag << " " << dot.getResult().getType();
  return {};
}

/// How many rows of a loaded tile follow each other in memory more closely
/// than vectors of a row do, as far as strides are known.
static int64_t nearRows(LoadOp load, int64_t vector, int64_t numThreads) {
  if (!load.getAlong() || load.getAlong()->size() != 2)
    return 1;
  ViewType view = load.getView().getType();
  int64_t down = load.getAlong()->front(), across = load.getAlong()->back();
  // From an element to the one `step` further on, and how many of those a run
  // has, if there are runs.
  using Step = std::pair<std::optional<int64_t>, std::optional<int64_t>>;
  auto walk = [&](int64_t dim, int64_t step) -> Step {
    std::optional<int64_t> stride = view.getStride(dim).asConstant();
    if (!view.isSplit(dim))
      return {stride ? std::optional(*stride * step) : stride, std::nullopt};
    auto run = view.getSplits()[dim].getExpr().asConstant();
    auto inRun = view.getRunStrides()[dim].getExpr().asConstant();
    if (!run || !stride || !inRun)
      return {};
    if (*run > step)
      return {*inRun * step, *run / step};
    return {*stride * step / *run, std::nullopt};
  };
  auto [rowStep, rows] = walk(down, 1);
  auto [vectorStep, vectors] = walk(across, vector);
  bool isNear = rowStep && vectorStep && *rowStep < *vectorStep;
  return isNear ? rows.value_or(numThreads) : 1;
}

LayoutInterface tile::chooseCopy(KernelOp kernel, RankedTensorType type,
                                 LoadOp load, int64_t numThreads) {
  int64_t columns = type.getShape()[1];
  int64_t vector =
      std::gcd(kernel.getScheduleValue("VEC").value_or(1), columns);
  auto byRows =
      BlockedAttr::byRows(kernel.getContext(), columns, vector, numThreads);
  int64_t near = load ? nearRows(load, vector, numThreads) : 1;
  if (near <= 1)
    return byRows;
  int64_t across = numThreads / std::gcd(numThreads, near);
  if (across * vector > columns || columns % vector != 0)
    return byRows;
  auto byColumns = BlockedAttr::get(kernel.getContext(), {vector, 1},
                                    {across, numThreads / across});
  return TransposedAttr::get(kernel.getContext(), byColumns);
}

BlockedAttr tile::chooseDefault(KernelOp kernel, RankedTensorType type,
                                int64_t numThreads) {
  int64_t rank = type.getRank();
  SmallVector<int64_t> vector(rank, 1), threads(rank, 1);
  vector.back() = std::gcd(kernel.getScheduleValue("VEC").value_or(1),
                           type.getShape().back());
  if (rank > 1) {
    int64_t rows = std::min(type.getShape()[rank - 2], numThreads);
    while (numThreads % rows != 0)
      --rows;
    int64_t wave = *kernel.getWave();
    int64_t vectors = type.getShape().back() / vector.back();
    while (rows % 2 == 0 && numThreads / rows < std::min(wave, vectors))
      rows /= 2;
    threads[rank - 2] = rows;
  }
  threads.back() = numThreads / (rank > 1 ? threads[rank - 2] : 1);
  return BlockedAttr::get(kernel.getContext(), vector, threads);
}
