// SPDX-License-Identifier: Apache-2.0
// The library's programs on data of one process, given a machine over ranks: refused, whatever the
// size, unless the rank has taken a turn of its own.
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/aggregate.hpp>
#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/bitonic.hpp>
#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/transform.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>
#include <pleat/oblivious/unique.hpp>
#include <pleat/runtime/machine.hpp>

#include "on_ranks.hpp"

namespace one_memory_test {

using numbers = std::vector<double>;

struct library_program {
  const char* name;
  void (*call)(pleat::machine& on, numbers& x);
};

numbers room_for(const numbers& x) { return numbers(x.size()); }
bool small(double x) { return x < 3; }

const library_program programs[] = {
    {"sort", [](auto& on, auto& x) { pleat::sort(on, x); }},
    {"stable_sort", [](auto& on, auto& x) { pleat::stable_sort(on, x); }},
    {"sort by a comparator",
     [](auto& on, auto& x) { pleat::sort(on, x, [](double a, double b) { return a < b; }); }},
    {"argsort", [](auto& on, auto& x) { static_cast<void>(pleat::argsort(on, x)); }},
    {"sort_by_key",
     [](auto& on, auto& x) {
       numbers values = x;
       pleat::sort_by_key(on, x, values);
     }},
    {"bitonic_sort", [](auto& on, auto& x) { pleat::bitonic_sort(on, x); }},
    {"prefix", [](auto& on, auto& x) { pleat::prefix(on, x); }},
    {"tree_broadcast", [](auto& on, auto& x) { pleat::tree_broadcast(on, x); }},
    {"for_each", [](auto& on, auto& x) { pleat::for_each(on, x, [](double& e) { e *= 2; }); }},
    {"transform",
     [](auto& on, auto& x) { pleat::transform(on, x, x, [](double e) { return 2 * e; }); }},
    {"reduce", [](auto& on, auto& x) { static_cast<void>(pleat::reduce(on, x, 0.0)); }},
    {"inclusive_scan",
     [](auto& on, auto& x) {
       numbers to = room_for(x);
       pleat::inclusive_scan(on, x, to);
     }},
    {"find_if", [](auto& on, auto& x) { static_cast<void>(pleat::find_if(on, x, small)); }},
    {"equal", [](auto& on, auto& x) { static_cast<void>(pleat::equal(on, x, x)); }},
    {"max_element", [](auto& on, auto& x) { static_cast<void>(pleat::max_element(on, x)); }},
    {"copy_if",
     [](auto& on, auto& x) {
       numbers to = room_for(x);
       static_cast<void>(pleat::copy_if(on, x, to, small));
     }},
    {"partition", [](auto& on, auto& x) { static_cast<void>(pleat::partition(on, x, small)); }},
    {"unique", [](auto& on, auto& x) { static_cast<void>(pleat::unique(on, x)); }},
    {"reverse", [](auto& on, auto& x) { pleat::reverse(on, x); }},
    {"nth_element", [](auto& on, auto& x) { pleat::nth_element(on, x, x.size() / 2); }},
    {"top_k", [](auto& on, auto& x) { static_cast<void>(pleat::top_k(on, x, 1)); }},
    {"group_by", [](auto& on, auto& x) { static_cast<void>(pleat::group_by(on, x)); }},
    {"merge",
     [](auto& on, auto& x) {
       numbers to(2 * x.size());
       pleat::merge(on, x, x, to);
     }},
    {"fft",
     [](auto& on, auto& x) {
       std::vector<std::complex<double>> all(x.begin(), x.end());
       pleat::fft(on, all);
     }},
    {"rfft",
     [](auto& on, auto& x) {
       std::vector<std::complex<double>> to(x.size() / 2 + 1);
       pleat::rfft(on, x, to);
     }},
    {"fft2",
     [](auto& on, auto& x) {
       std::vector<std::complex<double>> all(x.begin(), x.end());
       pleat::fft2(
           on, pleat::strided_view<std::complex<double>>(all.data(), 1, all.size(), all.size()));
     }},
    {"matmul",
     [](auto& on, auto& x) {
       double one = 2;
       numbers to = room_for(x);
       const std::size_t n = x.size();
       pleat::matmul(on, pleat::strided_view<double>(x.data(), n, 1, 1),
                     pleat::strided_view<double>(&one, 1, 1, 1),
                     pleat::strided_view<double>(to.data(), n, 1, 1));
     }},
    {"stencil",
     [](auto& on, auto& x) {
       pleat::stencil(on, x, 1, [](const auto& u) { return u(-1) + u(1); });
     }},
};

TEST(one_memory, is_what_the_librarys_programs_ask_for_whatever_the_size) {
  const machine_of_ranks machine({1, 2});
  for (const library_program& program : programs) {
    for (const std::size_t n : {1, 2, 64, 1 << 17}) {
      for (const std::string& words : words_on_ranks(machine, [&](pleat::machine& on) {
             numbers x(n, 2);
             program.call(on, x);
           }))
        EXPECT_EQ(words.rfind("a library program on a machine over ranks: ", 0), 0u)
            << program.name << " of " << n << ": " << words;
    }
    on_ranks(machine, [&](pleat::machine& on) {
      const pleat::machine::rank_turn here(on);
      numbers x(64, 2);
      program.call(on, x);
    });
  }
}

}  // namespace one_memory_test
