// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/stencil/levels.hpp>

namespace pleat::detail::stencils {
namespace {

/// visit(in level 0, in level 1, bytes) for every row of a box.
template <std::size_t D, class Visit>
void for_each_row(const untyped_field<D>& f, const box<D>& cells, const Visit& visit) {
  if (cells.empty()) return;
  std::array<offset, D> x;
  for (std::size_t i = 0; i < D; ++i) x[i] = cells.sides[i].first;
  const auto bytes = static_cast<std::size_t>(cells.sides[D - 1].size()) * f.level[0].cell_bytes;
  while (true) {
    visit(cell_at(f.level[0], x), cell_at(f.level[1], x), bytes);
    std::size_t i = D - 1;
    for (; i > 0; --i) {
      if (++x[i - 1] < cells.sides[i - 1].last) break;
      x[i - 1] = cells.sides[i - 1].first;
    }
    if (i == 0) return;
  }
}

}  // namespace

template <std::size_t D>
void prepare_levels(const any_sweeper<D>& with, const box<D>& cells, unsigned start) {
  for (const auto& f : with.fields()) {
    if (start == 1)
      for_each_row(f, cells, [&](std::byte* user, std::byte* other, std::size_t bytes) {
        if (with.two())
          std::swap_ranges(user, user + bytes, other);
        else
          std::copy_n(user, bytes, other);
      });
    if (start == 1 && !with.two()) continue;  // both levels are alike
    for (std::size_t i = 0; i < D; ++i) {
      if (with.edges()[i] != boundary::fixed) continue;
      for (const offset face : {offset{0}, with.size()[i] - 1}) {
        box<D> fixed = cells;
        fixed.sides[i] = intersect(fixed.sides[i], {face, face + 1});
        for_each_row(f, fixed, [&](std::byte* user, std::byte* other, std::size_t bytes) {
          std::copy_n(start == 0 ? user : other, bytes, start == 0 ? other : user);
        });
      }
    }
  }
}

template void prepare_levels<1>(const any_sweeper<1>&, const box<1>&, unsigned);
template void prepare_levels<2>(const any_sweeper<2>&, const box<2>&, unsigned);
template void prepare_levels<3>(const any_sweeper<3>&, const box<3>&, unsigned);

}  // namespace pleat::detail::stencils
