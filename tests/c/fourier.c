/* SPDX-License-Identifier: Apache-2.0 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "check.h"

static const double pi = 3.14159265358979323846;

enum { ROWS = 3, COLUMNS = 10, ALL = ROWS * COLUMNS, HALF = COLUMNS / 2 + 1 };

/* The definition, along one axis of an array of ROWS x COLUMNS numbers. */
static void transform(const double complex* in, double complex* out, int axis, double sign) {
  const int n = axis == 0 ? ROWS : COLUMNS, step = axis == 0 ? COLUMNS : 1;
  for (int at = 0; at < ALL; ++at) {
    const int k = at / step % n, first = at - k * step;
    double complex sum = 0;
    for (int j = 0; j < n; ++j)
      sum += in[first + j * step] * cexp(sign * 2 * pi * I * (double)(j * k % n) / n);
    out[at] = sum;
  }
}

static int near(const double complex* a, const double complex* b, int n) {
  for (int i = 0; i < n; ++i)
    if (cabs(a[i] - b[i]) > 1e-9) return 0;
  return 1;
}

static int near_reals(const double* a, const double* b, int n) {
  for (int i = 0; i < n; ++i)
    if (fabs(a[i] - b[i]) > 1e-9) return 0;
  return 1;
}

static double complex given[ALL], rows[ALL], both[ALL], out[ALL];
static double real[ALL], again[ALL];

/* In double, and in float. */
static void complex_transforms(pleat_machine* on) {
  const size_t shape[] = {ROWS, COLUMNS}, last = 1;
  float complex singles[ALL];
  for (int i = 0; i < ALL; ++i) given[i] = next_number() / 4e9 + I * (next_number() / 4e9);
  transform(given, rows, 1, -1);
  transform(rows, both, 0, -1);
  CHECK(pleat_fft(on, PLEAT_C128, PLEAT_FORWARD, PLEAT_NORM_BACKWARD, ROWS, COLUMNS, given, out) ==
        PLEAT_OK);
  CHECK(near(out, rows, ALL));
  CHECK(pleat_fftn(on, PLEAT_C128, PLEAT_FORWARD, 0, 2, shape, 1, &last, given, out) == PLEAT_OK);
  CHECK(near(out, rows, ALL));
  CHECK(pleat_fftn(on, PLEAT_C128, PLEAT_FORWARD, 0, 2, shape, 0, NULL, given, out) == PLEAT_OK);
  CHECK(near(out, both, ALL));
  CHECK(pleat_fftn(on, PLEAT_C128, PLEAT_INVERSE, 0, 2, shape, 0, NULL, out, out) == PLEAT_OK);
  CHECK(near(out, given, ALL));
  CHECK(pleat_fft(on, PLEAT_C128, PLEAT_FORWARD, PLEAT_NORM_FORWARD, ROWS, COLUMNS, out, out) ==
        PLEAT_OK);
  for (int i = 0; i < ALL; ++i) out[i] *= COLUMNS;
  CHECK(near(out, rows, ALL));
  for (int i = 0; i < ALL; ++i) singles[i] = (float complex)given[i];
  CHECK(pleat_fft(on, PLEAT_C64, PLEAT_FORWARD, PLEAT_NORM_ORTHOGONAL, ROWS, COLUMNS, singles,
                  singles) == PLEAT_OK);
  for (int i = 0; i < ALL; ++i) CHECK(cabs(singles[i] * sqrt(COLUMNS) - rows[i]) < 1e-4);
}

static void real_transforms(pleat_machine* on) {
  const size_t shape[] = {ROWS, COLUMNS};
  double complex half[ROWS * HALF];
  float singles[ALL];
  float complex single_half[ROWS * HALF];
  for (int i = 0; i < ALL; ++i) given[i] = real[i] = next_number() / 4e9;
  transform(given, rows, 1, -1);
  transform(rows, both, 0, -1);
  CHECK(pleat_rfft(on, PLEAT_F64, 0, ROWS, COLUMNS, real, half) == PLEAT_OK);
  for (int i = 0; i < ROWS; ++i) CHECK(near(half + i * HALF, rows + i * COLUMNS, HALF));
  CHECK(pleat_irfft(on, PLEAT_F64, 0, ROWS, COLUMNS, half, again) == PLEAT_OK);
  CHECK(near_reals(again, real, ALL));
  CHECK(pleat_rfftn(on, PLEAT_F64, 0, 2, shape, 0, NULL, real, half) == PLEAT_OK);
  for (int i = 0; i < ROWS; ++i) CHECK(near(half + i * HALF, both + i * COLUMNS, HALF));
  CHECK(pleat_irfftn(on, PLEAT_F64, 0, 2, shape, 0, NULL, half, again) == PLEAT_OK);
  CHECK(near_reals(again, real, ALL));
  for (int i = 0; i < ALL; ++i) singles[i] = (float)real[i];
  CHECK(pleat_rfft(on, PLEAT_F32, 0, ROWS, COLUMNS, singles, single_half) == PLEAT_OK);
  CHECK(cabs(single_half[1] - rows[1]) < 1e-4);
}

static void trigonometric_transforms(pleat_machine* on) {
  const size_t shape[] = {ROWS, COLUMNS}, last = 1;
  double cosines[ALL], sines[ALL];
  for (int i = 0; i < ALL; ++i) {
    const int k = i % COLUMNS;
    cosines[i] = sines[i] = 0;
    for (int j = 0; j < COLUMNS; ++j) {
      cosines[i] += 2 * real[i - k + j] * cos(pi * (2 * j + 1) * k / 2 / COLUMNS);
      sines[i] += 2 * real[i - k + j] * sin(pi * (2 * j + 1) * (k + 1) / 2 / COLUMNS);
    }
  }
  CHECK(pleat_dct(on, PLEAT_F64, 2, 0, 0, 2, shape, 1, &last, real, again) == PLEAT_OK);
  CHECK(near_reals(again, cosines, ALL));
  CHECK(pleat_dst(on, PLEAT_F64, 2, 0, 0, 2, shape, 1, &last, real, again) == PLEAT_OK);
  CHECK(near_reals(again, sines, ALL));
  for (int kind = 1; kind <= 4; ++kind) {
    CHECK(pleat_dct(on, PLEAT_F64, kind, 0, 0, 2, shape, 0, NULL, real, again) == PLEAT_OK);
    CHECK(pleat_dct(on, PLEAT_F64, kind, 1, 0, 2, shape, 0, NULL, again, again) == PLEAT_OK);
    CHECK(near_reals(again, real, ALL));
  }
  REFUSED(pleat_dct(on, PLEAT_F64, 5, 0, 0, 2, shape, 0, NULL, real, again), PLEAT_USAGE,
          "kind is 5");
  REFUSED(pleat_dst(on, PLEAT_F64, 0, 0, 0, 2, shape, 0, NULL, real, again), PLEAT_USAGE,
          "kind is 0");
}

static void plans(void) {
  double complex half[ROWS * HALF];
  float complex single[2] = {1, 0};
  float reals[2];
  pleat_plan* plan = NULL;
  CHECK(pleat_plan_create(PLEAT_C128, 0, 0, ROWS, COLUMNS, &plan) == PLEAT_OK);
  for (int i = 0; i < 2; ++i) {
    CHECK(pleat_plan_execute(plan, given, out) == PLEAT_OK);
    CHECK(near(out, rows, ALL));
  }
  REFUSED(pleat_plan_execute(plan, given, given + 1), PLEAT_USAGE, "overlap");
  REFUSED(pleat_plan_execute(plan, NULL, given), PLEAT_USAGE, "in is NULL");
  pleat_plan_destroy(plan);
  CHECK(pleat_plan_create(PLEAT_F64, 0, 0, ROWS, COLUMNS, &plan) == PLEAT_OK);
  CHECK(pleat_plan_execute(plan, real, half) == PLEAT_OK);
  for (int i = 0; i < ROWS; ++i) CHECK(near(half + i * HALF, rows + i * COLUMNS, HALF));
  pleat_plan_destroy(plan);
  CHECK(pleat_plan_create(PLEAT_F64, 1, 0, ROWS, COLUMNS, &plan) == PLEAT_OK);
  CHECK(pleat_plan_execute(plan, half, again) == PLEAT_OK);
  CHECK(near_reals(again, real, ALL));
  pleat_plan_destroy(plan);
  CHECK(pleat_plan_create(PLEAT_F32, 1, 0, 1, 2, &plan) == PLEAT_OK);
  CHECK(pleat_plan_execute(plan, single, reals) == PLEAT_OK);
  CHECK(reals[0] == 0.5f && reals[1] == 0.5f);
  pleat_plan_destroy(plan);
  REFUSED(pleat_plan_create(PLEAT_C64, 0, 0, 0, 1, &plan), PLEAT_USAGE, "at least 1");
  CHECK(plan == NULL);
  REFUSED(pleat_plan_create(PLEAT_I8, 0, 0, 1, 1, &plan), PLEAT_USAGE, "PLEAT_C128");
  REFUSED(pleat_plan_create(PLEAT_C64, 0, 0, 1, 1, NULL), PLEAT_USAGE, "plan is NULL");
  REFUSED(pleat_plan_execute(NULL, single, single), PLEAT_USAGE, "plan is NULL");
  pleat_plan_destroy(NULL);
}

void test_fourier(pleat_machine* on) {
  const size_t shape[] = {ROWS, COLUMNS}, wrong[] = {2}, empty[] = {3, 0};
  complex_transforms(on);
  real_transforms(on);
  trigonometric_transforms(on);
  plans();
  CHECK(pleat_fft(on, PLEAT_C128, 0, 0, 0, 5, NULL, NULL) == PLEAT_OK);
  CHECK(pleat_rfft(on, PLEAT_F64, 0, 5, 0, NULL, NULL) == PLEAT_OK);
  CHECK(pleat_fftn(on, PLEAT_C128, 0, 0, 2, empty, 0, NULL, NULL, NULL) == PLEAT_OK);
  CHECK(pleat_rfftn(on, PLEAT_F64, 0, 2, empty, 0, NULL, NULL, NULL) == PLEAT_OK);
  REFUSED(pleat_fft(on, PLEAT_F64, 0, 0, 1, 5, given, out), PLEAT_USAGE, "PLEAT_C64 or PLEAT_C128");
  REFUSED(pleat_fft(on, PLEAT_C128, 2, 0, 1, 5, given, out), PLEAT_USAGE, "direction is 2");
  REFUSED(pleat_fft(on, PLEAT_C128, 0, -1, 1, 5, given, out), PLEAT_USAGE, "norm is -1");
  REFUSED(pleat_fft(on, PLEAT_C128, 0, 0, 1, 5, given, given + 1), PLEAT_USAGE,
          "pleat_fft: the arrays overlap");
  REFUSED(pleat_irfft(on, PLEAT_F64, 0, 1, 5, given, given), PLEAT_USAGE,
          "pleat_irfft: the arrays overlap");
  REFUSED(pleat_dst(on, PLEAT_F64, 2, 0, 0, 2, shape, 0, NULL, real, real + 1), PLEAT_USAGE,
          "pleat_dst: the arrays overlap");
  REFUSED(pleat_fft(on, PLEAT_C128, 0, 0, SIZE_MAX / 2, 5, given, out), PLEAT_USAGE, "memory");
  REFUSED(pleat_fft(on, PLEAT_C128, 0, 0, 1, 5, NULL, out), PLEAT_USAGE, "in is NULL");
  REFUSED(pleat_irfft(on, PLEAT_C128, 0, 1, 5, given, real), PLEAT_USAGE, "PLEAT_F32 or PLEAT_F64");
  REFUSED(pleat_fftn(on, PLEAT_C128, 0, 0, 9, shape, 0, NULL, given, out), PLEAT_USAGE, "1 to 8");
  REFUSED(pleat_fftn(on, PLEAT_C128, 0, 0, 2, shape, 1, wrong, given, out), PLEAT_USAGE,
          "no axis 2");
  REFUSED(pleat_fftn(on, PLEAT_C128, 0, 0, 2, NULL, 0, NULL, given, out), PLEAT_USAGE,
          "shape is NULL");
}
