// SPDX-License-Identifier: Apache-2.0
// All-to-all exchanges. The sizes of irregular ones are known to the two ranks of a block only, so
// the ranks agree on the most blocks and bytes that one of them sends or receives.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "engines/engines.hpp"
#include "engines/in_flight.hpp"
#include "operations/operations.hpp"

namespace pleat::preloaded {

plan alltoall(communicator& on, const side& mine, const side& each) {
  constexpr operation what = operation::alltoall;
  if (each.in_place() || !each.is_valid() || !mine.is_valid()) return {};
  const std::size_t bytes = each.bytes();
  if (!on.chosen().ours(what, bytes * on.size()) || !(mine.in_place() || mine.bytes() == bytes))
    return {};
  return [&on, in = typed_parts(each, on.size()),
          out = typed_parts(mine.in_place() ? each : mine, on.size(), mine.in_place()),
          sizes = std::vector(on.size(), bytes), radix = on.with().radix(bytes)]() -> task {
    out.pack(on);
    const task exchanged = exchange(on, operation::alltoall, out.get(), in.get(), sizes, radix);
    co_await exchanged;
    in.unpack(on);
  };
}

namespace {

/// Most blocks and bytes that a rank sends or receives.
using exchange_size = std::array<std::size_t, 2>;

/// Replaces each number by the largest that the ranks have: after round k, that of 2^(k + 1) ranks.
task largest(communicator& on, operation what, exchange_size& own) {
  exchange_size before{};
  in_flight messages(on, what, 2);
  const auto bytes_of = [](exchange_size& all) {
    return elements::of_bytes(reinterpret_cast<std::byte*>(all.data()));
  };
  for (std::uint32_t skip = 1; skip < on.size(); skip *= 2) {
    messages.receive(bytes_of(before), sizeof before, (on.rank() + on.size() - skip) % on.size());
    messages.send(bytes_of(own), sizeof own, (on.rank() + skip) % on.size());
    co_await messages.all();
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = std::max(own[i], before[i]);
  }
}

}  // namespace

plan irregular_exchange(communicator& on, operation what, const std::optional<irregular_side>& mine,
                        const irregular_side& theirs) {
  if (on.chosen().sizes[index(what)] == 0 || !theirs.is_valid() || (mine && !mine->is_valid()))
    return {};
  typed_parts in(theirs);
  typed_parts out(mine ? *mine : theirs, !mine);
  exchange_size most{std::max(out.filled(), in.filled()), std::max(out.bytes(), in.bytes())};
  if (on.blocks()) {
    on.complete(largest(on, what, most));
    if (!on.chosen().ours(what, most.back())) return {};
  }
  return [&on, in = std::move(in), out = std::move(out), what, most,
          agreed = on.blocks()]() mutable -> task {
    if (!agreed) {
      const task agreeing = largest(on, what, most);
      co_await agreeing;
      agreed = true;
    }
    const auto [partners, bytes] = most;
    // Blocks go straight where the answer, for which the call did not wait, says that it would have
    // been the MPI's.
    const std::size_t radix =
        on.chosen().ours(what, bytes) ? on.with().radix(partners, bytes) : on.size();
    out.pack(on);
    const task exchanged = exchange(on, what, out.get(), in.get(), {}, radix);
    co_await exchanged;
    in.unpack(on);
  };
}

}  // namespace pleat::preloaded
