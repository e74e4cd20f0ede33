// SPDX-License-Identifier: Apache-2.0
// One thread lends a block of its memory to another, which reads it in place. The drained channel
// tells the owner that the block is its own again; not a byte of it is copied.
#include <cstdint>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

#include <pleat/channels/channel.hpp>
#include <pleat/channels/slot.hpp>

int main() {
  constexpr std::uint32_t rounds = 100;
  pleat::channel<pleat::slot> loans(2);

  std::jthread owner([&] {
    std::vector<double> block(1 << 16);
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      std::iota(block.begin(), block.end(), double(round));
      pleat::slot loan{};
      loan.address(0, 1, round);
      loan.put(pleat::lent_block{.data = block.data(),
                                 .rows = 1,
                                 .columns = block.size(),
                                 .stride = block.size(),
                                 .element_size = sizeof(double),
                                 .owner = 0,
                                 .writable = false});
      while (loans.try_push(loan) != pleat::channel_status::ok) std::this_thread::yield();
      while (!loans.drained()) std::this_thread::yield();  // until then the block is lent
    }
    loans.close();
  });

  std::uint32_t right = 0;
  const auto read = [&](const pleat::slot& loan) {
    const auto block = loan.lent();
    const auto* first = static_cast<const double*>(block.data);
    const double n = double(block.count());
    right += std::accumulate(first, first + block.count(), 0.0) == n * loan.tag() + n * (n - 1) / 2;
  };
  while (loans.pop_status() != pleat::channel_status::closed) {
    if (loans.consume(read) != pleat::channel_status::ok) std::this_thread::yield();
  }
  std::cout << right << " of " << rounds << " blocks read right\n";
  return right == rounds ? 0 : 1;
}
