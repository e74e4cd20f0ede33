// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/bitonic.hpp>

pleat::task<> program(pleat::vp& me) {
  std::vector<int>::iterator key;
  co_await pleat::bitonic_sort(me, key);
}
