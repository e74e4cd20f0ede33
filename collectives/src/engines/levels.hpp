// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// The ranks of a segment that is spread over processes, in two levels: those of one process, which
/// have their memory in common, and the first rank of each process, its *leader*, for what travels.
///
///     processes       0             1          2
///     ranks      [0 1 2 3 4]   [5 6 7 8]   [9 10 11]
///     leaders     0             5           9
///
/// Invariant: the ranks of a process follow each other, and every process from the first to the
/// last has one at least.
class levels {
 public:
  explicit levels(endpoint& whole);

  [[nodiscard]] std::uint32_t processes() const noexcept { return processes_; }
  /// Process of a rank of the segment.
  [[nodiscard]] std::uint32_t process_of(std::uint32_t rank) const noexcept;
  /// The first rank of a process; of the one behind the last, how many ranks there are.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t process) const noexcept;

  [[nodiscard]] rank_range ranks_of(std::uint32_t process) const noexcept {
    return {first_of(process), first_of(process + 1)};
  }

  /// This process, and its ranks.
  [[nodiscard]] std::uint32_t process() const noexcept { return process_; }
  [[nodiscard]] endpoint& local() noexcept { return local_; }
  /// All leaders; null unless this rank is one.
  [[nodiscard]] endpoint* leaders() noexcept { return leaders_.get(); }

  /// Returns an error if something was not taken, as endpoint::left_over.
  [[nodiscard]] std::exception_ptr left_over() const;

 private:
  vp& me_;
  segment whole_;
  std::size_t first_process_;  // of the machine's
  std::uint32_t processes_;
  std::uint32_t process_;
  endpoint local_;
  std::unique_ptr<endpoint> leaders_;
};

/// Sends from a rank of this process to the others.
inline task<> broadcast_in_process(endpoint& local, const endpoint& whole, std::uint32_t from,
                                   std::byte* data, std::size_t bytes,
                                   collective_traffic& traffic) {
  if (local.size() == 1) co_return;
  local.begin_part_of(whole);
  task<> sent = collected_broadcast(local, from, data, bytes, traffic);
  co_await sent;
}

/// Ends of the parts of some ranks, behind the first of them.
inline std::vector<std::size_t> ends_of(const layout& parts, std::uint32_t first,
                                        std::uint32_t last) {
  std::vector<std::size_t> ends;
  ends.reserve(last - first);
  for (std::uint32_t rank = first; rank < last; ++rank)
    ends.push_back(parts.first(rank) + parts.count(rank) - parts.first(first));
  return ends;
}

/// Ends of the parts of each process's ranks.
inline std::vector<std::size_t> ends_of_processes(const layout& parts, const levels& in) {
  std::vector<std::size_t> ends;
  ends.reserve(in.processes());
  for (std::uint32_t process = 0; process < in.processes(); ++process) {
    const std::uint32_t last = in.first_of(process + 1) - 1;
    ends.push_back(parts.first(last) + parts.count(last));
  }
  return ends;
}
/// Longest part of a process, in elements.
inline std::size_t longest_of_processes(const layout& parts, const levels& in) {
  return layout{parts.element, 0, ends_of_processes(parts, in)}.longest(in.processes());
}

}  // namespace pleat::detail
