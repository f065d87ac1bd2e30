//===- ListName.h - Lists of sequences in names of sizes --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A size is named by its dims, "H=128,LQ=256x3000". A list is named by its
// runs, each `value` or `value x count`: "256x3000", "17+0+64x2". A list of one
// value is "17x1", an empty one "0x0", so that none reads as a number. Long
// irregular lists are named by their figures and a hash,
// "len64sum9000max300h1f0e...", from which nobody gets the values back.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_LISTNAME_H
#define LATHE_SUPPORT_LISTNAME_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// Values that one list may have: as many as a file may list.
constexpr int64_t maxListLength = 1 << 20;

/// The canonical name of a list.
std::string listName(const std::vector<int64_t> &list);

/// Whether a dim's text is the name of a list, as far as a glance tells.
bool isListName(std::string_view text);

/// The list of a name in runs, canonical or not; nothing of other texts, of
/// negative values, and of more than maxListLength.
std::optional<std::vector<int64_t>> listOfName(std::string_view text);

} // namespace lathe

#endif // LATHE_SUPPORT_LISTNAME_H
