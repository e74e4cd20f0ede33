/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "check.h"

enum { COUNT = 9000 };

/* Sorts random numbers of one type in each of the three ways, and checks them with its own <. */
#define SORTS(T, TYPE, MAKE)                                                        \
  do {                                                                              \
    T* const given = malloc(COUNT * sizeof(T));                                     \
    T* const sorted = malloc(COUNT * sizeof(T));                                    \
    int64_t* const places = malloc(COUNT * sizeof(int64_t));                        \
    char* const values = malloc(COUNT * 16);                                        \
    for (int i = 0; i < COUNT; ++i) given[i] = (T)(MAKE);                           \
    memcpy(sorted, given, COUNT * sizeof(T));                                       \
    CHECK(pleat_argsort(on, TYPE, given, COUNT, places) == PLEAT_OK);               \
    CHECK(pleat_sort(on, TYPE, sorted, COUNT) == PLEAT_OK);                         \
    for (int i = 0; i < COUNT; ++i) CHECK(sorted[i] == given[places[i]]);           \
    for (int i = 1; i < COUNT; ++i) {                                               \
      CHECK(!(sorted[i] < sorted[i - 1]));                                          \
      CHECK(sorted[i] != sorted[i - 1] || places[i - 1] < places[i]);               \
    }                                                                               \
    for (size_t bytes = 1; bytes <= 16; ++bytes) {                                  \
      memcpy(sorted, given, COUNT * sizeof(T));                                     \
      for (size_t i = 0; i < COUNT; ++i)                                            \
        for (size_t j = 0; j < bytes; ++j) values[i * bytes + j] = (char)(i >> j);  \
      CHECK(pleat_sort_by_key(on, TYPE, sorted, bytes, values, COUNT) == PLEAT_OK); \
      for (size_t i = 0; i < COUNT; ++i) {                                          \
        CHECK(sorted[i] == given[places[i]]);                                       \
        for (size_t j = 0; j < bytes; ++j)                                          \
          CHECK(values[i * bytes + j] == (char)((size_t)places[i] >> j));           \
      }                                                                             \
    }                                                                               \
    free(given);                                                                    \
    free(sorted);                                                                   \
    free(places);                                                                   \
    free(values);                                                                   \
  } while (0)

/* Complex numbers as C99 has them need no <complex.h>: two numbers each. */
static void sort_complex(pleat_machine* on) {
  double numbers[] = {2, 0, 1, 5, NAN, 0, 1, -5, 0, NAN, 2, -1};
  const double sorted[] = {1, -5, 1, 5, 2, -1, 2, 0};
  const int64_t expected[] = {3, 1, 5, 0, 4, 2};
  int64_t places[6];
  float singles[] = {3, 1, 2, 1, 1, 1};
  CHECK(pleat_argsort(on, PLEAT_C128, numbers, 6, places) == PLEAT_OK);
  CHECK(memcmp(places, expected, sizeof places) == 0);
  CHECK(pleat_sort(on, PLEAT_C128, numbers, 6) == PLEAT_OK);
  CHECK(memcmp(numbers, sorted, sizeof sorted) == 0);
  CHECK(numbers[8] == 0 && isnan(numbers[9]) && isnan(numbers[10]));
  CHECK(pleat_sort(on, PLEAT_C64, singles, 3) == PLEAT_OK);
  CHECK(singles[0] == 1 && singles[2] == 2 && singles[4] == 3);
  CHECK(pleat_sort_by_key(on, PLEAT_C64, singles, sizeof *places, places, 3) == PLEAT_OK);
}

void test_sorting(pleat_machine* on) {
  float numbers[] = {NAN, 1, -INFINITY, 0, -1};
  SORTS(int8_t, PLEAT_I8, next_number());
  SORTS(int16_t, PLEAT_I16, next_number());
  SORTS(int32_t, PLEAT_I32, next_number());
  SORTS(int64_t, PLEAT_I64, ((uint64_t)next_number() << 32) - next_number());
  SORTS(uint8_t, PLEAT_U8, next_number());
  SORTS(uint16_t, PLEAT_U16, next_number());
  SORTS(uint32_t, PLEAT_U32, next_number());
  SORTS(uint64_t, PLEAT_U64, ((uint64_t)next_number() << 32) - next_number());
  SORTS(float, PLEAT_F32, (float)next_number() - 2e9f);
  SORTS(double, PLEAT_F64, (double)next_number() - 2e9);
  sort_complex(on);
  CHECK(pleat_sort(on, PLEAT_F32, numbers, 5) == PLEAT_OK);
  CHECK(numbers[0] == -INFINITY && numbers[3] == 1 && isnan(numbers[4]));
  CHECK(pleat_sort(on, PLEAT_F32, NULL, 0) == PLEAT_OK);
  CHECK(pleat_argsort(on, PLEAT_F32, NULL, 0, NULL) == PLEAT_OK);
  CHECK(pleat_sort_by_key(on, PLEAT_F32, NULL, 4, NULL, 0) == PLEAT_OK);
  REFUSED(pleat_sort(on, PLEAT_F32, NULL, 5), PLEAT_USAGE, "numbers is NULL");
  REFUSED(pleat_sort(on, 0, numbers, 5), PLEAT_USAGE, "no type 0");
  REFUSED(pleat_argsort(on, PLEAT_F32, numbers, 5, NULL), PLEAT_USAGE, "indices is NULL");
  REFUSED(pleat_sort_by_key(on, PLEAT_F32, numbers, 0, numbers, 5), PLEAT_USAGE, "0 bytes");
  REFUSED(pleat_sort_by_key(on, PLEAT_F32, numbers, 4, numbers, 5), PLEAT_USAGE, "share memory");
  REFUSED(pleat_sort_by_key(on, PLEAT_F32, numbers, SIZE_MAX / 2, numbers, 5), PLEAT_USAGE,
          "memory");
}
