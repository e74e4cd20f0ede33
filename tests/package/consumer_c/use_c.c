/* SPDX-License-Identifier: Apache-2.0 */
#include <pleat.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const size_t n = 100000;
  uint32_t* const keys = malloc(n * sizeof *keys);
  uint32_t state = 1;
  for (size_t i = 0; i < n; ++i) keys[i] = state = state * 1664525u + 1013904223u;
  if (pleat_sort(NULL, PLEAT_U32, keys, n) != PLEAT_OK) {
    fprintf(stderr, "%s\n", pleat_error());
    return 1;
  }
  for (size_t i = 1; i < n; ++i)
    if (keys[i] < keys[i - 1]) return 1;
  printf("c: %zu keys sorted\n", n);
  free(keys);
  return 0;
}
