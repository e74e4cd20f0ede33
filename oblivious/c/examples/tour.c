/* SPDX-License-Identifier: Apache-2.0 */
#include <pleat.h>
#include <stdio.h>

int main(void) {
  double x[] = {3, 1, 2};
  const double a[] = {1, 2, 3, 4}; /* 2 x 2, row by row */
  double squared[4], sum;
  if (pleat_sort(NULL, PLEAT_F64, x, 3) != PLEAT_OK ||
      pleat_sum(NULL, PLEAT_F64, x, 3, &sum) != PLEAT_OK ||
      pleat_matmul(NULL, PLEAT_F64, PLEAT_PLUS_TIMES, 2, 2, 2, PLEAT_AS_IT_IS, a, 2, PLEAT_AS_IT_IS,
                   a, 2, 0, squared, 2) != PLEAT_OK) {
    fprintf(stderr, "%s\n", pleat_error());
    return 1;
  }
  printf("%g %g %g, sum %g, %g\n", x[0], x[1], x[2], sum, squared[3]);
  return 0;
}
