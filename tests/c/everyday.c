/* SPDX-License-Identifier: Apache-2.0 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "check.h"

enum { COUNT = 20000 };

/* Small integers, whose sums are exact in every type but the smallest, which wrap. */
#define SUMS(T, TYPE, WIDE, ORDERED)                                         \
  do {                                                                       \
    T* const numbers = malloc(COUNT * sizeof(T));                            \
    T* const sums = malloc(COUNT * sizeof(T));                               \
    WIDE total = 0, expected = 0;                                            \
    T running = 0;                                                           \
    size_t low = COUNT, high = COUNT, place_of_low = 0, place_of_high = 0;   \
    for (int i = 0; i < COUNT; ++i) {                                        \
      numbers[i] = (T)(next_number() % 100);                                 \
      expected += (WIDE)numbers[i];                                          \
    }                                                                        \
    CHECK(pleat_sum(on, TYPE, numbers, COUNT, &total) == PLEAT_OK);          \
    CHECK(total == expected);                                                \
    CHECK(pleat_inclusive_scan(on, TYPE, numbers, COUNT, sums) == PLEAT_OK); \
    for (int i = 0; i < COUNT; ++i) {                                        \
      running = (T)(running + numbers[i]);                                   \
      CHECK(sums[i] == running);                                             \
    }                                                                        \
    memcpy(sums, numbers, COUNT * sizeof(T));                                \
    CHECK(pleat_exclusive_scan(on, TYPE, sums, COUNT, sums) == PLEAT_OK);    \
    running = 0;                                                             \
    for (int i = 0; i < COUNT; ++i) {                                        \
      CHECK(sums[i] == running);                                             \
      running = (T)(running + numbers[i]);                                   \
    }                                                                        \
    ORDERED(T, TYPE);                                                        \
    (void)low, (void)high, (void)place_of_low, (void)place_of_high;          \
    free(numbers);                                                           \
    free(sums);                                                              \
  } while (0)

#define BEST(T, TYPE)                                                 \
  do {                                                                \
    for (size_t i = 1; i < COUNT; ++i) {                              \
      if (numbers[i] < numbers[place_of_low]) place_of_low = i;       \
      if (numbers[place_of_high] < numbers[i]) place_of_high = i;     \
    }                                                                 \
    CHECK(pleat_argmin(on, TYPE, numbers, COUNT, &low) == PLEAT_OK);  \
    CHECK(pleat_argmax(on, TYPE, numbers, COUNT, &high) == PLEAT_OK); \
    CHECK(low == place_of_low && high == place_of_high);              \
  } while (0)

#define BINS(T, TYPE)                                                                     \
  do {                                                                                    \
    uint64_t counted[100], expected_counts[100] = {0};                                    \
    BEST(T, TYPE);                                                                        \
    for (int i = 0; i < COUNT; ++i) ++expected_counts[(size_t)numbers[i]];                \
    CHECK(pleat_histogram(on, TYPE, numbers, COUNT, 100, counted) == PLEAT_OK);           \
    CHECK(memcmp(counted, expected_counts, sizeof counted) == 0);                         \
    numbers[COUNT / 2] = 100;                                                             \
    REFUSED(pleat_histogram(on, TYPE, numbers, COUNT, 100, counted), PLEAT_USAGE, "100"); \
  } while (0)

#define NOTHING(T, TYPE) (void)0

struct visits {
  unsigned char* count;
  pleat_machine* on;
};

/* Calls of the library inside one of its callbacks. */
static void visit(size_t index, void* context) {
  struct visits* const visits = context;
  ++visits->count[index];
  if (index % 1000 == 0) {
    double numbers[] = {3, 1, 2}, product[1] = {0}, spectrum[4];
    const size_t three = 3;
    double sum = 0;
    CHECK(pleat_sort(visits->on, PLEAT_F64, numbers, 3) == PLEAT_OK);
    CHECK(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
    CHECK(pleat_sum(visits->on, PLEAT_F64, numbers, 3, &sum) == PLEAT_OK && sum == 6);
    CHECK(pleat_rfft(visits->on, PLEAT_F64, 0, 1, 3, numbers, spectrum) == PLEAT_OK);
    CHECK(fabs(spectrum[0] - 6) < 1e-12);
    CHECK(pleat_matmul(visits->on, PLEAT_F64, 0, 1, 3, 1, 0, numbers, 3, 0, numbers, 1, 0, product,
                       1) == PLEAT_OK);
    CHECK(product[0] == 14);
    CHECK(pleat_stencil(visits->on, PLEAT_F64, 1, &three, numbers, NULL, 1, numbers) == PLEAT_OK);
    CHECK(numbers[1] == 14);
  }
}

void test_everyday(pleat_machine* on) {
  double numbers[] = {2, NAN, 1};
  uint64_t counts[2];
  size_t index = 9;
  double complex sum = 0;
  float complex z[2] = {1 + 2 * I, 3 - I};
  struct visits visits = {calloc(COUNT, 1), on};
  SUMS(int8_t, PLEAT_I8, int64_t, BINS);
  SUMS(int16_t, PLEAT_I16, int64_t, BINS);
  SUMS(int32_t, PLEAT_I32, int64_t, BINS);
  SUMS(int64_t, PLEAT_I64, int64_t, BINS);
  SUMS(uint8_t, PLEAT_U8, uint64_t, BINS);
  SUMS(uint16_t, PLEAT_U16, uint64_t, BINS);
  SUMS(uint32_t, PLEAT_U32, uint64_t, BINS);
  SUMS(uint64_t, PLEAT_U64, uint64_t, BINS);
  SUMS(float, PLEAT_F32, double, BEST);
  SUMS(double, PLEAT_F64, double, BEST);
  SUMS(float complex, PLEAT_C64, double complex, NOTHING);
  SUMS(double complex, PLEAT_C128, double complex, NOTHING);
  CHECK(pleat_sum(on, PLEAT_C64, z, 2, &sum) == PLEAT_OK && sum == 4 + I);
  CHECK(pleat_sum(on, PLEAT_C64, NULL, 0, &sum) == PLEAT_OK && sum == 0);
  CHECK(pleat_argmin(on, PLEAT_F64, numbers, 3, &index) == PLEAT_OK && index == 2);
  CHECK(pleat_argmax(on, PLEAT_F64, numbers, 3, &index) == PLEAT_OK && index == 1);
  {
    int64_t negative = 0;
    const int8_t below[] = {-100, -100};
    CHECK(pleat_sum(on, PLEAT_I8, below, 2, &negative) == PLEAT_OK && negative == -200);
    REFUSED(pleat_histogram(on, PLEAT_I8, below, 2, 2, counts), PLEAT_USAGE, "-100");
  }

  {
    double total = 0;
    const double far[] = {1e16, 1, -1e16};
    const float tiny[] = {1.5f, 0x1p-60f, -1.5f};
    CHECK(pleat_exact_sum(on, PLEAT_F64, far, 3, &total) == PLEAT_OK && total == 1);
    CHECK(pleat_exact_sum(on, PLEAT_F32, tiny, 3, &total) == PLEAT_OK && total == 0x1p-60);
    CHECK(pleat_exact_sum(on, PLEAT_F64, NULL, 0, &total) == PLEAT_OK && total == 0);
    REFUSED(pleat_exact_sum(on, PLEAT_I8, far, 3, &total), PLEAT_USAGE, "PLEAT_F32 or PLEAT_F64");
    REFUSED(pleat_exact_sum(on, PLEAT_F64, far, 3, NULL), PLEAT_USAGE, "sum is NULL");
  }

  CHECK(pleat_for_each_index(on, 5, COUNT, visit, &visits) == PLEAT_OK);
  for (int i = 0; i < COUNT; ++i) CHECK(visits.count[i] == (i >= 5));
  CHECK(pleat_for_each_index(on, 5, 5, visit, NULL) == PLEAT_OK);
  CHECK(pleat_for_each_index(on, 5, 4, visit, NULL) == PLEAT_OK);
  free(visits.count);

  REFUSED(pleat_for_each_index(on, 0, 1, NULL, NULL), PLEAT_USAGE, "f is NULL");
  REFUSED(pleat_sum(on, PLEAT_F64, numbers, 3, NULL), PLEAT_USAGE, "sum is NULL");
  REFUSED(pleat_argmin(on, PLEAT_F64, numbers, 0, &index), PLEAT_USAGE, "no numbers");
  REFUSED(pleat_argmax(on, PLEAT_C128, numbers, 1, &index), PLEAT_USAGE, "complex");
  REFUSED(pleat_inclusive_scan(on, PLEAT_F64, numbers, 2, numbers + 1), PLEAT_USAGE, "overlap");
  REFUSED(pleat_exclusive_scan(on, 13, numbers, 2, numbers), PLEAT_USAGE, "no type 13");
  REFUSED(pleat_histogram(on, PLEAT_F64, numbers, 3, 2, counts), PLEAT_USAGE, "not integers");
}
