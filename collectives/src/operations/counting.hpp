// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/collectives/collective_options.hpp>

namespace pleat::detail {

/// Counts what an operation does, for whoever asked.
class counting {
 public:
  explicit counting(const collective_options& options) : wanted_(options.traffic) {}
  counting(const counting&) = delete;
  counting& operator=(const counting&) = delete;
  ~counting() {
    if (wanted_ != nullptr) *wanted_ = traffic;
  }
  collective_traffic traffic;

 private:
  collective_traffic* wanted_;
};

}  // namespace pleat::detail
