// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pleat/channels/error.hpp>

/// Message of the error that `call` throws; empty if it throws none.
template <class Error = pleat::error> std::string message_of(const auto& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}
