// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "arrays/distributed_numbers.hpp"
#include "ranked_program.hpp"
#include "sort/sort_keys.hpp"
#include "stencil/heat.hpp"
#include "stencil/heat_data.hpp"

namespace pleat::bench {
namespace {

template <class T, std::size_t D> class heated_ranks final : public ranked_program {
 public:
  heated_ranks(const rank_group& all, machine& on, const sweep_case& at)
      : ranked_program(all, on), n_(at.n), shape_(D, at.n) {
    for (std::size_t i = 1; i < D; ++i) row_ *= n_;
  }

  double sample() override { return run(heat_data<T, D>::steps(), false); }
  // Computes and checks fewer steps on large grids.
  void verify() override {
    constexpr std::size_t most_updates = std::size_t{1} << 30;
    const std::size_t cells = std::max<std::size_t>(1, n_ * row_);
    static_cast<void>(
        run(std::clamp<std::size_t>(most_updates / cells, 7, heat_data<T, D>::steps()), true));
  }

 private:
  double run(std::size_t steps, bool checks) {
    double seconds = 0;
    arrays::step_distributed_cells(
        on_, arrays::stencil_kernel::heat, steps, {arrays::number_kind::floating, sizeof(T)},
        shape_,
        [&](std::span<std::byte> block, std::size_t first) {
          all_.each([&] {
            if (before_.empty()) before_ = cells_at(first, block.size() / sizeof(T));
            if (!block.empty()) std::memcpy(block.data(), before_.data(), block.size());
          });
          clock_.start();
        },
        [&](std::span<const std::byte> block, std::size_t first) {
          seconds = clock_.stop();
          const std::span<const T> now(reinterpret_cast<const T*>(block.data()),
                                       block.size() / sizeof(T));
          if (checks) all_.each([&] { check(now, first / std::max<std::size_t>(1, row_), steps); });
        });
    return seconds;
  }

  // Returns the initial values of cells [first, first + count).
  [[nodiscard]] static std::vector<T> cells_at(std::size_t first, std::size_t count) {
    std::vector<T> cells(count);
    for (std::size_t i = 0; i < count; ++i)
      cells[i] = static_cast<T>(mixed(1 + first + i) % 4096) / 4096;
    return cells;
  }
  // Compares the slab with serial sweeps over its rows and `steps` rows on either side. Errors from
  // the ends of this range would reach the slab only after more than `steps` steps.
  void check(std::span<const T> slab, std::size_t first_row, std::size_t steps) const {
    const std::size_t rows = slab.size() / std::max<std::size_t>(1, row_);
    if (rows == 0) return;
    const std::size_t before = std::min(first_row, steps);
    const std::size_t last = std::min(n_, first_row + rows + steps);
    const std::size_t count = last - (first_row - before);
    std::vector<T> from = cells_at((first_row - before) * row_, count * row_);
    std::vector<T> to = from;
    for (std::size_t s = 0; s < steps && count > 2; ++s) {
      heat_rows<D>(static_cast<std::ptrdiff_t>(n_), from.data(), to.data(), 1,
                   static_cast<std::ptrdiff_t>(count) - 1);
      std::swap(from, to);
    }
    if (!std::ranges::equal(slab, std::span(from).subspan(before * row_, slab.size())))
      throw error("verification failed: pleat::stencil over ranks did not compute what " +
                  std::to_string(steps) + " serial sweeps do");
  }

  std::size_t n_, row_ = 1;
  const std::vector<std::size_t> shape_;
  std::vector<T> before_;
};

template <class T> prepared_ranks made(const rank_group& all, machine& on, const sweep_case& at) {
  if (at.program == "stencil1") return std::make_unique<heated_ranks<T, 1>>(all, on, at);
  if (at.program == "stencil2") return std::make_unique<heated_ranks<T, 2>>(all, on, at);
  return std::make_unique<heated_ranks<T, 3>>(all, on, at);
}

}  // namespace

prepared_ranks ranked_stencil(const rank_group& all, machine& on, const sweep_case& at) {
  return at.type == "f32" ? made<float>(all, on, at) : made<double>(all, on, at);
}

}  // namespace pleat::bench
