//===- ListName.cpp - Lists of sequences in names of sizes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/ListName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <numeric>

using namespace lathe;
using llvm::StringRef;

/// Longest name in runs.
static constexpr size_t maxName = 96;

/// "count" times "value", from `first` on.
static std::string runName(int64_t value, size_t count, bool isOnly) {
  std::string text = std::to_string(value);
  return count == 1 && !isOnly ? text : text + "x" + std::to_string(count);
}

static std::string hashedName(const std::vector<int64_t> &list) {
  auto bytes = llvm::ArrayRef(reinterpret_cast<const uint8_t *>(list.data()),
                              list.size() * sizeof(int64_t));
  int64_t sum = std::accumulate(list.begin(), list.end(), int64_t(0));
  return "len" + std::to_string(list.size()) + "sum" + std::to_string(sum) +
         "max" + std::to_string(*std::max_element(list.begin(), list.end())) +
         "h" +
         llvm::utohexstr(llvm::xxh3_64bits(bytes), /*LowerCase=*/true, 16);
}

std::string lathe::listName(const std::vector<int64_t> &list) {
  if (list.empty())
    return "0x0";
  std::string name;
  for (size_t first = 0; first < list.size() && name.size() <= maxName;) {
    size_t end = first + 1;
    while (end < list.size() && list[end] == list[first])
      ++end;
    name += (first ? "+" : "") +
            runName(list[first], end - first, end - first == list.size());
    first = end;
  }
  return name.size() <= maxName ? name : hashedName(list);
}

bool lathe::isListName(std::string_view text) {
  return text.find_first_of("x+m") != std::string_view::npos;
}

std::optional<std::vector<int64_t>> lathe::listOfName(std::string_view text) {
  std::vector<int64_t> list;
  StringRef rest(text.data(), text.size());
  if (rest.ends_with("+"))
    return std::nullopt;
  do {
    StringRef run;
    std::tie(run, rest) = rest.split('+');
    auto [value, times] = run.split('x');
    int64_t number = 0, count = 1;
    if (value.getAsInteger(10, number) || number < 0 ||
        (run.contains('x') && times.getAsInteger(10, count)) || count < 0 ||
        count > maxListLength - int64_t(list.size()))
      return std::nullopt;
    list.insert(list.end(), size_t(count), number);
  } while (!rest.empty());
  return list;
}
