//===- Prepare.cpp - Loading a bundle onto a device -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prepared.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace lathe::runtime;

lathe_prepared::~lathe_prepared() {
  bool entered = false;
  if (!driver)
    return;
  if (retained && driver->enter(ordinal, context, entered) == LATHE_OK) {
    for (PreparedTable &table : tables)
      if (table.module)
        driver->unload(table.module);
    driver->leave(entered);
  }
  if (owned)
    driver->release(ordinal);
}

/// Finds the driver that has the device.
static lathe_status findDevice(lathe_vendor vendor, int ordinal,
                               Driver *&driver, lathe_device &device) {
  lathe_status status = LATHE_INVALID_ARGUMENT;
  if (vendor == LATHE_VENDOR_NVIDIA || vendor == LATHE_VENDOR_ANY) {
    driver = cudaDriver();
    status = driver ? driver->query(ordinal, device) : LATHE_NO_DRIVER;
    if (status == LATHE_OK || vendor == LATHE_VENDOR_NVIDIA)
      return status;
  }
  if (vendor == LATHE_VENDOR_AMD || vendor == LATHE_VENDOR_ANY) {
    driver = hipDriver();
    status = driver ? driver->query(ordinal, device) : LATHE_NO_DRIVER;
    if (status != LATHE_OK && vendor == LATHE_VENDOR_ANY)
      fail(status, "no NVIDIA and no AMD device %d", ordinal);
    return status;
  }
  return fail(LATHE_INVALID_ARGUMENT, "vendor %d is unknown", int(vendor));
}

/// Loads one table's image and resolves its kernels.
static lathe_status loadTable(lathe_prepared &prepared,
                              const lathe_table &source, PreparedTable &out) {
  const ArchImages &images = source.images[out.arch];
  Driver &driver = *prepared.driver;
  if (lathe_status status =
          driver.load(out.isPtx ? images.ptx : images.binary, out.module))
    return status;
  const lathe_table_arch &group = source.archs[out.arch];
  out.firstCase = group.first_case;
  out.functions.resize(group.num_cases);
  for (uint32_t i = 0; i < group.num_cases; ++i) {
    const lathe_table_case &row = source.cases[group.first_case + i];
    if (row.num_maps != 0)
      if (lathe_status status = driver.expectMaps())
        return status;
    if (lathe_status status =
            driver.resolve(out.module, source.string(row.symbol),
                           row.shared_bytes, out.functions[i]))
      return status;
  }
  return LATHE_OK;
}

static lathe_status loadAll(const lathe_bundle &bundle,
                            lathe_prepared &prepared) {
  bool any = false;
  for (auto &source : bundle.tables) {
    PreparedTable table;
    table.source = source.get();
    if (lathe_match_arch(source.get(), &prepared.device, &table.arch,
                         &table.isPtx) == LATHE_OK) {
      // Kept first, so that a failure on the way unloads the module.
      prepared.tables.push_back(std::move(table));
      if (lathe_status status =
              loadTable(prepared, *source, prepared.tables.back()))
        return status;
      any = true;
    }
  }
  return any ? LATHE_OK
             : fail(LATHE_NO_IMAGE,
                    "the bundle has no image for this device (%.63s)",
                    prepared.device.name);
}

lathe_status lathe_query_device(lathe_vendor vendor, int ordinal,
                                lathe_device *device) {
  if (!device || device->struct_size != sizeof *device)
    return fail(LATHE_INVALID_ARGUMENT,
                "lathe_query_device: null or wrong struct_size");
  Driver *driver;
  return findDevice(vendor, ordinal, driver, *device);
}

lathe_status lathe_prepare(const lathe_bundle *bundle, lathe_vendor vendor,
                           int ordinal, lathe_prepared **out) {
  if (!bundle || !out)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_prepare: null argument");
  *out = nullptr;
  try {
    auto prepared = std::make_unique<lathe_prepared>();
    prepared->bundle = bundle;
    prepared->ordinal = ordinal;
    if (lathe_status status =
            findDevice(vendor, ordinal, prepared->driver, prepared->device))
      return status;
    Driver &driver = *prepared->driver;
    if (lathe_status status =
            driver.retain(ordinal, prepared->context, prepared->owned))
      return status;
    prepared->retained = true;
    bool entered;
    if (lathe_status status = driver.enter(ordinal, prepared->context, entered))
      return status;
    lathe_status status = loadAll(*bundle, *prepared);
    driver.leave(entered);
    if (status == LATHE_OK)
      *out = prepared.release();
    return status;
  } catch (const std::exception &) {
    return fail(LATHE_OUT_OF_MEMORY, "no memory to prepare the bundle");
  }
}

void lathe_release(lathe_prepared *prepared) { delete prepared; }
