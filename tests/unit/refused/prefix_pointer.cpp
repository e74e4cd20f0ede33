// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/prefix.hpp>

pleat::task<> program(pleat::vp& me) {
  const long* value = nullptr;
  co_await pleat::prefix(me, value);
}
