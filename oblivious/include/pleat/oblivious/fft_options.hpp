// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>

namespace pleat {

enum class fft_direction {
  forward,  ///< X_k = Σ x_j e^(−2πi·jk/n)
  inverse,  ///< with e^(+2πi·jk/n)
};

/// Choice of the factor by which results are divided. The default makes the inverse one undo the
/// other.
enum class fft_norm {
  backward,    ///< the inverse one by n
  forward,     ///< the forward one by n
  orthogonal,  ///< both by √n
  none,        ///< neither: one after the other multiplies by n
};

/// Options of fft.
struct fft_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  /// Number of transforms of equal size that stand one behind the other; the size is that of the
  /// range divided by this.
  std::size_t batch = 1;
  /// Number of virtual processors, any; unset: one a processor, fewer for little data. A power of
  /// two beyond √n, for n a power of two: the recursion of the paper, whose supersteps and messages
  /// can be counted; with n of them, one number a VP. A VP then has O(n/P) further memory.
  std::optional<std::size_t> vps = {};
};

/// Options of rfft and irfft: the members mean what they mean in fft_options.
struct real_fft_options {
  fft_norm norm = fft_norm::backward;
  std::size_t batch = 1;
  std::optional<std::size_t> vps = {};
};

/// Options of fft2.
struct fft2_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  std::optional<std::size_t> vps = {};
};

/// Options of fft of distributed data, and of fft_plan; the members mean the same in fft_options.
struct distributed_fft_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  std::size_t batch = 1;
};

/// Options of rfft and irfft of distributed data, and of rfft_plan.
struct distributed_rfft_options {
  fft_norm norm = fft_norm::backward;
  std::size_t batch = 1;
};

/// Options of fft2 of distributed data.
struct distributed_fft2_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
};

}  // namespace pleat
