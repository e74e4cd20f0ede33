// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <pleat/runtime/task.hpp>

namespace pleat {
class vp;
}

namespace pleat::detail {

/// A user's program: makes the outermost task of one virtual processor.
struct program_ref {
  void* object = nullptr;
  task<> (*make)(void* object, vp& me) = nullptr;
};

}  // namespace pleat::detail
