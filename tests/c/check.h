/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLEAT_TESTS_C_CHECK_H
#define PLEAT_TESTS_C_CHECK_H

#include <pleat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The same numbers in every run, 0 to 2^32 - 1. */
uint32_t next_number(void);

void test_counts(pleat_machine* on);
void test_sorting(pleat_machine* on);
void test_fourier(pleat_machine* on);
void test_products(pleat_machine* on);
void test_stencils(pleat_machine* on);
void test_everyday(pleat_machine* on);

#endif
