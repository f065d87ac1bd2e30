//===- Figures.h - What kernels know of a list ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels, guards, dispatch tables and the runtime know of a list dim `X` three
// integers, its figures: how many values it has (`len_X`), what they add up to
// (`sum_X`), and the largest one (`max_X`, 0 without any). They are dims that
// follow `X` in the signature; their values follow from the list.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_FIGURES_H
#define LATHE_INGEST_FIGURES_H

#include "lathe/Ingest/Model.h"
#include "lathe/Support/ListName.h"

#include <array>

namespace lathe {

enum class Figure { Len, Sum, Max };
inline constexpr Figure allFigures[] = {Figure::Len, Figure::Sum, Figure::Max};

/// "sum_LQ".
std::string figureName(Figure figure, llvm::StringRef list);

/// The dims `len_X`, `sum_X` and `max_X` of list `X`. Their default is what
/// they are. A sum is at most what 32-bit offsets hold.
std::array<DimSpec, 3> figuresOf(const DimSpec &list);

/// What the dim `name` says, for readers of a signature with the dims `all`;
/// empty unless it is one of a list's three figures.
std::string figureMeaning(llvm::StringRef name,
                          llvm::ArrayRef<std::string> all);

/// Whether the dim is the length of a list.
bool isLength(const DimSpec &dim);

/// The dim with this name, or null.
const DimSpec *findDim(const OperatorSpec &spec, llvm::StringRef name);

/// Whether the operator has a list dim.
bool hasLists(const OperatorSpec &spec);

/// `expr` with len_X, sum_X and max_X in place of len(X), sum(X) and max(X) of
/// single lists of `spec`.
Expr withFigures(const Expr &expr, const OperatorSpec &spec);

/// The figure by which sizes of an operator with lists differ most: its number
/// of sequences where an output has a row for each of them, as when decoding,
/// and otherwise the longest one, which tells many short from few long ones.
/// Null without lists.
const DimSpec *figureAxis(const OperatorSpec &spec);

/// The static, request and list dims of a shape like `dims` with another
/// figure: for a length, all lists are repeated or cut; for a largest value,
/// all are scaled alike. Request dims with a default follow.
Bindings withFigure(const OperatorSpec &spec, const Bindings &dims,
                    const DimSpec &figure, int64_t value);

} // namespace lathe

#endif // LATHE_INGEST_FIGURES_H
