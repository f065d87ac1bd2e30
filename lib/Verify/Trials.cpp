//===- Trials.cpp - Which sizes a kernel is tried at ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialSizes.h"
#include "lathe/Verify/Inputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <set>

using namespace lathe;

namespace {

/// Ragged sizes: one, and primes with room between them.
constexpr int64_t ladder[] = {1,  2,  3,   5,   7,   13,  17,  31,  37,
                              61, 67, 127, 131, 251, 257, 509, 521, 1031};

/// All trials of one case.
class CasePlanner {
public:
  CasePlanner(const TrialQuestion &question, size_t row, TrialPlan &plan,
              std::set<std::string> &known)
      : question(question), row(row), sizes(question, question.cases[row]),
        plan(plan), known(known) {}

  /// Whether the case has a trial, or admits only what is too large to map.
  bool run();

private:
  bool add(const llvm::Twine &why, const Bindings &given, bool thorough = false,
           const CaseSpec *spec = nullptr);
  void leaveOut(const llvm::Twine &why);
  std::optional<std::vector<uint64_t>> sample(const Trial &trial,
                                              uint64_t elements) const;

  Bindings base();
  const DimSpec *onlyStatic() const;
  void ends(const Bindings &base);
  void gridEdges(const Bindings &base);
  void pitches(const Bindings &base);
  void statics(const Bindings &base);
  void lists(const Bindings &base);
  void between(const Bindings &base);
  void huge(const Bindings &base);
  void hot();
  void cases(const Bindings &base);

  const TrialQuestion &question;
  size_t row;
  TrialSizes sizes;
  TrialPlan &plan;
  std::set<std::string> &known;      ///< trials that another case has as well
  std::vector<const DimSpec *> free; ///< request dims that nothing else sets
};

std::string textOf(const Bindings &bindings) {
  std::string text;
  for (const auto &[name, value] : bindings) {
    text += name + (value.isList ? "=[" : "=");
    for (int64_t element : value.elements)
      text += std::to_string(element) + ',';
    text += value.isList ? "]" : "";
  }
  return text;
}

} // namespace

void CasePlanner::leaveOut(const llvm::Twine &why) {
  plan.leftOut.push_back(why.str());
}

/// First, last and random blocks, as many as the budget has elements for.
std::optional<std::vector<uint64_t>>
CasePlanner::sample(const Trial &trial, uint64_t elements) const {
  uint64_t total = trial.totalBlocks();
  uint64_t each = std::max<uint64_t>(elements / total, 1);
  uint64_t count = question.budget.sampledElements / each;
  count =
      std::min<uint64_t>(std::max<uint64_t>(count, 2), question.budget.blocks);
  if (each > 4 * question.budget.sampledElements)
    return std::nullopt;
  std::set<uint64_t> chosen{0, total - 1};
  // In a capped grid, blocks take turns; one of them has the end.
  const Expr &line = sizes.dispatchCase().gridX;
  if (line.kind() == Expr::Kind::Min) {
    int64_t turns = 1;
    for (const Expr &operand : line.operands())
      turns = std::max(turns, valueOf(operand, trial.bindings).value_or(1));
    chosen.insert(uint64_t(turns - 1) % total);
  }
  if (count > 3) // neighbours of the ends
    chosen.insert({std::min<uint64_t>(1, total - 1),
                   total - std::min<uint64_t>(2, total)});
  for (uint64_t i = 0; chosen.size() < std::min(count, total) && i < 64; ++i)
    chosen.insert(randomBits(question.seed, row, i) % total);
  return std::vector<uint64_t>(chosen.begin(), chosen.end());
}

bool CasePlanner::add(const llvm::Twine &why, const Bindings &given,
                      bool thorough, const CaseSpec *spec) {
  auto bindings = sizes.complete(given);
  if (!bindings)
    return false;
  auto extent = sizes.extent(*bindings);
  auto grid = sizes.grid(*bindings);
  if (!extent || !grid)
    return false;
  Trial trial;
  trial.why = why.str();
  trial.row = row;
  trial.bindings = std::move(*bindings);
  trial.grid = *grid;
  trial.thorough = thorough;
  trial.spec = spec;
  if (extent->maxBytes > question.budget.maxBytes) {
    leaveOut(why + ": an operand of " + llvm::Twine(extent->maxBytes) +
             " bytes");
    return false;
  }
  if (extent->elements > question.budget.fullElements) {
    auto blocks = sample(trial, extent->elements);
    if (!question.canSample || !blocks) {
      leaveOut(why + ": " + llvm::Twine(extent->elements) + " elements" +
               (blocks ? ", and the reference has no lathe.rows"
                       : ", and a block has too many of them"));
      return false;
    }
    trial.blocks = std::move(*blocks);
  }
  // Cases that differ in their guards alone share trials.
  const DispatchCase &own = sizes.dispatchCase();
  std::string key =
      textOf(trial.bindings) + '/' + std::to_string(grid->front()) + '/' +
      std::to_string((*grid)[1]) + '/' + std::to_string((*grid)[2]) + '/' +
      std::to_string(own.alignment) + '/' + (spec ? spec->name : "");
  if (!known.insert(key).second)
    return true;
  plan.trials.push_back(std::move(trial));
  return true;
}

/// The most ragged size that the small budget allows.
Bindings CasePlanner::base() {
  Bindings given;
  // Static dims that are open are taken from a shape that is really used.
  for (const DimSpec *dim : sizes.open(DimKind::Static))
    for (const Bindings &shape : question.instances)
      if (auto at = shape.find(dim->name);
          at != shape.end() && sizes.complete(shape)) {
        given[dim->name] = at->second;
        break;
      }
  if (const DimSpec *dim = onlyStatic(); dim && !given.count(dim->name))
    if (auto value = sizes.legal(*dim, 130))
      given[dim->name] = ExprValue(*value);
  for (const DimSpec *dim : sizes.open(DimKind::Request))
    if (!dim->defaultValue)
      free.push_back(dim);
  Bindings best = given;
  for (size_t step = 0; step < std::size(ladder); ++step) {
    Bindings next = given;
    for (auto [i, dim] : llvm::enumerate(free))
      if (auto value =
              sizes.legal(*dim, ladder[step < 2 * i ? 0 : step - 2 * i]))
        next[dim->name] = ExprValue(*value);
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

void CasePlanner::ends(const Bindings &base) {
  Bindings least = base;
  for (const DimSpec *dim : free)
    if (auto value = sizes.legal(*dim, 1))
      least[dim->name] = ExprValue(*value);
  add("minimal", least);
  for (const DimSpec *dim : free) {
    DimGuard range = sizes.range(*dim);
    Bindings at = base;
    if (auto low = sizes.legal(*dim, std::max<int64_t>(range.lo, 1))) {
      at[dim->name] = ExprValue(*low);
      add("lower end of " + dim->name, at);
    }
    // The far end of an open range is what memory and grid allow.
    int64_t high = range.hi / range.multiple * range.multiple;
    Bindings top = least;
    top[dim->name] = ExprValue(high);
    auto fits = [&] {
      auto bindings = sizes.complete(top);
      auto extent = bindings ? sizes.extent(*bindings) : std::nullopt;
      return extent && sizes.grid(*bindings) &&
             extent->maxBytes <= question.budget.maxBytes;
    };
    if (fits())
      add("upper end of " + dim->name, top);
  }
}

/// Sizes around those where the grid grows: a full block, one row more.
void CasePlanner::gridEdges(const Bindings &base) {
  for (const DimSpec *dim : free) {
    auto gridAt = [&](int64_t value) {
      Bindings given = base;
      given[dim->name] = ExprValue(value);
      auto bindings = sizes.complete(given);
      return bindings ? sizes.grid(*bindings) : std::nullopt;
    };
    int64_t multiple = sizes.range(*dim).multiple;
    auto start = sizes.legal(*dim, 1);
    if (!start)
      continue;
    auto first = gridAt(*start);
    constexpr int64_t furthest = 512;
    for (int64_t step = 1; first && step <= furthest; ++step) {
      auto value = sizes.legal(*dim, *start + step * multiple);
      auto grid = value ? gridAt(*value) : std::nullopt;
      if (!grid)
        break;
      if (*grid == *first)
        continue;
      int64_t edge = *value - multiple; // the last with the smaller grid
      for (int64_t size : {edge, *value, 2 * edge - multiple})
        if (size >= *start) {
          Bindings given = base;
          given[dim->name] = ExprValue(size);
          add("edge of a block along " + dim->name, given);
        }
      break;
    }
  }
}

void CasePlanner::pitches(const Bindings &base) {
  auto strides = sizes.open(DimKind::Stride);
  if (strides.empty())
    return;
  auto dense = sizes.complete(base);
  if (!dense)
    return;
  Bindings given = base;
  for (auto [rank, dim] : llvm::enumerate(strides))
    if (auto value = sizes.padded(*dim, *dense, rank))
      given[dim->name] = ExprValue(*value);
  add("padded rows", given, /*thorough=*/true);
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

void CasePlanner::statics(const Bindings &base) {
  const DimSpec *dim = onlyStatic();
  if (!dim)
    return;
  // Whole steps of any loop among them, and more than 16 bits.
  for (int64_t wanted : {1, 2, 3, 127, 130, 1031, 4100, 8192, 65600}) {
    auto value = sizes.legal(*dim, wanted);
    if (!value)
      continue;
    Bindings given = base;
    given[dim->name] = ExprValue(*value);
    for (const DimSpec *other : free)
      if (auto size = sizes.legal(*other, wanted > 10000 ? 1 : 5))
        given[other->name] = ExprValue(*size);
    add("other " + dim->name, given);
  }
  // Mostly too much for one block; then that is said.
  Bindings widest = base;
  for (const DimSpec *other : free)
    if (auto size = sizes.legal(*other, 1))
      widest[other->name] = ExprValue(*size);
  DimGuard range = sizes.range(*dim);
  widest[dim->name] = ExprValue(range.hi / range.multiple * range.multiple);
  add("upper end of " + dim->name, widest);
}

/// Sequences of unequal lengths, with the shortest legal one among them.
void CasePlanner::lists(const Bindings &base) {
  auto open = sizes.open(DimKind::List);
  if (open.empty())
    return;
  Bindings given = base;
  for (const DimSpec *dim : open) {
    std::vector<int64_t> lengths = {17, std::max<int64_t>(dim->min, 0), 64, 3,
                                    129};
    for (int64_t &length : lengths)
      length = std::min(std::max(length, dim->min), dim->max);
    given[dim->name] = ExprValue(std::move(lengths));
  }
  add("unequal lengths", given, /*thorough=*/true);
}

/// Sizes between the small and the largest ones, where nothing else asks:
/// fixed ones, and two that nobody chose.
void CasePlanner::between(const Bindings &base) {
  if (free.empty())
    return;
  const DimSpec &dim = *free.front();
  DimGuard range = sizes.range(dim);
  auto addAt = [&](const llvm::Twine &why, int64_t value) {
    Bindings at = base;
    auto size = sizes.legal(dim, value);
    if (!size)
      return;
    at[dim.name] = ExprValue(*size);
    add(why, at);
  };
  int64_t full =
      sizes
          .leastWith(dim, base,
                     [&](const TrialSizes::Extent &extent) {
                       return extent.elements > question.budget.fullElements;
                     })
          .value_or(range.hi);
  int64_t most = sizes
                     .leastWith(dim, base,
                                [&](const TrialSizes::Extent &extent) {
                                  return extent.maxElements > uint64_t(1) << 31;
                                })
                     .value_or(range.hi);
  int64_t low = std::max<int64_t>(range.lo, 1);
  auto chosen = [&](uint64_t stream, int64_t from, int64_t to) {
    double unit = double(randomBits(question.seed, ~row, stream) >> 11);
    return int64_t(double(from) *
                   std::pow(double(to) / double(from), unit * 0x1p-53));
  };
  if (full > low)
    addAt("chosen " + dim.name, chosen(0, low, full - 1));
  if (!question.canSample || most <= full)
    return;
  addAt("chosen " + dim.name, chosen(1, full, most));
  for (int64_t value : {4099, 65551, 1048583})
    if (value > full && value < most)
      addAt("between ends of " + dim.name, value);
}

/// Views of more than 2^31 elements: by rows far apart, by many rows.
void CasePlanner::huge(const Bindings &base) {
  Bindings given = base;
  for (const DimSpec *dim : free)
    if (auto value = sizes.legal(*dim, 3))
      given[dim->name] = ExprValue(*value);
  // Past the bits by a little, so that what wraps lands inside.
  auto beyond = [](unsigned bits) {
    return [bits](const TrialSizes::Extent &extent) {
      return extent.maxElements > (uint64_t(1) << bits) + 64;
    };
  };
  for (unsigned bits : {31, 32}) {
    Bindings apart = given;
    for (const DimSpec *dim : sizes.open(DimKind::Stride))
      if (auto value = sizes.leastWith(*dim, given, beyond(bits)))
        apart[dim->name] = ExprValue(*value);
    if (textOf(apart) != textOf(given))
      add("rows far apart", apart);
  }
  if (free.empty() || !question.canSample)
    return;
  for (unsigned bits : {31, 32})
    if (auto value = sizes.leastWith(*free.front(), base, beyond(bits))) {
      Bindings at = base;
      at[free.front()->name] = ExprValue(*value);
      add("more than 2^" + llvm::Twine(bits) + " elements", at);
    }
}

void CasePlanner::hot() {
  unsigned taken = 0;
  for (const Bindings &shape : question.instances)
    if (taken < question.budget.instances && add("hot shape", shape))
      ++taken;
}

void CasePlanner::cases(const Bindings &base) {
  for (const CaseSpec &spec : question.spec->cases) {
    Bindings given = base;
    bool fits = true;
    for (const auto &[name, value] : spec.dims) {
      auto fixed = question.constants.find(name);
      fits &= fixed == question.constants.end() ||
              value == ExprValue(fixed->second);
      given[name] = value;
    }
    if (!fits || !add(spec.name, given, /*thorough=*/false, &spec))
      leaveOut(spec.name + ": its dims are not this kernel's");
  }
}

bool CasePlanner::run() {
  size_t before = plan.trials.size(), knownBefore = known.size();
  Bindings base = this->base();
  if (add("ragged", base, /*thorough=*/true)) {
    const OperatorSpec &spec = *question.spec;
    bool mayAlias = llvm::any_of(spec.operands, [](const OperandSpec &operand) {
      return !operand.mayAlias.empty();
    });
    if (mayAlias && !plan.trials.empty() && plan.trials.back().row == row) {
      Trial trial = plan.trials.back();
      trial.why = "in place";
      trial.aliased = true;
      trial.thorough = false;
      plan.trials.push_back(std::move(trial));
    }
  }
  hot();
  ends(base);
  gridEdges(base);
  pitches(base);
  statics(base);
  lists(base);
  between(base);
  huge(base);
  cases(base);
  if (plan.trials.size() > before || known.size() > knownBefore)
    return true;
  auto bindings = sizes.complete(base);
  auto extent = bindings ? sizes.extent(*bindings) : std::nullopt;
  return extent && extent->maxBytes > question.budget.maxBytes;
}

llvm::Expected<TrialPlan> lathe::planTrials(const TrialQuestion &question) {
  TrialPlan plan;
  std::set<std::string> known;
  for (size_t row = 0; row < question.cases.size(); ++row) {
    if (!CasePlanner(question, row, plan, known).run())
      return llvm::createStringError(
          "no size can be tried that case %zu of kernel '%s' admits", row,
          question.cases[row].kernel.c_str());
  }
  if (plan.trials.empty())
    return llvm::createStringError(
        "every size that the cases of kernel '%s' admit is too large",
        question.cases.empty() ? "" : question.cases.front().kernel.c_str());
  return plan;
}

void TrialQuestion::print(llvm::raw_ostream &os) const {
  os << "operator " << spec->name << ", " << cases.size() << " cases, "
     << instances.size() << " hot shapes\n";
  for (const auto &[name, value] : constants)
    os << "  " << name << " = " << value << "\n";
  for (const DispatchCase &row : cases) {
    os << "  " << caseKindName(row.kind) << ":";
    for (const DimGuard &guard : row.guards)
      os << " " << guard.lo << " <= " << guard.dim << " <= " << guard.hi
         << (guard.multiple == 1 ? ""
                                 : ", of " + std::to_string(guard.multiple));
    os << "; grid " << row.gridX.str() << ", " << row.gridY.str() << ", "
       << row.gridZ.str() << "\n";
  }
}

void Trial::print(llvm::raw_ostream &os) const {
  os << why << ": " << textOf(bindings) << " grid " << grid[0] << "x" << grid[1]
     << "x" << grid[2];
  if (!blocks.empty()) {
    os << " blocks";
    for (uint64_t block : blocks)
      os << " " << block;
  }
  os << (thorough ? ", thorough" : "") << (aliased ? ", in place" : "") << "\n";
}
