// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/stencil.hpp>

#include "distributed_numbers.hpp"
#include "stencil_kernels.hpp"

namespace pleat::arrays {
namespace {

struct distributed_steps {
  machine& on;
  stencil_kernel kernel;
  std::size_t steps;
  const std::vector<std::size_t>& shape;
  const block_reader& read;
  const block_writer& write;
  const stencil_options& options;

  template <class T, std::size_t D> [[nodiscard]] distributed_grid<T, D> made() const {
    std::array<std::size_t, D> size{};
    std::ranges::copy(shape, size.begin());
    return {on, size};
  }
  template <class T, std::size_t D> void read_to(distributed_grid<T, D>& grid) const {
    read(std::as_writable_bytes(grid.local_span()), first_of(grid));
  }
  template <class T, std::size_t D> void write_from(const distributed_grid<T, D>& grid) const {
    write(std::as_bytes(grid.local_span()), first_of(grid));
  }
  // The index, among all, of a slab's first cell.
  template <class T, std::size_t D>
  [[nodiscard]] static std::size_t first_of(const distributed_grid<T, D>& grid) {
    std::size_t first = grid.rows().first;
    for (std::size_t i = 1; i < D; ++i) first *= grid.size()[i];
    return first;
  }

  template <class T, std::size_t D> void numbers() const {
    auto grid = made<T, D>();
    read_to(grid);
    if (kernel == stencil_kernel::heat) {
      stencil(on, grid, steps, heat_step<T, D>, options);
    } else {
      auto before = made<T, D>();
      std::ranges::copy(grid.local_span(), before.local_span().begin());
      stencil(on, grid, before, steps, wave_step<T, D>, options);
    }
    write_from(grid);
  }
  void life() const {
    auto grid = made<std::uint8_t, 2>();
    read_to(grid);
    for (auto& cell : grid.local_span()) cell = cell != 0 ? 1 : 0;
    stencil(on, grid, steps, life_step, options);
    write_from(grid);
  }
};

}  // namespace

void step_distributed_cells(machine& on, stencil_kernel kernel, std::size_t steps,
                            const number_type& type, const std::vector<std::size_t>& shape,
                            const block_reader& read, const block_writer& write,
                            const stencil_options& options) {
  const distributed_steps call{on, kernel, steps, shape, read, write, options};
  if (kernel == stencil_kernel::life) return call.life();
  with_cells(type, shape.size(), [&]<class T, std::size_t D>() { call.numbers<T, D>(); });
}

}  // namespace pleat::arrays
