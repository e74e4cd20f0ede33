// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <cstdio>
#include <string>

namespace pleat::detail {

/// Function that a binding to another language sets, to tell the library's warnings in its way; it
/// may throw. Null: they are lines on standard error.
PLEAT_API inline constinit std::atomic<void (*)(const char* text)> tell_warning = nullptr;

inline void warn(const std::string& text) {
  if (const auto tell = tell_warning.load())
    tell(text.c_str());
  else
    std::fprintf(stderr, "pleat: warning: %s\n", text.c_str());
}

}  // namespace pleat::detail
