// SPDX-License-Identifier: Apache-2.0
#include "binomial_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pleat::detail {

namespace {

struct chain {
  list_entry* first;
  list_entry* last;
};

std::uint32_t parent_of(std::uint32_t rank) noexcept { return rank & (rank - 1); }

/// The ranks of its subtree are rank … rank + reach − 1, its children rank + 1, 2, 4, … below that.
std::uint64_t reach_of(const endpoint& on) noexcept {
  const std::uint64_t rest = on.size() - on.rank();
  return on.rank() == 0 ? rest : std::min<std::uint64_t>(on.rank() & (~on.rank() + 1), rest);
}

template <class T> void push(endpoint& on, edge& to, const T& value) {
  on.push_filled(to, sizeof value,
                 [&](std::byte* line) { std::memcpy(line, &value, sizeof value); });
}
template <class T> T take(endpoint& on, edge& from) {
  T value;
  on.take(from, sizeof value,
          [&](const std::byte* line) { std::memcpy(&value, line, sizeof value); });
  return value;
}

}  // namespace

task<> gather_list(endpoint& on, list_entry& mine) {
  chain all{&mine, &mine};
  const std::uint64_t reach = reach_of(on);
  for (std::uint64_t step = 1; step < reach; step *= 2) {
    edge& from = on.from(on.rank() + static_cast<std::uint32_t>(step));
    co_await on.value(from);
    const chain theirs = take<chain>(on, from);
    all.last->next = theirs.first;
    all.last = theirs.last;
  }
  if (on.rank() == 0) co_return;
  edge& to = on.to(parent_of(on.rank()));
  co_await on.room(to);
  push(on, to, all);
}

std::size_t subtree_of(const endpoint& on) noexcept {
  return static_cast<std::size_t>(reach_of(on));
}

task<> gather_values(endpoint& on, std::byte* all, std::size_t each) {
  const std::uint64_t reach = reach_of(on);
  for (std::uint64_t step = 1; step < reach; step *= 2) {
    edge& from = on.from(on.rank() + static_cast<std::uint32_t>(step));
    const auto theirs = static_cast<std::size_t>(std::min(step, reach - step)) * each;
    co_await on.value(from);
    on.take(from, theirs, [&](const std::byte* values) {
      std::memcpy(all + static_cast<std::size_t>(step) * each, values, theirs);
    });
  }
  if (on.rank() == 0) co_return;
  edge& to = on.to(parent_of(on.rank()));
  co_await on.room(to);
  on.push(to, all, static_cast<std::size_t>(reach) * each);
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> broadcast_pointer(endpoint& on, const void*& pointer) {
  if (on.rank() != 0) {
    edge& from = on.from(parent_of(on.rank()));
    co_await on.value(from);
    pointer = take<const void*>(on, from);
  }
  const std::uint64_t reach = reach_of(on);
  if (reach < 2) co_return;
  for (std::uint64_t step = std::bit_floor(reach - 1); step != 0; step /= 2) {
    edge& to = on.to(on.rank() + static_cast<std::uint32_t>(step));
    co_await on.room(to);
    push(on, to, pointer);
  }
}

task<> gather_arrivals(endpoint& on) {
  const std::uint64_t reach = reach_of(on);
  for (std::uint64_t step = 1; step < reach; step *= 2) {
    edge& from = on.from(on.rank() + static_cast<std::uint32_t>(step));
    co_await on.value(from);
    (void)take<char>(on, from);
  }
  if (on.rank() == 0) co_return;
  edge& to = on.to(parent_of(on.rank()));
  co_await on.room(to);
  push(on, to, char{});
}

}  // namespace pleat::detail
