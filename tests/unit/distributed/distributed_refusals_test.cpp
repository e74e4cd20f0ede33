// SPDX-License-Identifier: Apache-2.0
// Errors of calls on distributed data: what one rank throws, or calls otherwise than the others, is
// thrown on all, and the machine serves the next call. Where elements are to stay as they were, see
// the tests of the functions.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/transform.hpp>
#include <pleat/runtime/machine.hpp>

#include "on_ranks.hpp"

namespace distributed_refusals_test {

using pleat::distributed, pleat::distributed_grid, pleat::distributed_matrix, pleat::machine;
using std::size_t, std::uint32_t;
using reals = distributed<float>;
using spectra = distributed<std::complex<float>>;

/// A call that throws on one rank, or that ranks make differently, and what all ranks are told.
struct failure {
  std::function<void(machine&)> call;
  const char* words = "of the last";
};

constexpr size_t n = 1000, most = std::numeric_limits<size_t>::max();
distributed<uint32_t> numbered(machine& on) {
  distributed<uint32_t> data(on, n);
  data.fill(on, [](size_t i) { return static_cast<uint32_t>(i); });
  return data;
}
uint32_t unless_last(size_t x) {
  if (x == n - 1) throw std::runtime_error("of the last");
  return static_cast<uint32_t>(x);
}
bool less_unless_last(uint32_t a, uint32_t b) { return unless_last(a) < unless_last(b); }

const failure failures[] = {
    {[](auto& on) {
      auto data = numbered(on);
      pleat::for_each(on, data, unless_last);
    }},
    {[](auto& on) {
      (void)pleat::reduce(on, numbered(on), 0U,
                          [](uint32_t a, uint32_t b) { return a + unless_last(b); });
    }},
    {[](auto& on) {
      auto data = numbered(on);
      pleat::inclusive_scan(on, data, data,
                            [](uint32_t a, uint32_t b) { return a + unless_last(b); });
    }},
    {[](auto& on) {
      (void)pleat::find_if(on, numbered(on), [](uint32_t x) { return unless_last(x) == n; });
    }},
    {[](auto& on) {
      auto data = numbered(on);
      try {
        pleat::partition(on, data, [](uint32_t x) { return unless_last(x) % 2 == 0; });
      } catch (...) {
        for (size_t j = 0; j < data.local().size(); ++j)
          EXPECT_EQ(data.local()[j], data.global_index(j)) << "changed";
        throw;
      }
    }},
    {[](auto& on) {
      (void)pleat::copy_if(on, numbered(on), [](uint32_t x) { return unless_last(x) % 2 == 0; });
    }},
    {[](auto& on) {
      auto data = numbered(on);
      (void)pleat::group_by(on, data, less_unless_last);
    }},
    {[](auto& on) {
      auto a = numbered(on), b = numbered(on);
      distributed<uint32_t> out(on, 2 * n);
      pleat::merge(on, a, b, out, less_unless_last);
    }},
    {[](auto& on) {
       distributed<size_t> data(on, n);
       data.fill(on, [](size_t i) { return i + 1 == n ? 2 : i % 2; });
       std::vector<int> counts(2);
       pleat::histogram(on, data, counts);
     },
     "there is no bin 2 of 2"},
    {[](auto& on) {
       distributed<int> a(on, 100), b(on, 100), out(on, 199);
       pleat::merge(on, a, b, out);
     },
     "make it as long"},
    {[](auto& on) {
       distributed<int> a(on, 100), b(on, 0);
       pleat::merge(on, b, a, a);
     },
     "one of the inputs"},
    {[](auto& on) { distributed<uint32_t>(on, n).fill(on, unless_last); }},
    {[](auto& on) {
      distributed_grid<uint32_t, 2> grid(on, {2, n / 2});
      grid.fill(on, [](size_t x, size_t y) { return unless_last(x * n / 2 + y); });
    }},
    {[](auto& on) {
      distributed_matrix<uint32_t> matrix(on, 2, n / 2);
      matrix.fill(on, [](size_t i, size_t j) { return unless_last(i * n / 2 + j); });
    }},
    {[](auto& on) {
       distributed_grid<int, 2>(on, {most / 4, most / 4});
     },
     "more cells than can be counted"},
    {[](auto& on) { distributed_matrix<double>(on, most, most); },
     "more elements than can be counted"},
    {[](auto& on) { distributed_matrix<double>(on, most / 4, 2); },
     "more elements than can be counted"},
    {[](auto& on) {
       spectra data(on, 10);
       pleat::fft(on, data, {.batch = 0});
     },
     "choose batch to divide the size"},
    {[](auto& on) {
       spectra data(on, 10);
       pleat::fft(on, data, {.batch = 7});
     },
     "choose batch to divide the size"},
    {[](auto& on) {
       spectra data(on, 10);
       pleat::fft2(on, data, 7);
     },
     "choose rows to divide the size"},
    {[](auto& on) {
       spectra data(on, 10);
       pleat::fft2(on, data, 0);
     },
     "choose rows to divide the size"},
    {[](auto& on) {
       reals real(on, 10);
       spectra spectrum(on, 5);
       pleat::rfft(on, real, spectrum);
     },
     "rfft: 1 transforms of 10 real numbers have 6 complex ones, not 5"},
    {[](auto& on) {
       reals real(on, 10);
       spectra spectrum(on, 12);
       pleat::irfft(on, spectrum, real, {.batch = 3});
     },
     "choose batch to divide the size"},
    {[](auto& on) {
       distributed<int> keys(on, 10), values(on, 11);
       pleat::sort_by_key(on, keys, values);
     },
     "sort_by_key: 11 values for 10 keys; give it as many"},
    {[](auto& on) {
       distributed_matrix<int> a(on, 4, 4), c(on, 4, 5);
       pleat::matmul(on, a, a, c);
     },
     "c must be 4 x 4, and is 4 x 5"},
    {[](auto& on) {
       distributed_matrix<int> a(on, 4, 4);
       pleat::matmul(on, a, a, a);
     },
     "give it memory of its own"},
};

/// Calls that one rank, the culprit, makes otherwise than the others.
struct difference {
  std::function<void(machine&, bool odd)> call;
  const char* words = "must make the same calls";
};
const difference differences[] = {
    {[](auto& on, bool odd) {
      const distributed<int> three(on, 3), four(on, 4);
      (void)pleat::reduce(on, odd ? three : four, 0);
    }},
    {[](auto& on, bool odd) {
       const distributed<int> three(on, 3);
       distributed<int> like(on, 3), longer(on, 4);
       pleat::transform(on, three, odd ? longer : like, [](int x) { return x; });
     },
     "an output of 4 elements for 3"},
    {[](auto& on, bool odd) {
       const distributed<int> three(on, 3);
       distributed<int> like(on, 3), longer(on, 4);
       pleat::exclusive_scan(on, three, odd ? longer : like, 0);
     },
     "an output of 4 elements for 3"},
    {[](auto& on, bool odd) {
       const distributed<int> three(on, 3);
       const distributed<bool> like(on, 3), longer(on, 4);
       (void)pleat::pack(on, three, odd ? longer : like);
     },
     "3 elements with 4 others"},
    {[](auto& on, bool odd) {
      distributed<int> a(on, 100), b(on, 100), c(on, 90), out(on, 300);
      pleat::merge(on, a, odd ? c : b, out);
    }},
    {[](auto& on, bool odd) { (void)pleat::top_k(on, distributed<int>(on, 10), odd ? 3U : 2U); }},
    {[](auto& on, bool odd) {
       (void)distributed<int>(on, 10).gather(on, {3, odd ? 10U : 9U});
     },
     "there is no element 10"},
    {[](auto& on, bool odd) { (void)distributed<int>(on, 10).gather(on, {odd ? 1U : 0U}); }},
    {[](auto& on, bool odd) {
       distributed<int> data(on, 10);
       pleat::rotate(on, data, odd ? 11 : 5);
     },
     "cannot be 11"},
    {[](auto& on, bool odd) {
      distributed<int> data(on, 10);
      pleat::rotate(on, data, odd ? 4 : 5);
    }},
    {[](auto& on, bool odd) {
      distributed<int> data(on, 10);
      pleat::random_shuffle(on, data, odd ? 1 : 2);
    }},
    {[](auto& on, bool odd) {
       machine alone({.processors = 1, .workers = pleat::workers::free});
       distributed<int> three(on, 3), mine(alone, 3);
       (void)pleat::reduce(on, odd ? mine : three, 0);
     },
     "block 0 of 1 on rank"},  // of a machine of one rank
    {[](auto& on, bool odd) {
       spectra data(on, 10);
       pleat::fft(on, data, {.batch = odd ? 5U : 2U});
     },
     "in 5 parts"},
    {[](auto& on, bool odd) { distributed<int>(on, odd ? 12 : 10); },
     "distributed of 12 elements of 4 bytes on rank %"},
    {[](auto& on, bool odd) {
      distributed_grid<int, 3>(on, {4, odd ? 3U : 2U, odd ? 5U : 6U});
    }},
    {[](auto& on, bool odd) {
      distributed_grid<int, 3>(on, {4, odd ? 6U : 2U, odd ? 2U : 6U});
    }},
    {[](auto& on, bool odd) {
      distributed_grid<int, 2>(on, {odd ? 3U : 4U, odd ? 4U : 3U});
    }},
    {[](auto& on, bool odd) {
       if (odd)
         distributed_grid<int, 1>(on, {12});
       else
         distributed_grid<int, 2>(on, {4, 3});
     },
     "sizes differ on ranks"},
    {[](auto& on, bool odd) { distributed_matrix<int>(on, odd ? 6 : 4, odd ? 4 : 6); },
     "distributed_matrix: sizes"},
    {[](auto& on, bool odd) {
       distributed<int> data(on, 10);
       if (odd)
         data.fill(on, [](size_t) { return 1; });
       else
         (void)data.gather(on);
     },
     "fill of 10 elements of 4 bytes on rank %"},
    {[](auto& on, bool odd) {
      reals real(on, 10);
      spectra spectrum(on, 6);
      pleat::rfft(on, real, spectrum,
                  {.norm = odd ? pleat::fft_norm::none : pleat::fft_norm::backward});
    }},
    {[](auto& on, bool odd) {
      distributed<int> ten(on, 10), twenty(on, 20);
      pleat::sort(on, odd ? ten : twenty);
    }},
    {[](auto& on, bool odd) {
      distributed<int> ints(on, 10);
      distributed<char> chars(on, 10);
      if (odd)
        pleat::sort(on, ints);
      else
        pleat::sort(on, chars);
    }},
    {[](auto& on, bool odd) {
      distributed<int> keys(on, 10);
      distributed<char> chars(on, 10);
      distributed<double> doubles(on, 10);
      if (odd)
        pleat::sort_by_key(on, keys, chars);
      else
        pleat::sort_by_key(on, keys, doubles);
    }},
    // Calls of all ranks, but not of one that is alone.
    {[](auto& on, bool) { distributed<std::string>(on, 4); }, "cannot be copied as bytes"},
    {[](auto& on, bool) {
       machine other({.processors = 1, .workers = pleat::workers::free});
       (void)distributed<int>(on, 4).gather(other);
     },
     "give it the machine"},
    {[](auto& on, bool) {
       machine other({.processors = 1, .workers = pleat::workers::free});
       (void)distributed_grid<int, 2>(on, {5, 4}).gather(other);
     },
     "give it the machine"},
    {[](auto& on, bool) {
       machine other({.processors = 1, .workers = pleat::workers::free});
       distributed_matrix<int>(on, 2, 2).fill(other, [](size_t, size_t) { return 1; });
     },
     "give it the machine"},
};

/// Serves the next call as if nothing had happened.
void expect_alive(const machine_of_ranks& machine) {
  on_ranks(machine,
           [](auto& on) { EXPECT_EQ(distributed<int>(on, 5).gather(on), std::vector<int>(5)); });
}

TEST(distributed_refusals, are_thrown_on_all_ranks_if_one_throws) {
  for (const auto& workers : {std::vector<unsigned>{1}, std::vector<unsigned>{1, 2, 1}}) {
    const machine_of_ranks machine(workers);
    for (const failure& one : failures) expect_words(machine, one.words, one.call);
    expect_alive(machine);
  }
}

TEST(distributed_refusals, are_thrown_on_all_ranks_if_one_makes_another_call) {
  const machine_of_ranks machine({1, 2, 1});
  for (const difference& one : differences) {
    for (size_t culprit = 0; culprit < 3; ++culprit) {
      std::string words = one.words;
      if (words.back() == '%') words.replace(words.size() - 1, 1, std::to_string(culprit));
      expect_words(machine, words, [&](auto& on) { one.call(on, on.rank() == culprit); });
    }
  }
  expect_alive(machine);
}

}  // namespace distributed_refusals_test
