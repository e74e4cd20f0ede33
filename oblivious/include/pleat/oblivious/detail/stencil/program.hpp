// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/zoid.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::stencils {

/// The fields and boundaries of a run, and the update of cells, which the derived class implements.
/// Immutable, shared by all VPs.
template <std::size_t D> class any_sweeper {
 public:
  any_sweeper(const any_sweeper&) = delete;
  any_sweeper& operator=(const any_sweeper&) = delete;

  [[nodiscard]] const std::array<offset, D>& size() const noexcept { return size_; }
  [[nodiscard]] const std::array<boundary, D>& edges() const noexcept { return edges_; }
  [[nodiscard]] const std::vector<untyped_field<D>>& fields() const noexcept { return fields_; }
  /// Tells whether the kernel reads a cell two steps back, which is where the new value will be
  /// stored.
  [[nodiscard]] bool two() const noexcept { return two_; }
  /// Width, in one dimension, of the parts of constant width that sweep computes fastest; 0 if
  /// there is no such width.
  [[nodiscard]] offset chunk() const noexcept { return chunk_; }

  /// Performs the steps of a part of a tile, one after the other. Step k of the tile reads level
  /// (first_level + k) mod 2 and writes the other one. Requires that all of these cells change.
  /// Indices may leave a periodic grid by less than its size.
  virtual void sweep(const zoid<D>& tile, const part_of_zoid<D>& part,
                     unsigned first_level) const = 0;

 protected:
  /// Requires fields of one size, one at least.
  any_sweeper(std::vector<untyped_field<D>> fields, const std::array<boundary, D>& edges, bool two,
              offset chunk)
      : fields_(std::move(fields)), edges_(edges), two_(two), chunk_(chunk) {
    for (std::size_t i = 0; i < D; ++i)
      size_[i] = static_cast<offset>(fields_.front().level[0].size[i]);
  }
  ~any_sweeper() = default;

 private:
  std::vector<untyped_field<D>> fields_;
  std::array<boundary, D> edges_;
  std::array<offset, D> size_{};
  bool two_;
  offset chunk_;
};

/// Returns the boundary of each dimension. Throws usage_error for options that contradict each
/// other.
template <std::size_t D>
PLEAT_API [[nodiscard]] std::array<boundary, D> check_options(const stencil_options& options);

/// Number of VPs: `options.vps`, or the number that pays for that many bytes of cells.
[[nodiscard]] PLEAT_API std::size_t stencil_vps(machine& on, std::size_t bytes, std::size_t steps,
                                                const stencil_options& options);

/// Performs the steps. Rethrows what a VP throws. Requires check_options.
template <std::size_t D>
PLEAT_API run_report run_steps(machine& on, const any_sweeper<D>& with, std::size_t steps,
                               const stencil_options& options);

}  // namespace pleat::detail::stencils
