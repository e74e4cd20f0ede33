// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace pleat {

enum class fft_direction {
  forward,  ///< X_k = Σ x_j e^(−2πi·jk/n)
  inverse,  ///< X_k = Σ x_j e^(+2πi·jk/n)
};

/// Choice of the transform whose results are divided, and by what. With the default, the inverse
/// transform undoes the forward one.
enum class fft_norm {
  backward,    ///< divides the results of the inverse transform by n
  forward,     ///< divides the results of the forward transform by n
  orthogonal,  ///< divides the results of both by √n
  none,        ///< divides no results: a transform and its inverse multiply by n
};

/// Options of fft.
struct fft_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  /// Number of transforms of equal size, stored one after the other. The size of each is that of
  /// the range divided by `batch`.
  std::size_t batch = 1;
  /// Number of virtual processors, any number. Unset: one for each processor, fewer for little
  /// data. If both n and this number are powers of two, and it exceeds √n, the recursion of the
  /// paper runs, whose supersteps and messages can be counted; with n VPs each holds one number.
  /// VPs hold points and results in the order of the recursion; copies from and to the user's array
  /// are not counted. A VP then has O(n/P) further memory.
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

/// Options of fftn.
struct fftn_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  /// Axes that are transformed, in any order, none twice. Unset: all of them.
  std::optional<std::vector<std::size_t>> axes = {};
  /// Number of virtual processors, any number. Unset: one for each processor, fewer for little
  /// data.
  std::optional<std::size_t> vps = {};
};

/// Options of rfftn and irfftn.
struct real_fftn_options {
  fft_norm norm = fft_norm::backward;
  /// Axes that are transformed. The last one named is that of the real numbers.
  std::optional<std::vector<std::size_t>> axes = {};
  /// Number of real numbers in each line along that axis, even or odd: the size of the spectrum
  /// allows both. Unset: the size of the array of real numbers.
  std::optional<std::size_t> size_of_last = {};
  std::optional<std::size_t> vps = {};
};

/// Options of dct and dst.
struct trigonometric_options {
  unsigned type = 2;  ///< 1 … 4
  /// The inverse transform of a type undoes the forward one, with the same norm.
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  /// Tells whether the first number (of sines, the last one) is scaled by √2 or its inverse, which
  /// makes the matrix of the transform orthogonal. Unset: with fft_norm::orthogonal only.
  std::optional<bool> orthogonalize = {};
  std::optional<std::vector<std::size_t>> axes = {};
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
