// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pleat/channels/error.hpp>

/// Message of the error that `call` throws; empty if it throws none.
inline std::string message_of(auto call) {
  try {
    call();
  } catch (const pleat::error& e) {
    return e.what();
  }
  return {};
}
