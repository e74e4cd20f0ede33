// SPDX-License-Identifier: Apache-2.0
// supersteps PROCESSORS   a few supersteps, and collectives of 8 bytes and of 8 KiB, by as many
// virtual processors and by four times as many. Says "right", or what is wrong.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <vector>

#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

using word = std::uint64_t;

pleat::task<> shift(pleat::vp& me, int& wrong) {
  for (std::size_t step = 1; step <= 20; ++step) {
    me.send((me.rank() + step) % me.size(), me.rank() * step);
    co_await me.sync(0);
    const auto got = me.receive();
    const std::size_t from = (me.rank() + 20 * me.size() - step) % me.size();
    if (!got || got->get<std::size_t>() != from * step) ++wrong;
  }
}

pleat::task<> collect(pleat::vp& me, std::size_t length, int& wrong) {
  const word p = me.size(), sum = p * (p + 1) / 2;
  std::vector<word> mine(length, me.rank() + 1), all(length);
  co_await pleat::all_reduce(me, mine, all, std::plus<>{});
  for (const word x : all) wrong += x != sum;
  if (me.rank() == 0) all.assign(length, 42);
  co_await pleat::broadcast(me, all);
  for (const word x : all) wrong += x != 42;
  std::vector<word> sent(p * length), got(p * length);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = me.rank() * sent.size() + i;
  co_await pleat::all_to_all(me, sent, got);
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += got[i] != i / length * got.size() + me.rank() * length + i % length;
}

}  // namespace

int main(int, char** arguments) {
  try {
    pleat::machine machine({.processors = pleat::parse_processors(arguments[1])});
    for (const std::size_t v : {machine.processors() * 1ul, machine.processors() * 4ul}) {
      std::vector<int> wrong(v);
      machine.run(v, [&](pleat::vp& me) { return shift(me, wrong[me.rank()]); });
      for (const std::size_t length : {1, 1024})
        machine.run(v, [&](pleat::vp& me) { return collect(me, length, wrong[me.rank()]); });
      for (std::size_t rank = 0; rank < v; ++rank) {
        if (wrong[rank] == 0) continue;
        std::printf("VP %zu of %zu has %d wrong values\n", rank, v, wrong[rank]);
        return 1;
      }
    }
    std::printf("right\n");
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
