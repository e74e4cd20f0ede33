// SPDX-License-Identifier: Apache-2.0
//
// Values that cannot travel, awaitables of others, ranges that cannot be sorted; the comment above
// each call matches what is said of it.
#include <coroutine>
#include <list>
#include <string>
#include <vector>

#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/oblivious/bitonic.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>
#include <pleat/runtime/machine.hpp>

struct person {
  std::string name;
};
extern pleat::machine on;
extern std::list<int> list;
extern std::vector<int> numbers;
extern const std::vector<int> constants;
extern std::vector<std::string> words;

pleat::task<> program(pleat::vp& me) {
  long value = 0, all[8] = {};
  const long* place = nullptr;
  std::vector<int>::iterator key;
  std::span<long> longs = all;
  const auto first = [](auto a, auto) { return a; };
  // nobody would resume it from another awaitable
  co_await std::suspend_always{};
  // cannot be sent by value
  me.send(0, &me);
  // cannot be sent by value
  me.send(0, pleat::strided_view<int>{});
  // cannot be sent by value
  co_await me.push(0, &value);
  // elements_to_write
  co_await pleat::broadcast(me, &value);
  // elements_to_read
  co_await pleat::gather(me, pleat::strided_view<const long>(all, 4, 1, 2), all);
  // one_value
  (void)co_await pleat::all_reduce(me, &value, first);
  // elements_to_read
  co_await pleat::all_reduce(me, std::vector<long>{1, 2}, all, std::plus<>{});
  // value_of_vp
  co_await pleat::prefix(me, place);
  // value_of_vp
  co_await pleat::tree_broadcast(me, longs);
  // value_of_vp
  co_await pleat::bitonic_sort(me, key);
}

void sorted() {
  // the_range_is_no_random_access_range_copy_it_into_a_vector
  pleat::sort(on, list);
  // the_elements_are_const_or_made_by_a_view
  pleat::sort(constants);
  // the_order_cannot_be_called_with_two_keys
  pleat::stable_sort(words, [](int a, int b) { return a < b; });
  // the_projection_cannot_be_called_with_an_element
  pleat::sort(on, numbers.begin(), numbers.end(), std::less<>(), &person::name);
}
