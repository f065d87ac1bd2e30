/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A client of an exported library, as far as it goes without a GPU. */
#include "two.h"

#include <stdio.h>

int main(void) {
  lathe_bundle *bundle;
  if (two_open(&bundle)) {
    fprintf(stderr, "%s\n", lathe_last_error());
    return 1;
  }
  printf("%u tables\n", lathe_num_tables(bundle));
  char bytes[64];
  lathe_status status = two_rms_norm(NULL, 1, 2, LATHE_DIM_DEFAULT, bytes,
                                     bytes, bytes, 1e-6f, NULL);
  printf("without a device: %s\n", lathe_status_name(status));
  lathe_close(bundle);
  return 0;
}
