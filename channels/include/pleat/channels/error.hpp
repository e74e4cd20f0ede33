// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <stdexcept>

namespace pleat {

/// Base of the exception types of Pleat. `what()` is one line that says what is wrong and what to
/// do about it.
class PLEAT_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown for a wrong argument, option or environment variable, or a call that is not allowed.
class PLEAT_API usage_error : public error {
 public:
  using error::error;
};

}  // namespace pleat
