// SPDX-License-Identifier: Apache-2.0
// The index algorithm: all_to_all in few rounds, of blocks too small to send one by one.
#include <algorithm>
#include <cstring>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/index_schedule.hpp>

namespace pleat::detail {

task<> index_blocks(endpoint& on, const std::byte* in, std::byte* out, std::size_t bytes,
                    unsigned radix, unsigned ports, collective_traffic& traffic) {
  const std::size_t size = on.size(), rank = on.rank();
  const index_schedule schedule(size, radix, ports);
  const std::vector<index_step>& steps = schedule.steps();
  const auto for_blocks = [&](const index_step& step, const auto& use) {
    schedule.each_moved(step, [&](std::size_t block, bool) { use(block); });
  };
  // Blocks by how far they have to go, in the front; what is being sent, behind.
  std::size_t sent = 0;
  for (const index_step& step : steps) sent += schedule.blocks(step);
  std::byte* const moving = on.scratch((size + sent) * bytes);
  std::byte* packed = moving + size * bytes;
  for (std::size_t block = 0; block < size; ++block) {
    std::memcpy(moving + block * bytes, in + (rank + block) % size * bytes, bytes);
    ++traffic.copies;
  }
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(
        first, steps.end(), [&](const index_step& step) { return step.round != first->round; });
    on.begin_round(traffic);
    for (auto step = first; step != last; ++step) {
      const std::byte* const begin = packed;
      for_blocks(*step, [&](std::size_t block) {
        std::memcpy(packed, moving + block * bytes, bytes);
        packed += bytes;
        ++traffic.copies;
      });
      edge& to = on.to(static_cast<std::uint32_t>((rank + step->offset) % size));
      co_await on.room(to);
      on.push(to, begin, static_cast<std::size_t>(packed - begin));
    }
    for (auto step = first; step != last; ++step) {
      const std::size_t blocks = schedule.blocks(*step);
      edge& from = on.from(static_cast<std::uint32_t>((rank + size - step->offset) % size));
      co_await on.value(from);
      on.take(from, blocks * bytes, [&](const std::byte* theirs) {
        for_blocks(*step, [&](std::size_t block) {
          std::memcpy(moving + block * bytes, theirs, bytes);
          theirs += bytes;
          ++traffic.copies;
        });
      });
      traffic.blocks += blocks;
      traffic.bytes += blocks * bytes;
    }
    first = last;
  }
  for (std::size_t block = 0; block < size; ++block) {
    std::memcpy(out + (rank + size - block) % size * bytes, moving + block * bytes, bytes);
    ++traffic.copies;
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
