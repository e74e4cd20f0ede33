// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file of kernels is compiled once for each vector target, by sources that CMake writes: they
// define PLEAT_TARGET and include it. Each target is a translation unit of its own, so that cores
// share them. The file itself is compiled once more, without PLEAT_TARGET, for what calls the
// kernels of the processor the program runs on:
//
//     #include "vector_targets.hpp"  // before any header of Highway
//     #define PLEAT_LIST(T) PLEAT_KERNEL(void, work, T, (T* data), (data), T)
//     #ifdef PLEAT_TARGET
//     HWY_BEFORE_NAMESPACE();
//     namespace pleat::HWY_NAMESPACE { template <class T> void work_of(T* data) {…} }
//     HWY_AFTER_NAMESPACE();
//     #endif
//     PLEAT_DEFINE_KERNELS(pleat, PLEAT_LIST(float))  // template <> void work<float>(float* data)

// The targets besides the compiler's own (HWY_STATIC_TARGET), unless CMake names fewer of them
// (PLEAT_TARGETS): AVX2 and AVX3. Processors without AVX2 take the compiler's own. Vectors without
// a size known to the compiler (SVE, RVV) cannot be kept in arrays of registers; processors that
// have them have NEON as well.
#if defined(__x86_64__) || defined(__i386__)
#ifndef PLEAT_VECTOR_TARGETS
#define PLEAT_VECTOR_TARGETS (HWY_AVX2 | HWY_AVX3)
#endif
#define HWY_DISABLED_TARGETS (0x7FFF & ~PLEAT_VECTOR_TARGETS)  // bits 0 … 14 are those of x86
#else
#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif

#include <hwy/detect_targets.h>

// Functions for the compiler's own target need no target attribute. With GCC on AArch64 Highway
// gives them one, "+crypto", if it may choose at run time; implicit members of classes that hold
// vectors (std::array<Vec, 4>) would be without it, and GCC then refuses to inline Highway into
// them.
#ifdef HWY_COMPILE_ONLY_STATIC
#undef HWY_HAVE_RUNTIME_DISPATCH
#define HWY_HAVE_RUNTIME_DISPATCH 0
#endif

// Empties the file for a target that is not among Highway's, or is the compiler's own and compiled
// as such.
#ifdef PLEAT_TARGET
#if defined(PLEAT_TARGET_IS_STATIC_TARGET) || (HWY_TARGETS & ~HWY_STATIC_TARGET & PLEAT_TARGET)
#undef HWY_TARGET  // the compiler's own, until here
#define HWY_TARGET PLEAT_TARGET
#else
#undef PLEAT_TARGET
#endif
#endif
#include <hwy/highway.h>

#include <pleat/oblivious/detail/program/kernels_ready.hpp>

/// Makes a kernel callable by PLEAT_DISPATCH.
///
/// PLEAT_DISPATCH: The kernel of the vectors that this processor has or that are forced. A kernel
/// called, or asked how it wants its data, before these are in force would be another one later.
/// Throws: as ready_kernels().
///
/// With PLEAT_ONLY_TARGET, of a build for one processor, kernels for others do not exist, nor those
/// of the compiler's own target.
#ifdef PLEAT_ONLY_TARGET
#define PLEAT_COMPILED_TARGETS HWY_CONCAT(HWY_, PLEAT_ONLY_TARGET)
#define PLEAT_EXPORT(kernel) static_assert(true)
#define PLEAT_DISPATCH(kernel) \
  (pleat::detail::ready_kernels(), HWY_CONCAT(N_, PLEAT_ONLY_TARGET)::kernel)
#else
#define PLEAT_COMPILED_TARGETS HWY_TARGETS
#define PLEAT_EXPORT(kernel) HWY_EXPORT(kernel)
#define PLEAT_DISPATCH(kernel) (pleat::detail::ready_kernels(), HWY_DYNAMIC_DISPATCH(kernel))
#endif

// Declares kernels in the namespace of every target.
#define PLEAT_KERNELS(...)           \
  namespace HWY_NAMESPACE {          \
  __VA_ARGS__                        \
  }                                  \
  PLEAT_KERNELS_OF_AVX2(__VA_ARGS__) \
  PLEAT_KERNELS_OF_AVX3(__VA_ARGS__)
#if HWY_TARGETS & HWY_AVX2
#define PLEAT_KERNELS_OF_AVX2(...) \
  namespace N_AVX2 {               \
  __VA_ARGS__                      \
  }
#else
#define PLEAT_KERNELS_OF_AVX2(...)
#endif
#if HWY_TARGETS & HWY_AVX3
#define PLEAT_KERNELS_OF_AVX3(...) \
  namespace N_AVX3 {               \
  __VA_ARGS__                      \
  }
#else
#define PLEAT_KERNELS_OF_AVX3(...)
#endif

/// A kernel: `returned name<T…>(parameters)`, which calls name_of<T…>(arguments) in the namespace
/// of the target. Highway exports plain functions, so each gets a suffix. The last arguments are
/// T….
///
/// PLEAT_STOPPABLE_KERNEL: one that does nothing in a run that has failed.
///
/// PLEAT_DEFINE_KERNELS: all kernels of a file, in a namespace and for each target in the one of
/// the target there.
#ifdef PLEAT_TARGET
#define PLEAT_KERNEL(returned, name, suffix, parameters, arguments, ...) \
  returned name##_##suffix parameters { return name##_of<__VA_ARGS__> arguments; }
#define PLEAT_STOPPABLE_KERNEL(name, suffix, parameters, arguments, ...) \
  PLEAT_KERNEL(void, name, suffix, parameters, arguments, __VA_ARGS__)
#define PLEAT_DEFINE_KERNELS(in, ...) \
  HWY_BEFORE_NAMESPACE();             \
  namespace in::HWY_NAMESPACE {       \
  __VA_ARGS__                         \
  }                                   \
  HWY_AFTER_NAMESPACE();
#else
#define PLEAT_EXPORTED_KERNEL(name, suffix, ...)              \
  PLEAT_KERNELS(decltype(name<__VA_ARGS__>) name##_##suffix;) \
  PLEAT_EXPORT(name##_##suffix);
#define PLEAT_KERNEL(returned, name, suffix, parameters, arguments, ...) \
  PLEAT_EXPORTED_KERNEL(name, suffix, __VA_ARGS__)                       \
  template <> returned name<__VA_ARGS__> parameters {                    \
    return PLEAT_DISPATCH(name##_##suffix) arguments;                    \
  }
#define PLEAT_STOPPABLE_KERNEL(name, suffix, parameters, arguments, ...) \
  PLEAT_EXPORTED_KERNEL(name, suffix, __VA_ARGS__)                       \
  template <> void name<__VA_ARGS__> parameters {                        \
    if (!given_up()) PLEAT_DISPATCH(name##_##suffix) arguments;          \
  }
#define PLEAT_DEFINE_KERNELS(in, ...) \
  namespace in {                      \
  __VA_ARGS__                         \
  }
#endif
