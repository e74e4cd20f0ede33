// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <string>  // for the macros of the standard library

// Check that a program and the library are compiled with compatible options. Some options change
// the layout of std::vector and std::string, and so of classes that contain them; a program that
// differs from the library in these options would crash. Therefore every program refers to a symbol
// that is named after its options, and the library defines only the symbol of its own options. If
// they differ, the linker prints a sentence.
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
