/* SPDX-License-Identifier: Apache-2.0
 *
 * Bandwidth of memory by the four loops of the STREAM benchmark (McCalpin, 1995), written anew:
 * stream N measures N doubles in each of three arrays, on OpenMP's threads. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define REPETITIONS 10

static double best(double seconds, double least) { return seconds < least ? seconds : least; }

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 10000000;
  double* const a = malloc(n * sizeof *a);
  double* const b = malloc(n * sizeof *b);
  double* const c = malloc(n * sizeof *c);
  if (n < 1 || a == NULL || b == NULL || c == NULL) {
    fprintf(stderr, "stream: no memory for 3 arrays of %ld doubles\n", n);
    return 1;
  }
  double copy = 1e9, scale = 1e9, add = 1e9, triad = 1e9;
  long i;
  /* Each thread touches first what it works on later. */
#pragma omp parallel for schedule(static)
  for (i = 0; i < n; ++i) a[i] = 1, b[i] = 2, c[i] = 0;
  for (int k = 0; k < REPETITIONS; ++k) {
    double start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (i = 0; i < n; ++i) c[i] = a[i];
    copy = best(omp_get_wtime() - start, copy);
    start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (i = 0; i < n; ++i) b[i] = 0.5 * c[i];
    scale = best(omp_get_wtime() - start, scale);
    start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (i = 0; i < n; ++i) c[i] = a[i] + b[i];
    add = best(omp_get_wtime() - start, add);
    start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
    triad = best(omp_get_wtime() - start, triad);
  }
  const double gigabytes = 1e-9 * sizeof(double) * (double)n;
  printf("Copy: %.3f\nScale: %.3f\nAdd: %.3f\nTriad: %.3f\n", 2 * gigabytes / copy,
         2 * gigabytes / scale, 3 * gigabytes / add, 3 * gigabytes / triad);
  return a[n / 2] > 0 ? 0 : 1;
}
