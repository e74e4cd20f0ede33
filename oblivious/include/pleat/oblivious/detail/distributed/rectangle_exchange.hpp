// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// What each rank wants of a matrix.
struct rectangle_request {
  rank_rectangles matrix;
  std::size_t element_bytes = 0;
  const std::byte* mine = nullptr;  ///< this rank's rectangle, row behind row
  std::vector<rectangle> wanted;    ///< of each rank, the same on all
  std::byte* to = nullptr;          ///< where this rank's goes, row behind row; null: it has it all
};

/// Ranks get what they want of matrices: in one 0-superstep the first VP of each rank lends the
/// others what it has of theirs, and copies what it is lent, and its own part.
class PLEAT_API rectangle_exchange {
 public:
  /// `requests`: the same matrices and wishes on all ranks, in the same order.
  rectangle_exchange(std::size_t rank, const std::vector<rectangle_request>& requests) noexcept
      : rank_(rank), requests_(requests) {}
  rectangle_exchange(const rectangle_exchange&) = delete;
  rectangle_exchange& operator=(const rectangle_exchange&) = delete;

  task<> operator()(vp& me, const rank_places& places) const;

 private:
  void lend_parts(vp& me, const rank_places& places) const;
  void take_parts(vp& me, const rank_places& places) const;

  std::size_t rank_;
  const std::vector<rectangle_request>& requests_;
};

}  // namespace pleat::detail::distribution
