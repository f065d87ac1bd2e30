//===- CasePlanner.h - The trials of one dispatch case ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_VERIFY_CASEPLANNER_H
#define LATHE_LIB_VERIFY_CASEPLANNER_H

#include "TrialSizes.h"
#include "lathe/Ingest/Figures.h"

#include "llvm/ADT/Twine.h"

#include <set>

namespace lathe {

/// One text for each size: name=value, for every dim in turn.
std::string textOf(const Bindings &bindings);

/// Adds the trials of one case to a plan: first what must be tried, then, after
/// that of all other cases, what the budget has room for.
class CasePlanner {
public:
  enum Scope {
    Whole,  ///< all that the case admits
    Kernel, ///< what the kernel admits beyond its cases; no hot shapes
    Ends    ///< a case of a kernel that is tried elsewhere as well
  };
  /// `row` is the question's case that launches, `guards` say what is admitted.
  CasePlanner(const TrialQuestion &question, size_t row,
              std::vector<DimGuard> guards, Scope scope, TrialPlan &plan,
              std::set<std::string> &known);

  /// Whether the case has a trial, or admits only what is too large: to map, or
  /// to compute where the kernel is tried elsewhere as well.
  bool addNeeded();
  /// Adds trials of one kind; false if there are no more kinds. Those of the
  /// first round are of sizes that differ from case to case.
  bool addWanted(size_t kind, bool firstRound);

private:
  struct Options {
    bool needed = false;   ///< whatever the budget
    bool thorough = false; ///< every draw, permuted schedules
    const CaseSpec *spec = nullptr;
  };
  /// Whether the size is legal and within the budget of one trial; another
  /// case may have it already.
  bool add(const llvm::Twine &why, const Bindings &given,
           const Options &options);
  void leaveOut(const llvm::Twine &why);
  double listShare() const;
  std::array<uint32_t, 3> gridFor(const Trial &trial, uint64_t items,
                                  double work) const;
  bool sample(Trial &trial, uint64_t elements, uint64_t items, double work,
              bool needed) const;
  bool afford(Trial &trial, const Options &options);
  double itemWork(const Bindings &given) const;
  bool fits(const Bindings &given, double work) const;

  Bindings base();
  const DimSpec *onlyStatic() const;
  bool ends(); ///< whether one of them is tried, for whichever case
  void gridEdges();
  void steps();
  void pitches();
  void statics();
  void between();
  void far();
  void huge();
  void hot();
  void cases();
  void inPlace();

  // Of operators with lists.
  Bindings sequences(std::vector<int64_t> lengths) const;
  Bindings unequal(int64_t size) const;
  Bindings withFigure(Figure figure, int64_t value) const;
  std::optional<Bindings> admitted(Bindings given) const;
  void
  forEachFigure(llvm::function_ref<void(Figure, const DimSpec &)> visit) const;
  bool listEnds(bool needed);
  void lists();
  void drawnLists();
  void hugeLists();

  const TrialQuestion &question;
  size_t row;
  DispatchCase own; ///< with the guards that count here
  Scope scope;
  TrialSizes sizes;
  TrialPlan &plan;
  std::set<std::string> &known;      ///< trials that another case has as well
  std::vector<const DimSpec *> free; ///< dims that nothing else sets
  Bindings ragged;                   ///< the most ragged small size
  std::optional<size_t> first;       ///< the thorough trial there
};

} // namespace lathe

#endif // LATHE_LIB_VERIFY_CASEPLANNER_H
