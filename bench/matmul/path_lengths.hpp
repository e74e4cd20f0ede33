// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tool/npy.hpp"

namespace pleat::bench {

/// How the integers of a file say "no path" over min_plus and max_plus.
///
/// The products have no infinite integer: half the greatest number of the type (over max_plus its
/// negative) stands for it, and sums beyond a quarter count as it. So a file holds lengths from
/// minus an eighth to a quarter of the greatest number (max_plus: the reverse) and one number that
/// stands for "no path", which the user may choose. Floating point has infinities of its own.
class path_lengths {
 public:
  /// `infinity`: what stands for "no path" in the inputs and in the result, an integer or `max` or
  /// `min`; half the greatest number unless given.
  /// Throws: pleat::usage_error if it is given where there is nothing to choose, or no number of
  /// the type.
  path_lengths(std::string semiring, const number_type& type, std::optional<std::string> infinity);

  /// Makes the file's numbers those of the product, in place. Cost: one pass, for integers only.
  /// Throws: pleat::error naming the file, the first number out of range and what to do.
  void read(const npy_array& lengths, const std::string& name);

  /// Makes the product's numbers those of the file, in place. Warns if some of them may be lengths
  /// that the type cannot hold.
  /// Throws: pleat::error if a length is the very number that stands for "no path".
  void write(const npy_array& lengths, const std::string& name) const;

 private:
  std::string semiring_;
  number_type type_;
  std::optional<std::string> infinity_;
  double longest_sum_ = 0;  // of the longest lengths of each input
};

}  // namespace pleat::bench
