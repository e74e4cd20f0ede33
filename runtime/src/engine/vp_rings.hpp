// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// Two virtual processors have a ring for each context: one for vp::push and pop, others of
/// libraries (see vp_access).
inline constexpr unsigned context_of_push = vp_access::contexts;
inline constexpr unsigned all_contexts = vp_access::contexts + 1;

/// Capacity of the rings of a context.
struct ring_shape {
  std::size_t most;        // bytes of a message
  std::uint32_t messages;  // in one process; of a push, half as many in each of two processes
};
[[nodiscard]] inline ring_shape shape_of_rings(const fold& folding, unsigned context) noexcept {
  if (context == context_of_push) return {line_ring::in_line, 64};
  constexpr std::size_t many = 64;
  const bool folded = folding.vps() > folding.processors();
  return {folded && folding.vps() > many ? line_ring::in_line : line_ring::largest,
          line_ring::capacity};
}

/// The rings between virtual processors of one run in one process, each made by whichever end uses
/// it first. Thread safety: all calls.
class vp_rings {
 public:
  /// Throws: std::bad_alloc.
  [[nodiscard]] line_ring& between(std::size_t source, std::size_t destination, unsigned context,
                                   const fold& folding);
  void clear();

 private:
  using by_ends = std::unordered_map<std::uint64_t, std::unique_ptr<line_ring>>;

  std::mutex mutex_;
  bool some_made_ = false;
  std::array<by_ends, all_contexts> rings_;
};

}  // namespace pleat::detail
