// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix whose rows are spread over virtual processors. Nothing is packed: each lends
// the block that another one needs, a view with a stride, and that one reads it where it lies.
#include <cstdio>
#include <vector>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/message.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace {

// `rows` and `result`: the rows of this virtual processor, n numbers each.
pleat::task<> transpose(pleat::vp& me, std::size_t n, const std::vector<double>& rows,
                        std::vector<double>& result) {
  const std::size_t each = n / me.size();
  for (std::size_t q = 0; q < me.size(); ++q)
    me.lend(q, pleat::strided_view<const double>(rows.data() + q * each, each, each, n));
  co_await me.sync(0);
  while (const auto block = me.receive()) {
    const auto theirs = block->view<const double>();
    for (std::size_t i = 0; i < each; ++i)
      for (std::size_t j = 0; j < each; ++j)
        result[j * n + block->source() * each + i] = theirs(i, j);
  }
  co_await me.sync(0);  // until here the rows are lent
}

}  // namespace

int main() {
  constexpr std::size_t n = 96, vps = 8, each = n / vps;
  std::vector<std::vector<double>> rows(vps, std::vector<double>(each * n)), columns = rows;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) rows[i / each][i % each * n + j] = double(i * n + j);

  pleat::machine machine;
  machine.run(vps,
              [&](pleat::vp& me) { return transpose(me, n, rows[me.rank()], columns[me.rank()]); });

  std::size_t right = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      right += columns[i / each][i % each * n + j] == double(j * n + i);
  std::printf("%zu of %zu numbers in their places\n", right, n * n);
  return right == n * n ? 0 : 1;
}
