// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/reduce.hpp>

pleat::task<> program(pleat::vp& me) {
  const long value = 0;
  const long* sum = co_await pleat::all_reduce(me, &value, [](auto a, auto) { return a; });
  static_cast<void>(sum);
}
