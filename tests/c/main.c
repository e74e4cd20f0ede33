/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

static uint64_t state = 1;

uint32_t next_number(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
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
    for (int i = 0; i < 100000; ++i) numbers[i] = next_number();
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
    test_sorting(on);
    test_fourier(on);
    test_products(on);
    test_stencils(on);
    test_everyday(on);
    test_refusals(on);
    test_little_memory(on);
    test_threads(on);
  }
  pleat_machine_destroy(machine);
  pleat_machine_destroy(NULL);
  return 0;
}
