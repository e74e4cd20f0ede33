// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/broadcast.hpp>

pleat::task<> program(pleat::vp& me) {
  long value = 0;
  co_await pleat::broadcast(me, &value);
}
