// SPDX-License-Identifier: Apache-2.0
// Virtual processors have found different numbers of items. A scan tells each where its own begin
// in the whole, an exchange of all with all gives each the same number of them.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

pleat::task<> rebalance(pleat::vp& me, std::vector<int>& items) {
  const std::size_t mine[1] = {items.size()};
  std::size_t before[1] = {0}, total[1] = {0};
  co_await pleat::exclusive_scan(me, mine, before, std::plus<>{});  // rank 0 keeps its 0
  co_await pleat::all_reduce(me, mine, total, std::plus<>{});

  // Rank q is to have [first(q), first(q + 1)) of them all.
  const auto first = [&](std::size_t q) { return q * total[0] / me.size(); };
  std::vector<std::size_t> sent(me.size()), received(me.size());
  for (std::size_t q = 0; q < me.size(); ++q) {
    const std::size_t from = std::max(before[0], first(q));
    const std::size_t to = std::min(before[0] + items.size(), first(q + 1));
    sent[q] = to > from ? to - from : 0;
  }
  co_await pleat::all_to_all(me, sent, received);

  std::vector<int> balanced(std::accumulate(received.begin(), received.end(), std::size_t{0}));
  co_await pleat::all_to_all_v(me, items, balanced, sent, received);
  items = std::move(balanced);
}

}  // namespace

int main() {
  std::vector<std::vector<int>> items(5);
  int next = 0;
  for (std::size_t r = 0; r < items.size(); ++r)
    for (std::size_t i = 0; i < 10 * r * r; ++i) items[r].push_back(next++);

  pleat::machine machine;
  machine.run(items.size(), [&](pleat::vp& me) { return rebalance(me, items[me.rank()]); });

  int expected = 0;
  bool right = true;
  for (const auto& part : items) {
    std::printf("%zu items\n", part.size());
    right = right && part.size() == 60;
    for (const int item : part) right = right && item == expected++;
  }
  return right ? 0 : 1;
}
