// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <pleat/channels/channel.hpp>
#include <pleat/channels/line_ring.hpp>
#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/awaited.hpp>
#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

class vp_channel : public channel<slot> {
 public:
  using channel::channel;
};

[[nodiscard]] inline bool happened(channel_event event, const channel<slot>& at) noexcept {
  switch (event) {
    case channel_event::room:
      return at.room() != 0;
    case channel_event::value:
      return at.size() != 0;
    case channel_event::drained:
    case channel_event::meeting:
      break;
  }
  return at.drained();
}

/// The largest message that a ring of a run carries, see vp_access::most_in_ring.
[[nodiscard]] inline std::size_t most_in_ring(const fold& folding) noexcept {
  constexpr std::size_t many = 64;
  const bool folded = folding.vps() > folding.processors();
  return folded && folding.vps() > many ? line_ring::in_line : line_ring::largest;
}

/// The channels between virtual processors of one run, each made by whichever end uses it first:
/// those of vp::push and pop, and rings that libraries use in contexts of their own, where they do
/// not meet the program that calls them. Thread safety: all calls.
class vp_channels {
 public:
  static constexpr std::size_t capacity = 64;  // slots; 4 KiB a channel

  [[nodiscard]] vp_channel& between(std::size_t source, std::size_t destination);
  /// For messages of up to `most` bytes, the same for all of a run. Requires: context < contexts.
  [[nodiscard]] line_ring& ring_between(std::size_t source, std::size_t destination,
                                        unsigned context, std::size_t most);
  void clear();

 private:
  template <class Channel>
  using by_ends = std::unordered_map<std::uint64_t, std::unique_ptr<Channel>>;

  std::mutex mutex_;
  bool some_made_ = false;
  by_ends<vp_channel> channels_;
  std::array<by_ends<line_ring>, vp_access::contexts> rings_;
};

}  // namespace pleat::detail
