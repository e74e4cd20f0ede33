// SPDX-License-Identifier: Apache-2.0
#include <pleat/runtime/machine.hpp>

pleat::task<> program(pleat::vp& me) {
  me.send(0, &me);
  co_await me.sync(0);
}
