// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/runtime/detail/awaited.hpp>
#include <pleat/runtime/detail/byte_buffer.hpp>

namespace pleat::detail {

/// Memory that a virtual processor has received messages in: it may read it until its next sync.
struct PLEAT_API spent_memory {
  std::vector<void*> blocks;
  std::vector<std::shared_ptr<byte_buffer>> pools;  // filled anew while the VP waited at a channel

  [[nodiscard]] bool empty() const noexcept { return blocks.empty() && pools.empty(); }
  void release() noexcept;
};

/// A virtual processor that waits at a channel.
struct channel_wait {
  std::size_t rank;
  std::size_t peer;  // the VP at the other end
  awaited what;
  std::string_view operation;  // a library's, in which it waits; may be empty
  spent_memory spent;
  std::size_t reach = 0;  // strict mode: how far it has sent in this superstep

  [[nodiscard]] bool ready() const { return what(); }
};

/// The virtual processors of one worker that wait at channels.
class channel_waits {
 public:
  channel_wait& add(channel_wait&& wait) { return waits_.emplace_back(std::move(wait)); }
  [[nodiscard]] bool any_ready() const {
    return std::any_of(waits_.begin(), waits_.end(), [](const auto& w) { return w.ready(); });
  }
  /// Takes one out whose event has happened. They are asked in turn: always to begin with the first
  /// would cost a square of many that wait.
  [[nodiscard]] std::optional<channel_wait> take_ready() {
    for (std::size_t asked = 0; asked < waits_.size(); ++asked, ++next_) {
      if (next_ >= waits_.size()) next_ = 0;
      if (!waits_[next_].ready()) continue;
      std::optional<channel_wait> taken(std::move(waits_[next_]));
      if (next_ + 1 != waits_.size()) waits_[next_] = std::move(waits_.back());
      waits_.pop_back();
      return taken;
    }
    return std::nullopt;
  }
  /// Frees what they have received.
  void clear() noexcept {
    for (channel_wait& wait : waits_) wait.spent.release();
    waits_.clear();
  }

  [[nodiscard]] bool empty() const noexcept { return waits_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return waits_.size(); }
  [[nodiscard]] auto begin() noexcept { return waits_.begin(); }
  [[nodiscard]] auto end() noexcept { return waits_.end(); }
  [[nodiscard]] auto begin() const noexcept { return waits_.begin(); }
  [[nodiscard]] auto end() const noexcept { return waits_.end(); }

 private:
  std::vector<channel_wait> waits_;
  std::size_t next_ = 0;  // whom to ask first
};

}  // namespace pleat::detail
