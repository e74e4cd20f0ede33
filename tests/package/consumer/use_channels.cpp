// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <pleat/channels/channel.hpp>
#include <pleat/channels/version.hpp>

int main() {
  pleat::channel<long> numbers(8);
  for (long x = 1; numbers.try_push(x) == pleat::channel_status::ok;) ++x;
  numbers.close();
  long sum = 0;
  numbers.consume_all([&](long x) { sum += x; });
  std::cout << "pleat " << PLEAT_VERSION << " channels: " << sum << '\n';
  return sum == 36 && numbers.pop_status() == pleat::channel_status::closed ? 0 : 1;
}
