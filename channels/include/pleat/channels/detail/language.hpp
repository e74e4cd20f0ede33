// SPDX-License-Identifier: Apache-2.0
#pragma once

// Check of the language: headers include this file before anything else. A missing option is
// reported once, in a sentence, and nothing follows it: the compiler stops at the file that is not
// there.
#if __cplusplus < 202002L
#error "Pleat is written in C++20: compile with -std=c++20 or newer"
#include <pleat/stops/here>
#elif !defined(__cpp_impl_coroutine) || !defined(__cpp_concepts) || \
    (defined(__clang__) && __clang_major__ < 16)
#error "Pleat needs coroutines and concepts: compile with g++ 12 or clang 16, or newer"
#include <pleat/stops/here>
#elif !defined(__cpp_exceptions)
#error "Pleat says by exceptions what is wrong: compile without -fno-exceptions"
#include <pleat/stops/here>
#endif

// Marks symbols that shared libraries export: what installed headers declare and leave to the
// libraries to define, and the types and variables that all of a process must have in common
// (exceptions, state of threads). All else is compiled with -fvisibility=hidden. Removing or
// changing one of these changes the binary interface: CONTRIBUTING.md.
#define PLEAT_API [[gnu::visibility("default")]]
