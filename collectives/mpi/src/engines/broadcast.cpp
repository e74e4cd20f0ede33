// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <pleat/collectives/circulant_rounds.hpp>

#include "engines/engines.hpp"
#include "engines/in_flight.hpp"
#include "engines/split.hpp"

namespace pleat::preloaded {

task broadcast(communicator& on, operation what, std::uint32_t root, std::byte* data,
               std::size_t bytes, std::size_t blocks) {
  // Receives are posted ahead, so that a message finds its buffer when it comes. A block is waited
  // for only when it is sent on, often some rounds later, so latencies overlap.
  const std::size_t ahead = on.chosen().window(what);
  const circulant_rounds rounds(on.graph(), blocks);
  const circulant_schedule& own = on.schedule(root);
  in_flight receives(on, what, ahead);
  in_flight sends(on, what, ahead);
  std::vector<std::size_t> coming(ahead);  // blocks of the receives, in their order
  std::size_t posted = 0;
  std::size_t come = 0;
  std::vector<bool> here(blocks, on.rank() == root);
  const auto take_oldest = [&] { here[coming[come++ % ahead]] = true; };
  std::size_t next = 0;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (; next < rounds.size() && next < round + ahead; ++next) {
      const circulant_step later = rounds.step(on.graph(), own, on.rank(), root, next);
      if (later.received == circulant_step::none) continue;
      if (posted - come == ahead) {
        co_await receives.oldest();
        take_oldest();
      }
      const range block = split(bytes, blocks, later.received);
      coming[posted++ % ahead] = later.received;
      receives.receive(elements::of_bytes(data + block.first), block.count, later.from);
    }
    const circulant_step now = rounds.step(on.graph(), own, on.rank(), root, round);
    if (now.sent == circulant_step::none) continue;
    while (!here[now.sent]) {
      co_await receives.oldest();
      take_oldest();
    }
    co_await sends.room();
    const range block = split(bytes, blocks, now.sent);
    sends.send(elements::of_bytes(data + block.first), block.count, now.to);
  }
  co_await receives.all();
  co_await sends.all();
}

}  // namespace pleat::preloaded
