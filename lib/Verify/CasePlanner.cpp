//===- CasePlanner.cpp - The trials of one dispatch case ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CasePlanner.h"

#include "lathe/Ingest/Figures.h"
#include "lathe/Verify/Inputs.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace lathe;

/// Ragged sizes: one, and primes with room between them.
static constexpr int64_t ladder[] = {
    1, 2, 3, 5, 7, 13, 17, 31, 37, 61, 67, 127, 131, 251, 257, 509, 521, 1031};
/// Launches of a thorough trial: without schedules, and the fewest schedules.
static constexpr unsigned thoroughDraws = 6, fewestSchedules = 3;
/// What a reference costs of a launch on the simulator.
static constexpr double referenceShare = 0.2;

static DispatchCase guardedBy(const DispatchCase &row,
                              std::vector<DimGuard> guards) {
  DispatchCase own = row;
  own.guards = std::move(guards);
  return own;
}

CasePlanner::CasePlanner(const TrialQuestion &question, size_t row,
                         std::vector<DimGuard> guards, Scope scope,
                         TrialPlan &plan, std::set<std::string> &known)
    : question(question), row(row),
      own(guardedBy(question.cases[row], std::move(guards))), scope(scope),
      sizes(question, own), plan(plan), known(known) {
  for (const DimSpec *dim : sizes.open(DimKind::Request))
    if (!dim->defaultValue)
      free.push_back(dim);
  // One open static dim has trials of its own.
  if (!onlyStatic())
    for (const DimSpec *dim : sizes.open(DimKind::Static))
      if (!dim->defaultValue)
        free.push_back(dim);
  ragged = base();
}

void CasePlanner::leaveOut(const llvm::Twine &why) {
  plan.leftOut.push_back(why.str());
}

/// Of what blocks may take to be simulated: of sequences it is seldom matrix
/// units' alone, and their reference's too.
double CasePlanner::listShare() const {
  return question.spec && hasLists(*question.spec) ? 0x1p-4 : 1;
}

/// Kernels whose blocks loop run with as few blocks as make them loop where
/// everything is small, and with so many that none loops for long elsewhere.
std::array<uint32_t, 3> CasePlanner::gridFor(const Trial &trial, uint64_t items,
                                             double work) const {
  std::array<uint32_t, 3> grid = trial.grid;
  uint32_t step = question.gridStep;
  if (step == 0 || own.gridX.kind() != Expr::Kind::Min)
    return grid;
  constexpr uint64_t turns = 3;
  uint64_t other = uint64_t(grid[1]) * grid[2], along = items / other;
  if (trial.thorough)
    grid[0] = std::min(
        grid[0], uint32_t(llvm::alignTo(llvm::divideCeil(along, turns), step)));
  auto most = uint64_t(std::max(question.budget.sampledWork * listShare() /
                                    (work / double(items)),
                                double(turns)));
  uint64_t least = llvm::alignTo(llvm::divideCeil(along, most), step);
  if (least > grid[0] && least <= INT32_MAX)
    grid[0] = uint32_t(least);
  return grid;
}

/// Whether all sequences are equal, so that blocks are.
static bool hasEvenLists(const Bindings &bindings) {
  return llvm::all_of(bindings, [](const auto &bound) {
    const ExprValue &value = bound.second;
    return !value.isList ||
           (!value.elements.empty() && value.elements.front() > 0 &&
            llvm::all_equal(value.elements));
  });
}

/// First, last and random blocks, as many as the budget has room for.
bool CasePlanner::sample(Trial &trial, uint64_t elements, uint64_t items,
                         double work, bool needed) const {
  const TrialBudget &budget = question.budget;
  uint64_t total = trial.totalBlocks();
  double block = work / double(items) * double(llvm::divideCeil(items, total));
  if (block > budget.blockWork * listShare())
    return false;
  uint64_t each = std::max<uint64_t>(elements / total, 1);
  uint64_t count = budget.sampledElements / each;
  count = std::max<uint64_t>(count, 2);
  // Both ends of what must be tried; of what is launched often, the last.
  double most = trial.thorough
                    ? budget.thoroughWork / (thoroughDraws + fewestSchedules)
                    : budget.sampledWork;
  bool both = needed && !trial.thorough && block <= budget.pairWork &&
              plan.work < budget.totalWork / 2;
  count = std::min(count, std::max<uint64_t>(both ? 2 : 1, most / block));
  count = std::min<uint64_t>({count, budget.blocks, total});
  // Of uneven sequences a few blocks may be none that has anything to do.
  constexpr uint64_t unevenBlocks = 64;
  if (!hasEvenLists(trial.bindings))
    count = std::min(std::max(count, unevenBlocks), total);
  // In a capped grid, blocks take turns; one of them has the end.
  uint64_t last = (items - 1) % total;
  std::set<uint64_t> chosen{last};
  if (count == 1 && !needed)
    chosen = {randomBits(question.seed, row, 0) % total};
  if (count > 1)
    chosen.insert({0, total - 1});
  if (count > 3) // neighbours of the ends
    chosen.insert({std::min<uint64_t>(1, total - 1),
                   total - std::min<uint64_t>(2, total)});
  for (uint64_t i = 0; chosen.size() < count && i < 64; ++i)
    chosen.insert(randomBits(question.seed, row, i) % total);
  // Which block of a grid of one size, or of sequences of any, has what is not
  // known.
  trial.hasShares = sizes.gridGrows() && hasEvenLists(trial.bindings);
  trial.hasFirst = trial.hasShares && chosen.count(0);
  trial.hasLast = trial.hasShares && chosen.count(last);
  trial.work = block * double(chosen.size());
  if (chosen.size() < total)
    trial.blocks.assign(chosen.begin(), chosen.end());
  return true;
}

/// Counts the trial's launches; false if the budget has no room for them.
bool CasePlanner::afford(Trial &trial, const Options &options) {
  const TrialBudget &budget = question.budget;
  double draws = trial.spec ? 2 : 1, launches = draws;
  if (trial.thorough) {
    double affordable = budget.thoroughWork / trial.work;
    double schedules =
        std::min<double>(affordable - (thoroughDraws - 1), question.schedules);
    bool isFirst = llvm::none_of(
        plan.trials, [](const Trial &other) { return other.thorough; });
    trial.thorough = isFirst || schedules >= fewestSchedules;
    if (trial.thorough) {
      trial.schedules =
          std::min(unsigned(std::max<double>(schedules, fewestSchedules)),
                   question.schedules);
      draws = thoroughDraws;
      launches = draws - 1 + trial.schedules;
    }
  }
  double work = trial.work * (launches + draws * referenceShare) +
                draws * sizes.drawWork(trial.bindings);
  if (!options.needed && plan.work + work > budget.totalWork)
    return false;
  plan.work += work;
  return true;
}

bool CasePlanner::add(const llvm::Twine &why, const Bindings &given,
                      const Options &options) {
  auto bindings = sizes.complete(given);
  if (!bindings)
    return false;
  auto extent = sizes.extent(*bindings);
  auto grid = sizes.grid(*bindings);
  auto items = sizes.items(*bindings);
  if (!extent || !grid || !items)
    return false;
  const TrialBudget &budget = question.budget;
  Trial trial;
  trial.why = why.str();
  trial.row = row;
  trial.bindings = std::move(*bindings);
  trial.grid = *grid;
  trial.thorough = options.thorough;
  trial.spec = options.spec;
  trial.isLong = sumsManyTerms(*question.spec, trial.bindings);
  trial.needed = options.needed;
  if (!budget.canMap(double(extent->maxBytes))) {
    leaveOut(why + ": an operand of " + llvm::Twine(extent->maxBytes) +
             " bytes");
    return false;
  }
  auto work = sizes.work(trial.bindings);
  if (!work) {
    leaveOut(why + ": more work than can be counted");
    return false;
  }
  trial.grid = gridFor(trial, *items, *work);
  trial.work = *work;
  if (extent->elements > budget.fullElements || *work > budget.fullWork) {
    bool isSampled =
        sample(trial, extent->elements, *items, *work, options.needed);
    if (!isSampled || (!trial.blocks.empty() && !question.canSample)) {
      leaveOut(why + ": " + llvm::Twine(extent->elements) + " elements" +
               (isSampled ? ", and the reference has no lathe.rows"
                          : ", and a block has too much to compute"));
      return false;
    }
  }
  // Cases that differ in their guards alone share trials.
  std::string key =
      textOf(trial.bindings) + '/' + std::to_string(trial.grid[0]) + '/' +
      std::to_string(trial.grid[1]) + '/' + std::to_string(trial.grid[2]) +
      '/' + std::to_string(own.alignment) + '/' +
      (options.spec ? options.spec->name : "");
  if (!known.insert(key).second)
    return true;
  if (!afford(trial, options)) {
    leaveOut(why + ": no room in the budget");
    return true;
  }
  plan.trials.push_back(std::move(trial));
  return true;
}

/// The open static dim, if there is one: several may depend on each other.
const DimSpec *CasePlanner::onlyStatic() const {
  const DimSpec *only = nullptr;
  for (const DimSpec *dim : sizes.open(DimKind::Static)) {
    if (dim->defaultValue)
      continue;
    if (only)
      return nullptr;
    only = dim;
  }
  return only;
}

/// The most ragged size that the small budget allows.
Bindings CasePlanner::base() {
  Bindings given;
  // A static dim that is open is taken from a shape that is really used.
  if (const DimSpec *dim = onlyStatic()) {
    for (const Bindings &shape : question.instances)
      if (auto at = shape.find(dim->name);
          at != shape.end() && sizes.complete(shape)) {
        given[dim->name] = at->second;
        break;
      }
    if (!given.count(dim->name))
      if (auto value = sizes.legal(*dim, 130))
        given[dim->name] = ExprValue(*value);
  }
  // Dims that loops go along are longest.
  std::vector<const DimSpec *> order;
  auto least = sizes.complete(given);
  for (bool inGrid : {false, true})
    for (const DimSpec *dim : free)
      if ((!least || sizes.gridGrowsWith(*dim, *least)) == inGrid)
        order.push_back(dim);
  Bindings best = given;
  for (size_t step = 0; step < std::size(ladder); ++step) {
    Bindings next = given;
    for (auto [i, dim] : llvm::enumerate(order))
      if (auto value =
              sizes.legal(*dim, ladder[step < 2 * i ? 0 : step - 2 * i]))
        next[dim->name] = ExprValue(*value);
    if (auto lists = sizes.lists(unequal(ladder[step])))
      next.insert(lists->begin(), lists->end());
    auto bindings = sizes.complete(next);
    if (!bindings)
      continue;
    auto extent = sizes.extent(*bindings);
    if (!extent || !sizes.grid(*bindings))
      continue;
    if (best.size() > given.size() &&
        extent->elements > question.budget.smallElements)
      break;
    best = std::move(next);
  }
  return best;
}

/// Of one work item; infinite if nobody can say.
double CasePlanner::itemWork(const Bindings &given) const {
  auto bindings = sizes.complete(given);
  auto work = bindings ? sizes.work(*bindings) : std::nullopt;
  auto items = work ? sizes.items(*bindings) : std::nullopt;
  return items ? *work / double(*items)
               : std::numeric_limits<double>::infinity();
}

/// Whether a size can be launched, mapped, and computed with so much work.
bool CasePlanner::fits(const Bindings &given, double work) const {
  auto bindings = sizes.complete(given);
  auto extent = bindings ? sizes.extent(*bindings) : std::nullopt;
  return extent && sizes.grid(*bindings) &&
         question.budget.canMap(double(extent->maxBytes)) &&
         itemWork(given) <= work;
}

bool CasePlanner::addNeeded() {
  bool isTried = false;
  if (scope != Ends) {
    size_t before = plan.trials.size();
    Options thorough;
    thorough.needed = thorough.thorough = true;
    isTried = add("ragged", ragged, thorough);
    if (plan.trials.size() > before)
      first = before;
  }
  isTried |= ends();
  if (isTried)
    return true;
  auto bindings = sizes.complete(ragged);
  auto extent = bindings ? sizes.extent(*bindings) : std::nullopt;
  return extent &&
         (scope == Ends || !question.budget.canMap(double(extent->maxBytes)));
}

bool CasePlanner::addWanted(size_t kind, bool firstRound) {
  // What finds most for its work comes first.
  using Kind = void (CasePlanner::*)();
  constexpr Kind kinds[] = {
      &CasePlanner::inPlace,   &CasePlanner::cases,   &CasePlanner::steps,
      &CasePlanner::gridEdges, &CasePlanner::pitches, &CasePlanner::hot,
      &CasePlanner::huge,      &CasePlanner::far,     &CasePlanner::statics,
      &CasePlanner::lists,     &CasePlanner::between, &CasePlanner::drawnLists,
      &CasePlanner::hugeLists};
  if (kind >= std::size(kinds))
    return false;
  Kind add = kinds[kind];
  bool isHot = add == &CasePlanner::hot;
  bool isOwn =
      isHot || add == &CasePlanner::huge || add == &CasePlanner::between ||
      add == &CasePlanner::drawnLists || add == &CasePlanner::hugeLists;
  bool isInScope = scope == Ends ? isOwn : scope == Whole || !isHot;
  // All that the first case admits tells most of the kernel.
  bool isFirst = row == 0 && scope != Ends;
  if (isInScope && firstRound == (isOwn || isFirst))
    (this->*add)();
  return true;
}
