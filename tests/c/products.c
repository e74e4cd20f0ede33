/* SPDX-License-Identifier: Apache-2.0 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "check.h"

enum { M = 7, K = 5, N = 6, LD = 9 };

static double least(double a, double b) { return a < b ? a : b; }
static double greatest(double a, double b) { return a < b ? b : a; }

static double product(int semiring, const double* a, const double* b, double c, int i, int j) {
  for (int k = 0; k < K; ++k) {
    const double x = a[i * LD + k], y = b[k * LD + j];
    if (semiring == PLEAT_PLUS_TIMES) c += x * y;
    if (semiring == PLEAT_MIN_PLUS) c = least(c, x + y);
    if (semiring == PLEAT_MAX_PLUS) c = greatest(c, x + y);
    if (semiring == PLEAT_MAX_MIN) c = greatest(c, least(x, y));
  }
  return c;
}

void test_products(pleat_machine* on) {
  double a[M * LD], b[K * LD], c[M * LD], before[M * LD], turned[K * LD];
  int32_t whole[4] = {1, 2, 3, 4}, squares[4];
  uint8_t bits[4] = {1, 0, 1, 0}, reached[4];
  float complex turn[1] = {2 + I}, length[1];
  for (int i = 0; i < M * LD; ++i) {
    a[i] = next_number() % 100;
    c[i] = next_number() % 100;
  }
  for (int i = 0; i < K * LD; ++i) b[i] = next_number() % 100;
  for (int semiring = PLEAT_PLUS_TIMES; semiring <= PLEAT_MAX_MIN; ++semiring) {
    memcpy(before, c, sizeof c);
    CHECK(pleat_matmul(on, PLEAT_F64, semiring, M, K, N, 0, a, LD, 0, b, LD, 1, c, LD) == PLEAT_OK);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < LD; ++j)
        CHECK(c[i * LD + j] ==
              (j < N ? product(semiring, a, b, before[i * LD + j], i, j) : before[i * LD + j]));
  }
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < M; ++j) turned[i * LD + j] = a[j * LD + i];
  CHECK(pleat_matmul(on, PLEAT_F64, PLEAT_PLUS_TIMES, M, K, N, PLEAT_TRANSPOSED, turned, LD,
                     PLEAT_AS_IT_IS, b, LD, 0, c, LD) == PLEAT_OK);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) CHECK(c[i * LD + j] == product(PLEAT_PLUS_TIMES, a, b, 0, i, j));
  CHECK(pleat_matmul(on, PLEAT_I32, 0, 2, 2, 2, 0, whole, 2, 0, whole, 2, 0, squares, 2) ==
        PLEAT_OK);
  CHECK(squares[0] == 7 && squares[1] == 10 && squares[2] == 15 && squares[3] == 22);
  CHECK(pleat_matmul(on, PLEAT_U8, PLEAT_OR_AND, 2, 2, 2, 0, bits, 2, 0, bits, 2, 0, reached, 2) ==
        PLEAT_OK);
  CHECK(reached[0] == 1 && reached[1] == 0 && reached[2] == 1 && reached[3] == 0);
  CHECK(pleat_matmul(on, PLEAT_C64, 0, 1, 1, 1, PLEAT_ADJOINT, turn, 1, 0, turn, 1, 0, length, 1) ==
        PLEAT_OK);
  CHECK(length[0] == 5);
  CHECK(pleat_matmul(on, PLEAT_F64, 0, 0, 3, 0, 0, NULL, 3, 0, NULL, 0, 0, NULL, 0) == PLEAT_OK);
  REFUSED(pleat_matmul(on, PLEAT_F64, 5, M, K, N, 0, a, LD, 0, b, LD, 0, c, LD), PLEAT_USAGE,
          "semiring is 5");
  REFUSED(pleat_matmul(on, PLEAT_C64, 1, 1, 1, 1, 0, turn, 1, 0, turn, 1, 0, length, 1),
          PLEAT_USAGE, "no products");
  REFUSED(pleat_matmul(on, PLEAT_F64, 0, M, K, N, 0, a, K - 1, 0, b, LD, 0, c, LD), PLEAT_USAGE,
          "lda");
  REFUSED(pleat_matmul(on, PLEAT_F64, 0, M, K, N, 3, a, LD, 0, b, LD, 0, c, LD), PLEAT_USAGE,
          "form");
  REFUSED(pleat_matmul(on, PLEAT_F64, 0, M, K, N, 0, a, LD, 0, NULL, LD, 0, c, LD), PLEAT_USAGE,
          "b is NULL");
  REFUSED(pleat_matmul(on, PLEAT_F64, 0, M, K, N, 0, a, LD, 0, b, LD, 0, a, LD), PLEAT_USAGE,
          "overlaps");
}

/* One dimension is taken for three whose other sizes are 1: outermost cells are then none. */
enum { X = 6, Y = 5, Z = 7 };

static int beyond(int i, int n, int boundary) {
  if (boundary == PLEAT_PERIODIC) return (i + n) % n;
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void step(size_t dimensions, const double* of, const int* edges, const double* from,
                 double* to) {
  const int size[3] = {dimensions > 2 ? X : 1, dimensions > 1 ? Y : 1, Z};
  const size_t first = 3 - dimensions;
  for (int at = 0; at < size[0] * size[1] * size[2]; ++at) {
    const int i[3] = {at / size[2] / size[1], at / size[2] % size[1], at % size[2]};
    double sum = 0;
    int fixed = 0, weights = 1;
    for (size_t d = first; d < 3; ++d) {
      fixed |= edges[d - first] == PLEAT_FIXED && (i[d] == 0 || i[d] == size[d] - 1);
      weights *= 3;
    }
    for (int w = 0; w < weights; ++w) {
      int place = 0;
      for (size_t d = first, power = (size_t)weights / 3; d < 3; ++d, power /= 3)
        place = place * size[d] +
                beyond(i[d] + (int)((size_t)w / power % 3) - 1, size[d], edges[d - first]);
      sum += of[w] * from[place];
    }
    to[at] = fixed ? from[at] : sum;
  }
}

void test_stencils(pleat_machine* on) {
  const size_t sizes[] = {X, Y, Z};
  const int edges[] = {PLEAT_PERIODIC, PLEAT_FIXED, PLEAT_REFLECTING};
  const int fixed[] = {0, 0, 0};
  double of[27], cells[X * Y * Z], now[X * Y * Z], next[X * Y * Z];
  float single[] = {1, 0, 0, 0, 0}, third[] = {0.25f, 0.5f, 0.25f};
  const size_t five = 5;
  for (int i = 0; i < 27; ++i) of[i] = (next_number() % 100 - 30.0) / 1000;
  for (size_t dimensions = 1; dimensions <= 3; ++dimensions)
    for (int i = 0; i < 2; ++i) {
      const int* const used = i == 0 ? edges + (3 - dimensions) : fixed;
      for (int j = 0; j < X * Y * Z; ++j) cells[j] = now[j] = next_number() / 4e9;
      CHECK(pleat_stencil(on, PLEAT_F64, dimensions, sizes + (3 - dimensions), of,
                          i == 0 ? used : NULL, 4, cells) == PLEAT_OK);
      for (int t = 0; t < 4; ++t) {
        memcpy(next, now, sizeof now);
        step(dimensions, of, used, now, next);
        memcpy(now, next, sizeof now);
      }
      for (int j = 0; j < X * Y * Z; ++j) CHECK(fabs(cells[j] - now[j]) < 1e-12);
    }
  CHECK(pleat_stencil(on, PLEAT_F32, 1, &five, third, edges, 1, single) == PLEAT_OK);
  CHECK(single[0] == 0.5f && single[1] == 0.25f && single[2] == 0 && single[4] == 0.25f);
  REFUSED(pleat_stencil(on, PLEAT_F32, 4, sizes, third, NULL, 1, single), PLEAT_USAGE, "1 to 3");
  REFUSED(pleat_stencil(on, PLEAT_I32, 1, &five, third, NULL, 1, single), PLEAT_USAGE, "PLEAT_F32");
  REFUSED(pleat_stencil(on, PLEAT_F32, 1, &five, NULL, NULL, 1, single), PLEAT_USAGE,
          "coefficients");
  REFUSED(pleat_stencil(on, PLEAT_F32, 1, &five, third, NULL, 1, NULL), PLEAT_USAGE, "cells");
  {
    const int wrong = 3;
    REFUSED(pleat_stencil(on, PLEAT_F32, 1, &five, third, &wrong, 1, single), PLEAT_USAGE,
            "boundary");
  }
}
