// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail::distribution {

task<> agree(vp& me, const rank_places& places, std::size_t rank, const agreed_words& words,
             const char* what) {
  const bool first = me.rank() == places[rank].first;
  if (first) {
    for (const rank_range& other : places) me.send(other.first, words);
  }
  co_await me.sync(0);
  if (!first) co_return;
  std::size_t other = 0;
  for (auto m = me.receive(); m; m = me.receive(), ++other) {  // in the order of the ranks
    if (m->get<agreed_words>() == words) continue;
    throw usage_error(std::string(what) + " differ on ranks " + std::to_string(rank) + " and " +
                      std::to_string(other) +
                      "; all ranks must make the same calls on distributed data");
  }
}

}  // namespace pleat::detail::distribution
