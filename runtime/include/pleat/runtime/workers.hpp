// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat {

/// Whose threads carry out a machine's runs.
enum class workers {
  owned,     ///< the machine's: it makes p − 1 of them, and places them on processors
  borrowed,  ///< the application's: those that are inside machine::join; the machine makes none
};

}  // namespace pleat
