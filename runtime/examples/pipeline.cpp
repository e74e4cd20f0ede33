// SPDX-License-Identifier: Apache-2.0
// A sieve of Eratosthenes as a pipeline: neighbours synchronise with neighbours only, by channels.
#include <cstdio>
#include <vector>

#include <pleat/runtime/machine.hpp>

// VP 0 pushes numbers; each VP behind keeps the first it gets, a prime, and passes on what that
// does not divide. 0 ends the stream.
pleat::task<> sieve(pleat::vp& me, int limit, std::vector<int>& primes) {
  const bool last = me.rank() + 1 == me.size();
  if (me.rank() == 0) {
    for (int n = 2; n <= limit && !last; ++n) co_await me.push(me.rank() + 1, n);
    if (!last) co_await me.push(me.rank() + 1, 0);
    co_return;
  }
  int prime = 0;
  for (;;) {
    const int n = co_await me.pop<int>(me.rank() - 1);
    if (prime == 0 && n != 0) primes[me.rank()] = prime = n;
    const bool pass_on = n == 0 || n % prime != 0;
    if (pass_on && !last) co_await me.push(me.rank() + 1, n);
    if (n == 0) co_return;
  }
}

int main() {
  std::vector<int> primes(12);
  pleat::machine machine;
  machine.run(primes.size(), [&](pleat::vp& me) { return sieve(me, 40, primes); });
  for (const int prime : primes) {
    if (prime != 0) std::printf("%d ", prime);
  }
  std::printf("\n");
  return primes[11] == 31 ? 0 : 1;
}
