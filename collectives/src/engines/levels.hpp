// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <pleat/collectives/detail/endpoint.hpp>

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

}  // namespace pleat::detail
