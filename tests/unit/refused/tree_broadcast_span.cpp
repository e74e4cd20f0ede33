// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/tree_broadcast.hpp>

pleat::task<> program(pleat::vp& me) {
  long numbers[2] = {};
  std::span<long> value = numbers;
  co_await pleat::tree_broadcast(me, value);
}
