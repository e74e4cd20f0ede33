// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <string>  // for the macros of the standard library

// Programs are compiled with options of their own, and linked with a library that was compiled
// before. Some options change what a std::vector or a std::string is, and so what classes that
// contain one look like; a program that differs from the library in them would crash. Therefore
// every program refers to a symbol that is named after its options, and the library has only the
// one of its own: if they differ, the linker prints a sentence.
#if defined(_LIBCPP_VERSION)
#define PLEAT_CONTAINERS pleat_must_be_compiled_with_libcxx_as_this_program_is
#elif defined(_GLIBCXX_DEBUG)
#define PLEAT_CONTAINERS pleat_must_be_compiled_with_D_GLIBCXX_DEBUG_as_this_program_is
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define PLEAT_CONTAINERS pleat_must_be_compiled_with_D_GLIBCXX_USE_CXX11_ABI_0_as_this_program_is
#else
#define PLEAT_CONTAINERS \
  pleat_must_be_compiled_with_libstdcxx_without_D_GLIBCXX_DEBUG_as_this_program_is
#endif

extern "C" [[gnu::visibility("default")]] const char PLEAT_CONTAINERS;

namespace pleat::detail {
[[gnu::used]] inline const char* const needed_of_library = &PLEAT_CONTAINERS;
}
