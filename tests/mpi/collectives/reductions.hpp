// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace pleat::testing_ranks {

/// An operator and a type of elements, with what they do by the standard.
struct reduction {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  std::size_t extent = 0;
  void (*put)(void* element, int rank, std::size_t i) = nullptr;  ///< the i-th input of a rank
  void (*combine)(const void* left, void* right) = nullptr;       ///< right = left op right
  bool light = false;                                             ///< tried with all sizes
};

/// Operators of the MPI on plain types and pairs, operators of ours that commute, on a type with
/// holes too, and one that does not.
[[nodiscard]] const std::vector<reduction>& reductions();

/// `count` elements, in which holes show when somebody writes to them.
class one_rank_s {
 public:
  one_rank_s(const reduction& what, std::size_t count)
      : what_(&what), bytes_(count * what.extent + 1, 0xA5) {}
  one_rank_s(const reduction& what, int rank, std::size_t count) : one_rank_s(what, count) {
    for (std::size_t i = 0; i < count; ++i) what.put(at(i), rank, i);
  }

  [[nodiscard]] void* get() { return bytes_.data(); }

  /// Tells whether the first elements are the sums over p ranks of their inputs from `before` on.
  [[nodiscard]] bool is_sum(std::size_t before, std::size_t count, int p) const;

  friend bool operator==(const one_rank_s& a, const one_rank_s& b) { return a.bytes_ == b.bytes_; }

 private:
  [[nodiscard]] unsigned char* at(std::size_t i) { return bytes_.data() + i * what_->extent; }

  const reduction* what_;
  std::vector<unsigned char> bytes_;
};

}  // namespace pleat::testing_ranks
