/* SPDX-License-Identifier: Apache-2.0 */
/* Machines, errors, threads and memory; calls with counts that make no sense. What the functions
 * make of arrays: arrays_test.py. */
#include <pleat.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Ends the program with the line of the first check that fails. */
#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: %s; pleat_error: %s\n", __FILE__, __LINE__, #condition, \
              pleat_error());                                                         \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

/* A call that is refused, with a status and a message that has these words. */
#define REFUSED(call, status, words)             \
  do {                                           \
    CHECK((call) == (status));                   \
    CHECK(strstr(pleat_error(), words) != NULL); \
    CHECK(strchr(pleat_error(), '\n') == NULL);  \
  } while (0)

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

static void test_counts(pleat_machine* on) {
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

static void test_machines(pleat_machine* on) {
  unsigned workers = 0, available = 0;
  size_t needed = 0;
  char cut[4], text[256];
  CHECK(pleat_machine_processors(on, &workers) == PLEAT_OK && workers > 0);
  CHECK(pleat_available_processors(&available) == PLEAT_OK && available > 0);
  CHECK(pleat_topology_text(NULL, 0, &needed) == PLEAT_OK && needed > 1);
  CHECK(pleat_topology_text(text, sizeof text, NULL) == PLEAT_OK && strlen(text) + 1 == needed);
  CHECK(pleat_topology_text(cut, sizeof cut, &needed) == PLEAT_OK);
  CHECK(strlen(cut) == 3 && strncmp(cut, text, 3) == 0);
}

static void test_refusals(pleat_machine* on) {
  pleat_machine* made = on;
  REFUSED(pleat_machine_create(1, "nowhere", NULL, &made), PLEAT_USAGE, "nowhere");
  CHECK(made == NULL);
  REFUSED(pleat_machine_create(1, NULL, "nothing", &made), PLEAT_USAGE, "nothing");
  REFUSED(pleat_machine_create(1000000, NULL, NULL, &made), PLEAT_USAGE, "1000000");
  REFUSED(pleat_machine_create(1, "list:60000", NULL, &made), PLEAT_ENVIRONMENT, "60000");
  REFUSED(pleat_machine_create(1, NULL, NULL, NULL), PLEAT_USAGE, "machine is NULL");
  REFUSED(pleat_machine_processors(on, NULL), PLEAT_USAGE, "processors is NULL");
  REFUSED(pleat_available_processors(NULL), PLEAT_USAGE, "processors is NULL");
  REFUSED(pleat_topology_text(NULL, 5, NULL), PLEAT_USAGE, "buffer is NULL");
}

/* As far as memory is: with 64 MiB more than there is, a sort that takes more. */
static void test_little_memory(pleat_machine* on) {
  const size_t n = (size_t)1 << 26;
  char* const keys = calloc(n, 1);
  char* const values = calloc(n, 1);
  struct rlimit before, little;
  unsigned long pages = 0;
  FILE* const sizes = fopen("/proc/self/statm", "r");
  int status;
  CHECK(sizes != NULL && fscanf(sizes, "%lu", &pages) == 1 && fclose(sizes) == 0);
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  little = before;
  little.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + n;
  CHECK(setrlimit(RLIMIT_AS, &little) == 0);
  status = pleat_sort_by_key(on, PLEAT_I8, keys, 1, values, n);
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  REFUSED(status, PLEAT_MEMORY, "out of memory");
  free(keys);
  free(values);
}

static void* other_thread(void* barrier) {
  char const* const empty = pleat_error();
  if (empty[0] != 0) return "an error of another thread";
  if (pleat_fft(NULL, PLEAT_F32, 0, 0, 1, 1, NULL, NULL) != PLEAT_USAGE) return "no refusal";
  pthread_barrier_wait(barrier); /* both have failed */
  if (strstr(pleat_error(), "pleat_fft") == NULL) return "not the error of this thread";
  for (int round = 0; round < 20; ++round) {
    uint32_t keys[5000];
    for (int i = 0; i < 5000; ++i) keys[i] = (uint32_t)(i * 7919 % 5000);
    if (pleat_sort(NULL, PLEAT_U32, keys, 5000) != PLEAT_OK) return "a sort fails";
    for (int i = 0; i < 5000; ++i)
      if (keys[i] != (uint32_t)i) return "keys in disorder";
  }
  pthread_barrier_wait(barrier);
  return NULL;
}

static void test_threads(pleat_machine* on) {
  pthread_barrier_t barrier;
  pthread_t thread;
  void* said = NULL;
  double* const numbers = malloc(100000 * sizeof *numbers);
  CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
  CHECK(pleat_sort(on, 99, NULL, 0) == PLEAT_USAGE);
  CHECK(pthread_create(&thread, NULL, other_thread, &barrier) == 0);
  pthread_barrier_wait(&barrier);
  CHECK(strstr(pleat_error(), "pleat_sort") != NULL);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100000; ++i) numbers[i] = (double)((uint32_t)i * 2654435769u);
    CHECK(pleat_sort(on, PLEAT_F64, numbers, 100000) == PLEAT_OK);
    for (int i = 1; i < 100000; ++i) CHECK(numbers[i - 1] <= numbers[i]);
  }
  pthread_barrier_wait(&barrier);
  CHECK(pthread_join(thread, &said) == 0);
  if (said != NULL) fprintf(stderr, "other thread: %s\n", (const char*)said);
  CHECK(said == NULL);
  pthread_barrier_destroy(&barrier);
  free(numbers);
}

int main(void) {
  pleat_machine* machine = NULL;
  unsigned workers = 0;
  CHECK(pleat_error()[0] == 0);
  CHECK(pleat_version()[0] >= '0' && pleat_version()[0] <= '9');
  CHECK(strcmp(pleat_status_name(PLEAT_OK), "PLEAT_OK") == 0);
  CHECK(strcmp(pleat_status_name(PLEAT_INTERNAL), "PLEAT_INTERNAL") == 0);
  CHECK(strcmp(pleat_status_name(-1), "unknown status") == 0);
  CHECK(strcmp(pleat_status_name(6), "unknown status") == 0);

  CHECK(pleat_machine_create(3, "unpinned", "first-touch", &machine) == PLEAT_OK);
  CHECK(pleat_machine_processors(machine, &workers) == PLEAT_OK && workers == 3);
  for (int i = 0; i < 2; ++i) { /* on this machine, and on the default machine */
    pleat_machine* const on = i == 0 ? machine : NULL;
    test_machines(on);
    test_counts(on);
    test_refusals(on);
    test_little_memory(on);
    test_threads(on);
  }
  pleat_machine_destroy(machine);
  pleat_machine_destroy(NULL);
  return 0;
}
