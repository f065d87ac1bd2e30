//===- TrialLists.cpp - Legal lists of one dispatch case ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialSizes.h"

#include "lathe/Ingest/Figures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace lathe;

namespace {

/// Brings the values of one list to where its figures are admitted. Steps keep
/// what earlier ones reached.
class ListFitter {
public:
  ListFitter(const TrialSizes &sizes, const OperatorSpec &spec,
             const DimSpec &list)
      : least(std::max<int64_t>(list.min, 0)),
        sum(rangeOf(sizes, spec, list, Figure::Sum)),
        max(rangeOf(sizes, spec, list, Figure::Max)) {
    max.hi = down(std::min(max.hi, list.max), max.multiple);
    max.lo = up(std::max(max.lo, least), max.multiple);
    sum.lo = up(sum.lo, sum.multiple);
    sum.hi = down(sum.hi, sum.multiple);
  }

  static DimGuard rangeOf(const TrialSizes &sizes, const OperatorSpec &spec,
                          const DimSpec &list, Figure figure) {
    return sizes.range(*findDim(spec, figureName(figure, list.name)));
  }

  /// Sequences that can have an admitted sum.
  int64_t fewest() const {
    return max.hi > 0
               ? int64_t(llvm::divideCeil(uint64_t(sum.lo), uint64_t(max.hi)))
               : 0;
  }
  int64_t most() const {
    return least > 0 ? std::max<int64_t>(sum.hi - max.lo, 0) / least + 1
                     : maxListLength;
  }
  bool fit(std::vector<int64_t> &values) const;

private:
  static int64_t up(int64_t value, int64_t multiple) {
    return int64_t(llvm::alignTo(uint64_t(value), uint64_t(multiple)));
  }
  static int64_t down(int64_t value, int64_t multiple) {
    return value / multiple * multiple;
  }
  bool lengthen(std::vector<int64_t> &values, size_t longest) const;
  bool shorten(std::vector<int64_t> &values, size_t longest) const;

  int64_t least;
  DimGuard sum, max;
};

int64_t totalOf(llvm::ArrayRef<int64_t> values) {
  return std::accumulate(values.begin(), values.end(), int64_t(0));
}

} // namespace

/// Adds what the sum lacks, to other sequences first.
bool ListFitter::lengthen(std::vector<int64_t> &values, size_t longest) const {
  int64_t total = totalOf(values);
  int64_t lacks = up(std::max(total, sum.lo), sum.multiple) - total;
  for (bool isFree : {false, true}) {
    int64_t top =
        isFree ? std::min(max.hi, up(values[longest] + lacks, max.multiple))
               : values[longest];
    if (isFree && lacks > 0) {
      lacks -= top - values[longest];
      values[longest] = top;
    }
    for (size_t i = 0; i < values.size() && lacks > 0; ++i) {
      if (i == longest)
        continue;
      int64_t more = std::min(lacks, top - values[i]);
      values[i] += more;
      lacks -= more;
    }
  }
  return lacks <= 0;
}

/// Takes away what is beyond the sum, from other sequences first.
bool ListFitter::shorten(std::vector<int64_t> &values, size_t longest) const {
  int64_t beyond = totalOf(values) - sum.hi;
  for (size_t i = values.size(); i-- > 0 && beyond > 0;) {
    if (i == longest)
      continue;
    int64_t less = std::min(beyond, values[i] - least);
    values[i] -= less;
    beyond -= less;
  }
  if (beyond > 0) {
    int64_t shorter =
        std::max(max.lo, down(std::max<int64_t>(values[longest] - beyond, 0),
                              max.multiple));
    beyond -= values[longest] - shorter;
    values[longest] = shorter;
  }
  return beyond <= 0;
}

bool ListFitter::fit(std::vector<int64_t> &values) const {
  if (values.empty())
    return true;
  if (max.lo > max.hi || sum.lo > sum.hi)
    return false;
  auto longest = size_t(llvm::max_element(values) - values.begin());
  int64_t top = std::clamp(
      up(std::max<int64_t>(values[longest], 0), max.multiple), max.lo, max.hi);
  for (int64_t &value : values)
    value = std::clamp(value, least, top);
  values[longest] = top;
  return (totalOf(values) <= sum.hi || shorten(values, longest)) &&
         lengthen(values, longest);
}

std::optional<Bindings> TrialSizes::lists(const Bindings &wanted) const {
  std::vector<const DimSpec *> dims = open(DimKind::List);
  Bindings result;
  if (dims.empty())
    return result;
  std::vector<ListFitter> fitters;
  int64_t fewest = 0, most = maxListLength, multiple = 1, length = 0;
  const ExprValue *usual = nullptr; ///< for lists that nobody wants
  for (const DimSpec *dim : dims) {
    const ListFitter &fitter =
        fitters.emplace_back(*this, *question.spec, *dim);
    DimGuard count =
        ListFitter::rangeOf(*this, *question.spec, *dim, Figure::Len);
    fewest = std::max({fewest, count.lo, fitter.fewest()});
    most = std::min({most, count.hi, fitter.most()});
    multiple = std::lcm(multiple, count.multiple);
    auto own = wanted.find(dim->name);
    if (own == wanted.end())
      continue;
    length = std::max(length, int64_t(own->second.elements.size()));
    usual = usual ? usual : &own->second;
  }
  ExprValue one(std::vector<int64_t>{1});
  if (!usual) {
    usual = &one;
    length = 1;
  }
  // All have one value per sequence.
  length = std::max(length, fewest);
  length = int64_t(llvm::alignTo(uint64_t(length), uint64_t(multiple)));
  if (length > most)
    length = most / multiple * multiple;
  if (length < fewest)
    return std::nullopt;
  for (auto [dim, fitter] : llvm::zip_equal(dims, fitters)) {
    auto own = wanted.find(dim->name);
    const std::vector<int64_t> &like =
        own == wanted.end() ? usual->elements : own->second.elements;
    std::vector<int64_t> values;
    values.reserve(size_t(length));
    for (size_t i = 0; i < size_t(length); ++i)
      values.push_back(like.empty() ? 1 : like[i % like.size()]);
    if (!fitter.fit(values))
      return std::nullopt;
    result[dim->name] = ExprValue(std::move(values));
  }
  return result;
}
