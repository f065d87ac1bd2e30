//===- Bundle.cpp - Opens and checks bundles ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include "Container.h"

#include <algorithm>
#include <cstring>

using namespace lathe::runtime;

/// Gives an image to the architecture of the table that it serves.
static lathe_status placeImage(lathe_bundle &bundle,
                               const OffloadEntry &entry) {
  std::string_view name = entry.get("lathe.entry"), arch = entry.get("arch");
  for (auto &table : bundle.tables) {
    if (name != table->entry())
      continue;
    for (uint32_t i = 0; i < table->header->archs.count; ++i) {
      if (arch != table->archName(i))
        continue;
      bool isPtx = entry.kind == ImageKind::Ptx;
      std::string_view &slot =
          isPtx ? table->images[i].ptx : table->images[i].binary;
      if (!slot.empty())
        return fail(LATHE_MALFORMED, "two images serve %s on %s",
                    table->entry(), table->archName(i));
      // PTX goes to the driver as a C string.
      if (isPtx && entry.image.find('\0') == std::string_view::npos)
        return fail(LATHE_MALFORMED, "the PTX of %s for %s does not end",
                    table->entry(), table->archName(i));
      slot = entry.image;
      return LATHE_OK;
    }
  }
  return fail(LATHE_MALFORMED,
              "an image serves '%.*s' on '%.*s', which no "
              "table mentions",
              int(std::min<size_t>(name.size(), 80)), name.data(),
              int(std::min<size_t>(arch.size(), 40)), arch.data());
}

static lathe_status placeTable(lathe_bundle &bundle,
                               const OffloadEntry &entry) {
  auto table = std::make_unique<lathe_table>();
  if (lathe_status status = parseTable(entry.image, *table))
    return status;
  for (auto &other : bundle.tables)
    if (!strcmp(other->entry(), table->entry()))
      return fail(LATHE_MALFORMED, "two tables serve %s", table->entry());
  bundle.tables.push_back(std::move(table));
  return LATHE_OK;
}

static lathe_status placeMember(lathe_bundle &bundle, const OffloadEntry &entry,
                                bool &hasManifest) {
  std::string_view role = entry.get("lathe.member");
  if (role == "table")
    return placeTable(bundle, entry);
  if (role == "image")
    return placeImage(bundle, entry);
  if (role == "link" || role == "module")
    return LATHE_OK;
  if (role != "manifest")
    return fail(LATHE_MALFORMED, "a member's role is '%.*s'",
                int(std::min<size_t>(role.size(), 80)), role.data());
  if (hasManifest)
    return fail(LATHE_MALFORMED, "there are two manifests");
  hasManifest = true;
  bundle.manifest.assign(entry.image);
  return LATHE_OK;
}

static lathe_status checkComplete(const lathe_bundle &bundle,
                                  bool hasManifest) {
  if (!hasManifest)
    return fail(LATHE_MALFORMED, "there is no manifest");
  for (auto &table : bundle.tables)
    for (uint32_t i = 0; i < table->header->archs.count; ++i)
      if (table->images[i].binary.empty() && table->images[i].ptx.empty())
        return fail(LATHE_MALFORMED, "%s has cases but no image for %s",
                    table->entry(), table->archName(i));
  return LATHE_OK;
}

lathe_status lathe::runtime::parseBundle(lathe_bundle &bundle) {
  std::vector<OffloadEntry> entries;
  if (lathe_status status = readContainer(bundle.bytes, entries))
    return status;
  bool hasManifest = false;
  for (const OffloadEntry &entry : entries)
    if (lathe_status status = placeMember(bundle, entry, hasManifest))
      return status;
  return checkComplete(bundle, hasManifest);
}

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

const char *lathe::runtime::nearestEntry(const lathe_bundle &bundle,
                                         std::string_view name) {
  name = name.substr(0, 128);
  const char *best = nullptr;
  size_t bestDistance = std::max<size_t>(2, name.size() / 2);
  for (auto &table : bundle.tables) {
    size_t distance = editDistance(name, table->entry());
    if (distance <= bestDistance && (!best || distance < bestDistance)) {
      best = table->entry();
      bestDistance = distance;
    }
  }
  return best;
}
