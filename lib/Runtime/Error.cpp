//===- Error.cpp - Status and the last error's text -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <cstdarg>
#include <cstdio>

static thread_local char lastError[512];

lathe_status lathe::runtime::fail(lathe_status status, const char *format,
                                  ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(lastError, sizeof lastError, format, args);
  va_end(args);
  return status;
}

const char *lathe_last_error(void) { return lastError; }

const char *lathe_status_name(lathe_status status) {
  switch (status) {
  case LATHE_OK:
    return "ok";
  case LATHE_INVALID_ARGUMENT:
    return "invalid argument";
  case LATHE_IO_ERROR:
    return "i/o error";
  case LATHE_NOT_A_BUNDLE:
    return "not a bundle";
  case LATHE_TRUNCATED:
    return "truncated";
  case LATHE_TAMPERED:
    return "tampered";
  case LATHE_MALFORMED:
    return "malformed";
  case LATHE_UNSUPPORTED:
    return "unsupported";
  case LATHE_NOT_FOUND:
    return "not found";
  case LATHE_OUT_OF_RANGE:
    return "out of range";
  case LATHE_NO_CASE:
    return "no case";
  case LATHE_OVERFLOW:
    return "overflow";
  case LATHE_LIMIT:
    return "limit";
  case LATHE_NO_DRIVER:
    return "no driver";
  case LATHE_DRIVER_ERROR:
    return "driver error";
  case LATHE_NO_IMAGE:
    return "no image";
  case LATHE_OUT_OF_MEMORY:
    return "out of memory";
  }
  return "unknown";
}
