// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <pleat/collectives/reduce.hpp>

pleat::task<> program(pleat::vp& me) {
  long sum[2] = {};
  co_await pleat::all_reduce(me, std::vector<long>{1, 2}, sum, std::plus<>{});
}
