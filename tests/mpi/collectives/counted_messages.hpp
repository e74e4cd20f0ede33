// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <gtest/gtest.h>

#include "message_count.hpp"

namespace pleat::testing_ranks {

/// Counts what this rank does in `call`. The first call on a communicator is not looked at.
template <class Call> message_count counted(const Call& call) {
  static const auto layer =
      reinterpret_cast<message_count_function>(::dlsym(RTLD_DEFAULT, message_count_name));
  EXPECT_NE(layer, nullptr);
  call();
  *layer() = {};
  call();
  return *layer();
}

}  // namespace pleat::testing_ranks
