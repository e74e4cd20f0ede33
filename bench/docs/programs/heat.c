/* SPDX-License-Identifier: Apache-2.0
 *
 * Heat on a plate by OpenMP: heat N ROWS makes 50 steps on N x N cells, ROWS rows at a time to a
 * thread, and prints the seconds they took. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1024;
  const int rows = argc > 2 ? atoi(argv[2]) : 16;
  double* from = calloc(n * n, sizeof *from);
  double* to = calloc(n * n, sizeof *to);
  if (n < 3 || rows < 1 || from == NULL || to == NULL) {
    fprintf(stderr, "heat: it takes 3 cells a side at least, and memory for them\n");
    return 1;
  }
  from[n / 2 * n + n / 2] = 1000;
  const double start = omp_get_wtime();
  for (int step = 0; step < 50; ++step) {
#pragma omp parallel for schedule(dynamic, rows)
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < n - 1; ++j) {
        const double* const u = from + i * n + j;
        to[i * n + j] = 0.5 * u[0] + 0.125 * (u[-n] + u[n] + u[-1] + u[1]);
      }
    double* const written = to;
    to = from;
    from = written;
  }
  printf("Time: %.6f\n", omp_get_wtime() - start);
  return from[n / 2 * n + n / 2] > 0 ? 0 : 1;
}
