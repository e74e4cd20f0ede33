// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/gather.hpp>

pleat::task<> program(pleat::vp& me) {
  long all[8] = {};
  co_await pleat::gather(me, pleat::strided_view<const long>(all, 4, 1, 2), all);
}
