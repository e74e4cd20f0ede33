// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/slabs.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The rows a rank works on, one behind the other.
struct window_rows {
  std::byte* data;  ///< the row at the place `first`
  row_place first;
  std::size_t row_bytes;

  [[nodiscard]] std::byte* at(row_place place) const noexcept {
    return data + (place - first) * static_cast<row_place>(row_bytes);
  }
};

/// Ranks get the rows beside theirs: in one 0-superstep the first VP of each rank lends those of
/// others what they need of its rows, and copies what it is lent.
class PLEAT_API halo_program {
 public:
  /// `fields`: of this rank, in the same order on all ranks.
  halo_program(const slabs& of, std::size_t rank, std::size_t depth,
               const std::vector<window_rows>& fields) noexcept
      : slabs_(of), rank_(rank), depth_(depth), fields_(fields) {}
  halo_program(const halo_program&) = delete;
  halo_program& operator=(const halo_program&) = delete;

  task<> operator()(vp& me, const rank_places& places) const;

 private:
  void lend_rows(vp& me, const rank_places& places) const;
  void take_rows(vp& me) const;

  const slabs& slabs_;
  std::size_t rank_;
  std::size_t depth_;
  const std::vector<window_rows>& fields_;
};

}  // namespace pleat::detail::distribution
