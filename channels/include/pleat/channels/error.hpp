// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <stdexcept>

namespace pleat {

/// Base of all exceptions that Pleat throws. `what()` is one line that says what is wrong and what
/// to do about it.
class PLEAT_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument, option or environment variable that makes no sense: a call that can never work.
class PLEAT_API usage_error : public error {
 public:
  using error::error;
};

}  // namespace pleat
