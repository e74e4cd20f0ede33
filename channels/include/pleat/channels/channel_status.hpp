// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

// for usage_error
#include <pleat/channels/error.hpp>

namespace pleat {

/// Result of an operation on a channel. `full`, `empty` are temporary; `closed`, `poisoned` last.
enum class channel_status : std::uint8_t {
  ok,        ///< done
  full,      ///< producer: no room now; nothing was pushed
  empty,     ///< consumer: nothing there now
  closed,    ///< closed by the producer; the consumer gets it once everything is consumed
  poisoned,  ///< a thread has poisoned the channel: nothing passes any more
};

/// The enumerator's name, for messages.
constexpr std::string_view name_of(channel_status status) noexcept {
  switch (status) {
    case channel_status::ok:
      return "ok";
    case channel_status::full:
      return "full";
    case channel_status::empty:
      return "empty";
    case channel_status::closed:
      return "closed";
    case channel_status::poisoned:
      return "poisoned";
  }
  return "unknown";
}

/// Thrown for a capacity that no channel can have.
class PLEAT_API capacity_error : public usage_error {
 public:
  using usage_error::usage_error;
};

}  // namespace pleat
