// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <pleat/runtime/error.hpp>

/// Entry point that every component of tests/fuzz defines: reads the bytes as an input. libFuzzer
/// calls it with inputs it makes up, replay.cpp with those of the corpus.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace pleat::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, for libFuzzer to keep the input: a property does not hold.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// f(); an error of ours is an answer, any other exception ends the process. Returns whether there
/// was no error.
template <class F> bool answers(const F& f) {
  try {
    f();
    return true;
  } catch (const pleat::error& failure) {
    require(*failure.what() != '\0');
    return false;
  }
}

}  // namespace pleat::fuzz
