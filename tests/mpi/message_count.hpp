// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Point-to-point messages this rank has begun through MPI calls since the last time they were set
/// to 0. What the MPI's own collectives send is not among them.
struct message_count {
  std::uint64_t sent = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received = 0;
  std::uint64_t collectives = 0;     ///< non-blocking collective calls of the MPI, of some kinds
  std::uint64_t testalls = 0;        ///< calls of MPI_Testall
  std::uint64_t received_bytes = 0;  ///< as the receives expect them
};

/// Function of the preloaded layer (message_count.cpp).
using message_count_function = message_count* (*)();
inline constexpr const char* message_count_name = "pleat_message_count";
