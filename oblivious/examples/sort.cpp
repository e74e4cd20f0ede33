// SPDX-License-Identifier: Apache-2.0
//
// Sorts an array three ways: as fast as this machine can, by an order of our own, and as the
// program of the model, one key a virtual processor.
#include <cstdint>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

#include <pleat/oblivious/sort.hpp>

namespace {

template <class T, class Less> bool in_order(const std::vector<T>& values, Less less) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (less(values[i], values[i - 1])) return false;
  return true;
}

}  // namespace

int main() {
  pleat::machine machine;  // every core this process may use
  std::mt19937_64 random(1);

  std::vector<double> prices(1 << 20);
  for (double& price : prices) price = static_cast<double>(random() % 1000000) / 100;
  pleat::sort(machine, prices);
  std::cout << "a median of " << prices[prices.size() / 2] << " among " << prices.size() << '\n';

  // Pairs, by what they are worth, the dearest first.
  std::vector<std::pair<std::uint32_t, float>> items(1000);
  for (std::uint32_t i = 0; i < items.size(); ++i)
    items[i] = {i, static_cast<float>(random() % 500)};
  const auto dearer = [](const auto& a, const auto& b) { return a.second > b.second; };
  pleat::sort(machine, items, dearer);
  std::cout << "the dearest is item " << items.front().first << '\n';

  // The very same coroutine with as many virtual processors as there are keys.
  std::vector<int> keys(1024);
  for (int& key : keys) key = static_cast<int>(random() % 10000);
  pleat::sort(machine, keys, {}, {.vps = keys.size()});
  std::cout << keys.size() << " virtual processors, the least key is " << keys.front() << '\n';

  const bool sorted =
      in_order(prices, std::less<>()) && in_order(items, dearer) && in_order(keys, std::less<>());
  return sorted ? 0 : 1;
}
