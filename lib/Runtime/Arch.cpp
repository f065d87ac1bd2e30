//===- Arch.cpp - Which architecture of a table a device may run ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arch.h"

#include <cstring>

using namespace lathe::runtime;

bool lathe::runtime::parseSmName(std::string_view name, SmName &out) {
  if (name.substr(0, 3) != "sm_")
    return false;
  name.remove_prefix(3);
  out = {};
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) {
    out.suffix = name.back();
    name.remove_suffix(1);
  }
  if (name.size() < 2 || name.size() > 3)
    return false;
  uint32_t number = 0;
  for (char c : name) {
    if (c < '0' || c > '9')
      return false;
    number = number * 10 + uint32_t(c - '0');
  }
  out.major = number / 10;
  out.minor = number % 10;
  return true;
}

/// How well an NVIDIA device is served; 0 if not at all. Higher is better.
static uint32_t nvidiaRank(std::string_view arch, bool isPtx,
                           const lathe_device &device) {
  SmName sm;
  if (!parseSmName(arch, sm))
    return 0;
  uint32_t age = 16 * sm.major + sm.minor;
  uint32_t own = 16 * device.major + device.minor;
  bool sameFamily = sm.major == device.major && sm.minor <= device.minor;
  if (sm.suffix == 'a' && age != own)
    return 0;
  if (sm.suffix == 'f' && !sameFamily)
    return 0;
  if (age > own || (!isPtx && !sameFamily))
    return 0;
  uint32_t special = sm.suffix == 'a' ? 2 : sm.suffix == 'f' ? 1 : 0;
  return ((isPtx ? 0u : 1u) << 16 | special << 14 | age) + 1;
}

static bool amdMatches(std::string_view arch, const lathe_device &device) {
  std::string_view name(device.name, strnlen(device.name, sizeof device.name));
  name = name.substr(0, name.find(':'));
  return name.substr(0, 3) == "gfx" && name == arch;
}

lathe_status lathe_match_arch(const lathe_table *table,
                              const lathe_device *device, uint32_t *arch,
                              uint32_t *is_ptx) {
  if (!table || !device || !arch)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_match_arch: null argument");
  if (device->struct_size != sizeof *device)
    return fail(LATHE_INVALID_ARGUMENT,
                "lathe_device: struct_size is %u, expected %zu",
                device->struct_size, sizeof *device);
  uint32_t best = 0;
  for (uint32_t i = 0; i < table->header->archs.count; ++i) {
    for (int ptx = 0; ptx < 2; ++ptx) {
      const ArchImages &images = table->images[i];
      if ((ptx ? images.ptx : images.binary).empty())
        continue;
      uint32_t rank = 0;
      if (device->vendor == LATHE_VENDOR_NVIDIA)
        rank = nvidiaRank(table->archName(i), ptx, *device);
      else if (device->vendor == LATHE_VENDOR_AMD && !ptx)
        rank = amdMatches(table->archName(i), *device);
      if (rank <= best)
        continue;
      best = rank;
      *arch = i;
      if (is_ptx)
        *is_ptx = uint32_t(ptx);
    }
  }
  if (best)
    return LATHE_OK;
  if (device->vendor == LATHE_VENDOR_NVIDIA)
    return fail(LATHE_NO_IMAGE, "%s has no image for compute capability %u.%u",
                table->entry(), device->major, device->minor);
  return fail(LATHE_NO_IMAGE, "%s has no image for %.63s", table->entry(),
              device->name[0] ? device->name : "this device");
}

const char *lathe_arch_name(const lathe_table *table, uint32_t arch) {
  if (!table || arch >= table->header->archs.count)
    return nullptr;
  return table->archName(arch);
}

lathe_status lathe_find_arch(const lathe_table *table, const char *name,
                             uint32_t *arch) {
  if (!table || !name || !arch)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_find_arch: null argument");
  for (uint32_t i = 0; i < table->header->archs.count; ++i) {
    if (strcmp(table->archName(i), name) != 0)
      continue;
    *arch = i;
    return LATHE_OK;
  }
  return fail(LATHE_NOT_FOUND, "%s has no kernels for '%.40s'", table->entry(),
              name);
}
