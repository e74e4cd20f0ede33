/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLEAT_H
#define PLEAT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PLEAT_C_API __attribute__((visibility("default")))
#else
#define PLEAT_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * \file
 * Pleat for C, and for every language that can call C. C99, and C++.
 *
 *     double x[1000];
 *     if (pleat_sort(NULL, PLEAT_F64, x, 1000) != PLEAT_OK) puts(pleat_error());
 *
 * Rules of all functions:
 *
 * - Errors. A function that returns `int` returns a status. After any other than PLEAT_OK,
 *   pleat_error() says what is wrong. No exception leaves the library.
 * - Counts. A size, an index or a number of steps above PTRDIFF_MAX is PLEAT_USAGE: it is one below
 *   zero in languages without unsigned integers.
 * - Arrays belong to the caller, who gives their sizes in numbers, not in bytes; more than 2^48
 *   bytes are PLEAT_USAGE. They are aligned as their type requires. A pointer to an array of 0
 *   numbers may be NULL. A complex number is its real part, then its imaginary part, as `double
 *   complex`. Arrays of several dimensions are row-major: the last index is that of adjacent
 *   numbers.
 * - Machines. `on` is a machine, or NULL for the default machine of the process: all cores that it
 *   may use, made at the first use. Calls on one machine take turns.
 * - Threads. Any thread may call, also inside a callback of the library, where a call runs on the
 *   calling thread alone.
 * - Memory. If memory runs out (PLEAT_MEMORY), a sort has changed nothing; other results are
 *   unspecified.
 * - Processes. After fork() the child's default machine is another one. A machine or a call under
 *   way of the parent's is not to be used there: functions refuse it with PLEAT_USAGE.
 */

/** Statuses. */
enum {
  PLEAT_OK = 0,
  PLEAT_USAGE = 1,       /**< an argument or environment variable makes no sense */
  PLEAT_ENVIRONMENT = 2, /**< the system cannot give what was asked for */
  PLEAT_MEMORY = 3,      /**< memory ran out */
  PLEAT_RUN = 4,         /**< a run on the machine ended early */
  PLEAT_INTERNAL = 5     /**< a defect of the library */
};

/** Types of numbers: PLEAT_I8 … PLEAT_C128. */
typedef int pleat_type;
enum {
  PLEAT_I8 = 1,
  PLEAT_I16 = 2,
  PLEAT_I32 = 3,
  PLEAT_I64 = 4,
  PLEAT_U8 = 5,
  PLEAT_U16 = 6,
  PLEAT_U32 = 7,
  PLEAT_U64 = 8,
  PLEAT_F32 = 9,  /**< float */
  PLEAT_F64 = 10, /**< double */
  PLEAT_C64 = 11, /**< complex number of two float */
  PLEAT_C128 = 12 /**< complex number of two double */
};

/** A machine: threads, each at a processor. */
typedef struct pleat_machine pleat_machine;
/** A plan of transforms of one size by the calling thread. */
typedef struct pleat_plan pleat_plan;

/* ---- Errors -------------------------------------------------------------------------------- */

/** Returns the version of the library, such as "0.9.0". */
PLEAT_C_API const char* pleat_version(void);

/**
 * Returns what the last call of this thread that failed had to say: one line, or "" before the
 * first failure. A later failure of this thread overwrites it; a success does not.
 */
PLEAT_C_API const char* pleat_error(void);

/** Returns the name of a status, such as "PLEAT_USAGE"; "unknown status" for other numbers. */
PLEAT_C_API const char* pleat_status_name(int status);

/* ---- Machines ------------------------------------------------------------------------------ */

/**
 * Makes a machine, which pleat_machine_destroy ends.
 *
 * \param processors number of workers; 0: PLEAT_NUM_PROCESSORS, else one for each core that this
 *        process may use
 * \param place which processors, as PLEAT_PLACE has it: "compact", "spread", "numa:1",
 *        "list:0,2-5", "unpinned"; NULL: PLEAT_PLACE, else "compact"
 * \param memory where pages of the machine's memory are, as PLEAT_MEMORY has it: "first-touch",
 *        "interleave", "bind:0"; NULL: PLEAT_MEMORY, else "first-touch"
 * \param machine is set to the machine, and to NULL if there is none
 *
 * Errors: PLEAT_USAGE (a text that is no place or memory, too many processors), PLEAT_ENVIRONMENT
 * (a processor or NUMA node that this process may not use), PLEAT_MEMORY.
 */
PLEAT_C_API int pleat_machine_create(unsigned processors, const char* place, const char* memory,
                                     pleat_machine** machine);

/** Ends a machine's threads and frees it. Requires: no call uses it. NULL is ignored. */
PLEAT_C_API void pleat_machine_destroy(pleat_machine* machine);

/** Sets `processors` to the number of workers of a machine. */
PLEAT_C_API int pleat_machine_processors(pleat_machine* on, unsigned* processors);

/** Sets `processors` to the number of workers that this process can run at full speed. */
PLEAT_C_API int pleat_available_processors(unsigned* processors);

/**
 * Writes a summary of the computer in one line: "8 cores, 3 allowed by affinity, 2 by quota".
 *
 * \param buffer receives the text and a 0 behind it, cut to `size` bytes; NULL with size 0
 * \param needed is set to the bytes that all of it takes, with the 0; may be NULL
 */
PLEAT_C_API int pleat_topology_text(char* buffer, size_t size, size_t* needed);

/* ---- Sorting ------------------------------------------------------------------------------- */

/**
 * Sorts n numbers of any type, ascending. NaNs are last, −0 is before +0; complex numbers are in
 * the order of their real parts, then of their imaginary parts.
 */
PLEAT_C_API int pleat_sort(pleat_machine* on, pleat_type type, void* numbers, size_t n);

/**
 * Sets indices[i] to the index of the number that pleat_sort would put in place i. Equal numbers,
 * as zeros and NaNs among themselves, stay in the order of their indices.
 */
PLEAT_C_API int pleat_argsort(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                              int64_t* indices);

/**
 * Sorts n keys of any type as pleat_argsort does, and moves each value to the new place of its key.
 *
 * \param value_bytes size of a value, which may be anything, aligned in any way; at least 1
 *
 * Cost: keys of 4 and 8 bytes that are no complex numbers, with values of 1, 2, 4, 8 or 16 bytes,
 * are sorted as pairs; others by way of their indices, which takes several times as long, and 8
 * bytes, a key or a value more for each.
 * Errors: PLEAT_USAGE also if keys and values share memory.
 */
PLEAT_C_API int pleat_sort_by_key(pleat_machine* on, pleat_type key_type, void* keys,
                                  size_t value_bytes, void* values, size_t n);

/* ---- Fourier transforms -------------------------------------------------------------------- */

/** Directions: the forward transform has the exponent −2πi·jk/n, the inverse one +2πi·jk/n. */
enum { PLEAT_FORWARD = 0, PLEAT_INVERSE = 1 };

/** Norms: which transforms of n numbers divide their results, and by what. */
enum {
  PLEAT_NORM_BACKWARD = 0,   /**< the inverse one, by n */
  PLEAT_NORM_FORWARD = 1,    /**< the forward one, by n */
  PLEAT_NORM_ORTHOGONAL = 2, /**< both, by the square root of n */
  PLEAT_NORM_NONE = 3        /**< neither */
};

/**
 * Transforms `batch` sequences of n complex numbers, one behind the other.
 *
 * \param type PLEAT_C64 or PLEAT_C128, of `in` and `out`
 * \param out batch · n numbers: the memory of `in`, or other memory
 *
 * Any n; relative error (L2) at most 2·log2(n)·ε. Errors: PLEAT_USAGE also if in and out overlap
 * and are not the same.
 */
PLEAT_C_API int pleat_fft(pleat_machine* on, pleat_type type, int direction, int norm, size_t batch,
                          size_t n, const void* in, void* out);

/**
 * Transforms sequences of n real numbers: the first n/2 + 1 results of each, the others being their
 * conjugates.
 *
 * \param type PLEAT_F32 or PLEAT_F64, of `in`: batch · n numbers
 * \param out batch · (n/2 + 1) complex numbers of the same precision, in other memory
 */
PLEAT_C_API int pleat_rfft(pleat_machine* on, pleat_type type, int norm, size_t batch, size_t n,
                           const void* in, void* out);

/**
 * Undoes pleat_rfft.
 *
 * \param type PLEAT_F32 or PLEAT_F64, of `out`: batch · n numbers
 * \param in batch · (n/2 + 1) complex numbers of the same precision, in other memory
 */
PLEAT_C_API int pleat_irfft(pleat_machine* on, pleat_type type, int norm, size_t batch, size_t n,
                            const void* in, void* out);

/**
 * Transforms an array of complex numbers along some of its axes.
 *
 * \param type PLEAT_C64 or PLEAT_C128
 * \param dimensions 1 … 8
 * \param shape size of the array in each dimension
 * \param axis_count number of axes that are transformed; 0: all of them
 * \param axes these axes, each a number below `dimensions`, none twice; NULL with 0
 * \param out the memory of `in`, or other memory
 */
PLEAT_C_API int pleat_fftn(pleat_machine* on, pleat_type type, int direction, int norm,
                           size_t dimensions, const size_t* shape, size_t axis_count,
                           const size_t* axes, const void* in, void* out);

/**
 * Transforms an array of real numbers along some axes: along the last one named as pleat_rfft, then
 * along the others as pleat_fftn.
 *
 * \param type PLEAT_F32 or PLEAT_F64, of `in`
 * \param shape sizes of `in`; those of `out` are the same, but n/2 + 1 along the last axis named
 */
PLEAT_C_API int pleat_rfftn(pleat_machine* on, pleat_type type, int norm, size_t dimensions,
                            const size_t* shape, size_t axis_count, const size_t* axes,
                            const void* in, void* out);

/** Undoes pleat_rfftn: `type` and `shape` are those of `out`. */
PLEAT_C_API int pleat_irfftn(pleat_machine* on, pleat_type type, int norm, size_t dimensions,
                             const size_t* shape, size_t axis_count, const size_t* axes,
                             const void* in, void* out);

/**
 * Transforms an array of real numbers along some axes by cosines.
 *
 * \param type PLEAT_F32 or PLEAT_F64
 * \param kind 1 … 4, numbered as in FFTW, MATLAB and SciPy; the inverse one of a kind undoes it
 *
 * Result k of kind 2 is 2 Σ x_j cos(π·(2j + 1)k/2n). With PLEAT_NORM_ORTHOGONAL the first one is
 * scaled so that the matrix is orthogonal. All else is as for pleat_fftn.
 */
PLEAT_C_API int pleat_dct(pleat_machine* on, pleat_type type, int kind, int direction, int norm,
                          size_t dimensions, const size_t* shape, size_t axis_count,
                          const size_t* axes, const void* in, void* out);

/** Transforms by sines: result k of kind 2 is 2 Σ x_j sin(π·(2j + 1)(k + 1)/2n). */
PLEAT_C_API int pleat_dst(pleat_machine* on, pleat_type type, int kind, int direction, int norm,
                          size_t dimensions, const size_t* shape, size_t axis_count,
                          const size_t* axes, const void* in, void* out);

/**
 * Makes a plan of transforms by the calling thread, without a machine: for short transforms, made
 * again and again. pleat_plan_destroy frees it.
 *
 * \param type PLEAT_C64, PLEAT_C128: as pleat_fft; PLEAT_F32, PLEAT_F64: as pleat_rfft, and as
 *        pleat_irfft for PLEAT_INVERSE
 * \param batch number of sequences, at least 1
 * \param n numbers of each, at least 1; of real numbers for pleat_irfft
 * \param plan is set to the plan, and to NULL if there is none
 */
PLEAT_C_API int pleat_plan_create(pleat_type type, int direction, int norm, size_t batch, size_t n,
                                  pleat_plan** plan);

/**
 * Transforms `in` to `out`, of the sizes and types of the plan. Allocates nothing. Thread safety:
 * one thread at a time may use a plan.
 */
PLEAT_C_API int pleat_plan_execute(pleat_plan* plan, const void* in, void* out);

/** Frees a plan. NULL is ignored. */
PLEAT_C_API void pleat_plan_destroy(pleat_plan* plan);

/* ---- Products and stencils ----------------------------------------------------------------- */

/** Semirings: what is a sum, and what a product. */
enum {
  PLEAT_PLUS_TIMES = 0, /**< all types; integers wrap */
  PLEAT_MIN_PLUS = 1,   /**< shortest paths: all but complex types */
  PLEAT_MAX_PLUS = 2,   /**< longest paths: signed integers, float, double */
  PLEAT_MAX_MIN = 3,    /**< widest paths: all but complex types */
  PLEAT_OR_AND = 4      /**< reachability: integers */
};

/** Forms in which a factor is multiplied. */
enum {
  PLEAT_AS_IT_IS = 0,
  PLEAT_TRANSPOSED = 1, /**< rows and columns exchanged */
  PLEAT_ADJOINT = 2     /**< transposed, and complex numbers conjugated */
};

/**
 * Multiplies matrices over a semiring: C ← A·B, or C ← A·B + C if `accumulate` is not 0.
 *
 * A has rows × inner numbers, B inner × columns, C rows × columns, after a form has been applied: a
 * factor that is transposed lies in memory as inner × rows, columns × inner. From one row in memory
 * to the next there are lda, ldb and ldc numbers, at least as many as in a row.
 *
 * For matrices stored by columns, as in Fortran, exchange A with B and rows with columns.
 * Over min-plus and max-plus half of the greatest integer stands for infinity. Errors: PLEAT_USAGE
 * also if C overlaps A or B.
 */
PLEAT_C_API int pleat_matmul(pleat_machine* on, pleat_type type, int semiring, size_t rows,
                             size_t inner, size_t columns, int form_a, const void* a, size_t lda,
                             int form_b, const void* b, size_t ldb, int accumulate, void* c,
                             size_t ldc);

/** Boundaries: what a cell at the end of a dimension reads beyond the grid. */
enum {
  PLEAT_FIXED = 0,     /**< nothing: outermost cells keep their values */
  PLEAT_PERIODIC = 1,  /**< the cell at the other end */
  PLEAT_REFLECTING = 2 /**< the cell itself */
};

/**
 * Computes steps of a grid in place: in each, every cell becomes the sum of itself and of its
 * neighbours, each times a coefficient.
 *
 * \param type PLEAT_F32 or PLEAT_F64, of coefficients and cells
 * \param dimensions 1, 2 or 3
 * \param shape size of the grid in each dimension
 * \param coefficients 3^dimensions numbers, row-major: in two dimensions coefficients[3·i + j] is
 *        that of the neighbour at (i − 1, j − 1)
 * \param boundaries one for each dimension; NULL: PLEAT_FIXED in all
 */
PLEAT_C_API int pleat_stencil(pleat_machine* on, pleat_type type, size_t dimensions,
                              const size_t* shape, const void* coefficients, const int* boundaries,
                              size_t steps, void* cells);

/* ---- Everyday algorithms ------------------------------------------------------------------- */

/**
 * Sets `sum` to the sum of n numbers. The result is the same on every machine and for any number of
 * processors.
 *
 * \param sum an int64_t, uint64_t, double, or complex number of two double, as `type` is a signed
 *        or unsigned integer, a real or a complex number; integers wrap
 */
PLEAT_C_API int pleat_sum(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                          void* sum);

/**
 * Sets `sum` to the sum of n numbers as if it were rounded once: no order of additions changes it.
 *
 * \param type PLEAT_F32 or PLEAT_F64
 */
PLEAT_C_API int pleat_exact_sum(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                                double* sum);

/**
 * Sets `index` to that of the first of the least of n numbers, n ≥ 1, which are not complex. A NaN
 * is greater than all other numbers.
 */
PLEAT_C_API int pleat_argmin(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                             size_t* index);

/** Sets `index` to that of the first of the greatest numbers. All else is as for pleat_argmin. */
PLEAT_C_API int pleat_argmax(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                             size_t* index);

/**
 * Sets out[i] to in[0] + … + in[i], of the same type. The result is the same on every machine and
 * for any number of processors. Integers wrap. `out` is the memory of `in`, or other memory.
 */
PLEAT_C_API int pleat_inclusive_scan(pleat_machine* on, pleat_type type, const void* in, size_t n,
                                     void* out);

/** Sets out[i] to in[0] + … + in[i − 1], and out[0] to 0. All else is as for pleat_inclusive_scan.
 */
PLEAT_C_API int pleat_exclusive_scan(pleat_machine* on, pleat_type type, const void* in, size_t n,
                                     void* out);

/**
 * Sets counts[b], for all b < bins, to how many of n integers are b. Errors: PLEAT_USAGE if one of
 * them is negative, or `bins` or more.
 */
PLEAT_C_API int pleat_histogram(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                                size_t bins, uint64_t* counts);

/**
 * Calls f(i, context) for each i with first ≤ i < last, in any order and by several threads at
 * once. f returns: it neither throws nor jumps out.
 */
PLEAT_C_API int pleat_for_each_index(pleat_machine* on, size_t first, size_t last,
                                     void (*f)(size_t index, void* context), void* context);

#ifdef __cplusplus
}
#endif

#endif
