// SPDX-License-Identifier: Apache-2.0
// One thread streams numbers to another in bulk; closing the channel ends the stream.
#include <array>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <thread>

#include <pleat/channels/channel.hpp>
#include <pleat/channels/channel_status.hpp>

int main() {
  constexpr std::uint64_t batches = 1000;
  pleat::channel<std::uint64_t> numbers(4096);

  std::jthread producer([&] {
    std::array<std::uint64_t, 512> batch;
    for (std::uint64_t i = 0; i != batches; ++i) {
      std::iota(batch.begin(), batch.end(), i * batch.size());
      std::span<const std::uint64_t> left = batch;
      while (!left.empty()) {
        const std::size_t pushed = numbers.try_push(left);
        if (pushed == 0) std::this_thread::yield();  // full: how to wait is ours to say
        left = left.subspan(pushed);
      }
    }
    numbers.close();
  });

  std::uint64_t sum = 0, count = 0;
  while (numbers.pop_status() != pleat::channel_status::closed) {
    const std::size_t popped = numbers.consume_all([&](std::uint64_t n) { sum += n; });
    if (popped == 0) std::this_thread::yield();
    count += popped;
  }
  std::cout << count << " numbers, sum " << sum << '\n';
  return sum == count * (count - 1) / 2 ? 0 : 1;
}
