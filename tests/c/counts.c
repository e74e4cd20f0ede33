/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Calls of every function that takes counts, sizes or indices, with c[0], c[1], … for them, which
 * make sense if all of them are 1. symbols.cmake looks for functions that are missing. */
#define CALL(name, call)                                       \
  static int call_##name(pleat_machine* on, const size_t* c) { \
    (void)on;                                                  \
    return call;                                               \
  }

static double numbers[2], results[4];
static int8_t bytes[1], values[1];
static int64_t places[1];
static uint64_t histogram[1];
static size_t place;
static char text[1];
static pleat_plan* plan;

static void nothing(size_t i, void* context) {
  (void)i;
  (void)context;
}

/* The sizes and the axes of an array: the only axis is 0 if its place in `c` is 1. */
static const size_t* axes(const size_t* c) {
  static size_t axis;
  axis = c[3] - (c[3] == 1);
  return &axis;
}
#define ARRAY c[0], c + 1, c[2], axes(c), numbers, results

CALL(topology_text, pleat_topology_text(text, c[0], NULL))
CALL(sort, pleat_sort(on, PLEAT_F64, numbers, c[0]))
CALL(argsort, pleat_argsort(on, PLEAT_F64, numbers, c[0], places))
CALL(sort_by_key, pleat_sort_by_key(on, PLEAT_I8, bytes, c[0], values, c[1]))
CALL(fft, pleat_fft(on, PLEAT_C128, 0, 0, c[0], c[1], numbers, results))
CALL(rfft, pleat_rfft(on, PLEAT_F64, 0, c[0], c[1], numbers, results))
CALL(irfft, pleat_irfft(on, PLEAT_F64, 0, c[0], c[1], numbers, results))
CALL(fftn, pleat_fftn(on, PLEAT_C128, 0, 0, ARRAY))
CALL(rfftn, pleat_rfftn(on, PLEAT_F64, 0, ARRAY))
CALL(irfftn, pleat_irfftn(on, PLEAT_F64, 0, ARRAY))
CALL(dct, pleat_dct(on, PLEAT_F64, 2, 0, 0, ARRAY))
CALL(dst, pleat_dst(on, PLEAT_F64, 2, 0, 0, ARRAY))
CALL(plan_create, pleat_plan_create(PLEAT_C128, 0, 0, c[0], c[1], &plan))
CALL(matmul, pleat_matmul(on, PLEAT_F64, 0, c[0], c[1], c[2], 0, numbers, c[3], 0, numbers, c[4], 0,
                          results, c[5]))
CALL(stencil, pleat_stencil(on, PLEAT_F64, c[0], c + 1, results, NULL, c[2], numbers))
CALL(sum, pleat_sum(on, PLEAT_F64, numbers, c[0], results))
CALL(exact_sum, pleat_exact_sum(on, PLEAT_F64, numbers, c[0], results))
CALL(argmin, pleat_argmin(on, PLEAT_F64, numbers, c[0], &place))
CALL(argmax, pleat_argmax(on, PLEAT_F64, numbers, c[0], &place))
CALL(inclusive_scan, pleat_inclusive_scan(on, PLEAT_F64, numbers, c[0], results))
CALL(exclusive_scan, pleat_exclusive_scan(on, PLEAT_F64, numbers, c[0], results))
CALL(histogram, pleat_histogram(on, PLEAT_I8, bytes, c[0], c[1], histogram))
CALL(for_each_index, pleat_for_each_index(on, c[0], c[1], nothing, NULL))

/* The first `sizes` of the counts are of arrays, or of what is at most as long. */
#define ROW(name, counts, sizes) \
  { "pleat_" #name ":", counts, sizes, call_##name }
static const struct {
  const char* name;
  int counts, sizes;
  int (*call)(pleat_machine* on, const size_t* c);
} functions[] = {
    ROW(topology_text, 1, 1),
    ROW(sort, 1, 1),
    ROW(argsort, 1, 1),
    ROW(sort_by_key, 2, 2),
    ROW(fft, 2, 2),
    ROW(rfft, 2, 2),
    ROW(irfft, 2, 2),
    ROW(fftn, 4, 4),
    ROW(rfftn, 4, 4),
    ROW(irfftn, 4, 4),
    ROW(dct, 4, 4),
    ROW(dst, 4, 4),
    ROW(plan_create, 2, 2),
    ROW(matmul, 6, 6),
    ROW(stencil, 3, 2),
    ROW(sum, 1, 1),
    ROW(exact_sum, 1, 1),
    ROW(argmin, 1, 1),
    ROW(argmax, 1, 1),
    ROW(histogram, 2, 2),
    ROW(for_each_index, 2, 0),
    ROW(inclusive_scan, 1, 1),
    ROW(exclusive_scan, 1, 1),
};

void test_counts(pleat_machine* on) {
  const ptrdiff_t below[] = {-1, -2, PTRDIFF_MIN};
  for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
    size_t c[] = {1, 1, 1, 1, 1, 1};
    CHECK(functions[f].call(on, c) == PLEAT_OK);
    for (int i = 0; i < functions[f].counts; ++i)
      for (size_t j = 0; j < sizeof below / sizeof *below; ++j) {
        char words[64];
        snprintf(words, sizeof words, "%s a count is %td;", functions[f].name, below[j]);
        c[i] = (size_t)below[j];
        REFUSED(functions[f].call(on, c), PLEAT_USAGE, words);
        c[i] = 1;
      }
    for (int i = 0; i < functions[f].sizes; ++i) { /* refused at once: in no memory */
      c[i] = (size_t)1 << 52;
      REFUSED(functions[f].call(on, c), PLEAT_USAGE, functions[f].name);
      c[i] = 1;
    }
    pleat_plan_destroy(plan);
    plan = NULL;
  }
}
