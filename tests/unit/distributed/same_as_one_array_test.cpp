// SPDX-License-Identifier: Apache-2.0
// Every function of pleat::distributed beside the same function of one array: results are the same
// bit for bit on any ranks. Each call is written once, for both. Transforms have their own tests,
// and so have grids and matrices.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/bitonic.hpp>
#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/exact_sum.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/transform.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>
#include <pleat/oblivious/unique.hpp>
#include <pleat/runtime/interval.hpp>

#include "on_ranks.hpp"
#include "record_cases.hpp"

namespace same_as_one_array_test {

using pleat::distributed, pleat::machine;
using std::size_t, std::vector;

// Functions that are called differently for arrays and for distributed data.
template <class U, class T, class F>
vector<U> filled(machine&, const vector<T>&, size_t n, const F& f) {
  vector<U> all;
  for (size_t i = 0; i < n; ++i) all.push_back(f(i));
  return all;
}
template <class U, class T, class F>
distributed<U> filled(machine& on, const distributed<T>&, size_t n, const F& f) {
  distributed<U> all(on, n);
  all.fill(on, f);
  return all;
}
template <class T, class At> size_t index(const vector<T>& x, const At& at) {
  if constexpr (std::ranges::range<At>)
    return static_cast<size_t>(at.begin() - x.begin());
  else
    return static_cast<size_t>(at - x.begin());
}
template <class T> size_t index(const distributed<T>&, size_t at) { return at; }

template <class T, class... Is> vector<T> copied(machine& on, const vector<T>& x, const Is&... is) {
  vector<T> out(x.size());
  out.erase(pleat::copy_if(on, x, out, is...), out.end());
  return out;
}
template <class T, class... Is>
distributed<T> copied(machine& on, const distributed<T>& x, const Is&... is) {
  return pleat::copy_if(on, x, is...);
}
template <class T, class Flags> vector<T> packed(machine& on, const vector<T>& x, const Flags& f) {
  vector<T> out(x.size());
  out.erase(pleat::pack(on, x, f, out), out.end());
  return out;
}
template <class T, class Flags>
distributed<T> packed(machine& on, const distributed<T>& x, const Flags& f) {
  return pleat::pack(on, x, f);
}
template <class T, class... Same> vector<T> different(machine& on, vector<T> x, const Same&... s) {
  x.erase(pleat::unique(on, x, s...).begin(), x.end());
  return x;
}
template <class T, class... Same>
distributed<T> different(machine& on, const distributed<T>& x, const Same&... same) {
  return pleat::unique(on, x, same...);
}
template <class T> vector<T> chosen(machine&, const vector<T>& x, const vector<size_t>& indices) {
  vector<T> all;
  for (const size_t i : indices) all.push_back(x[i]);
  return all;
}
template <class T>
vector<T> chosen(machine& on, const distributed<T>& x, const vector<size_t>& indices) {
  return x.gather(on, indices);
}

/// Bytes of results: written by one array, and compared by ranks, which look at their blocks alone.
class results {
 public:
  results() = default;
  explicit results(const std::string& expected) : bytes_(expected), compares_(true) {}

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] bool same() const { return same_ && at_ == bytes_.size(); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void add(const T& value) { add(&value, 1, {0, 1}); }
  void add(const record& value) { add(&value, 1, {0, 1}); }
  template <class T> void add(const vector<T>& all) {
    add(all.size());
    add(all.data(), all.size(), {0, all.size()});
  }
  template <class T> void add(const distributed<T>& all) {
    add(all.size());
    add(all.local().data(), all.size(), all.block());
    same_ = same_ && all.local().size() == all.block().size();
  }

 private:
  /// Adds the values in `part` of n.
  template <class T> void add(const T* values, size_t n, const pleat::interval<>& part) {
    const std::string_view ours(reinterpret_cast<const char*>(values), part.size() * sizeof(T));
    if (!compares_)
      bytes_ += ours;
    else
      same_ = same_ && at_ + n * sizeof(T) <= bytes_.size() &&
              bytes_.compare(at_ + part.first * sizeof(T), ours.size(), ours) == 0;
    at_ += n * sizeof(T);
  }

  std::string bytes_;
  bool compares_ = false;
  bool same_ = true;
  size_t at_ = 0;
};

/// A call, and what it makes of these elements: results, and what has become of the elements.
template <class T> struct call {
  template <class F>
  call(const char* of, const F& f)
      : name(of),
        of_array([f](machine& on, vector<T> x) {
          results all;
          carry_out(f, on, x, all);
          return all.bytes();
        }),
        over_ranks([f](machine& on, const vector<T>& before, const std::string& expected) {
          results all(expected);
          distributed<T> x = distributed_of(on, before);
          carry_out(f, on, x, all);
          return all.same();
        }) {}

  const char* name;
  std::function<std::string(machine&, const vector<T>&)> of_array;
  std::function<bool(machine&, const vector<T>&, const std::string& expected)> over_ranks;

 private:
  template <class F, class Data>
  static void carry_out(const F& f, machine& on, Data& x, results& all) {
    if constexpr (std::is_invocable_v<const F&, machine&, Data&, results&>)
      f(on, x, all);
    else if constexpr (std::is_void_v<decltype(f(on, x))>)
      f(on, x);
    else
      all.add(f(on, x));
    all.add(x);
  }
};

template <class T> void expect_same(const vector<call<T>>& calls, const vector<vector<T>>& inputs) {
  machine one({.processors = 1, .workers = pleat::workers::free});
  vector<vector<std::string>> expected(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    for (const call<T>& each : calls) expected[i].push_back(each.of_array(one, inputs[i]));
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers, {.strict = true});
    on_ranks(machine, [&](pleat::machine& on) {
      for (size_t i = 0; i < inputs.size(); ++i)
        for (size_t c = 0; c < calls.size(); ++c)
          EXPECT_TRUE(calls[c].over_ranks(on, inputs[i], expected[i][c]))
              << calls[c].name << " of " << inputs[i].size() << " on " << workers.size();
    });
  }
}

/// x → first·x + second, modulo 2^32: composition does not commute.
const auto compose = [](const record& a, const record& b) {
  return record(a.first * b.first, a.first * b.second + a.second);
};
const auto key = &record::first;
const auto place = &record::second;  // before the call
const auto nothing = [](size_t) { return record(); };

const vector<call<record>> calls_of_records = {
    {"sort", [](auto& on, auto& x) { pleat::sort(on, x, std::greater<>()); }},
    {"stable_sort", [](auto& on, auto& x) { pleat::stable_sort(on, x, {}, key); }},
    {"sort_by_key",
     [](auto& on, auto& x) {
       const auto key_of = [](size_t i) { return static_cast<float>(scrambled_key(i) % 90); };
       auto keys = filled<float>(on, x, x.size(), key_of);
       pleat::sort_by_key(on, keys, x, std::greater<>());
       return keys;
     }},
    {"argsort", [](auto& on, auto& x) { return pleat::argsort(on, x, {}, key); }},
    {"argsort, falling", [](auto& on, auto& x) { return pleat::argsort(on, x, std::greater<>()); }},
    {"group_by", [](auto& on, auto& x) { return pleat::group_by(on, x, {}, key); }},
    {"merge",
     [](auto& on, auto& x) {
       pleat::stable_sort(on, x, {}, key);
       const auto more = [](size_t i) { return record(i / 5, i + 1'000'000); };
       const auto y = filled<record>(on, x, x.size() / 3 + 2, more);
       auto out = filled<record>(on, x, x.size() + y.size() + 7, nothing);
       pleat::merge(on, x, y, out, {}, key);
       return out;
     }},
    {"nth_element", [](auto& on, auto& x) { pleat::nth_element(on, x, x.size() / 3, {}, key); }},
    {"nth_element, the last",
     [](auto& on, auto& x) { pleat::nth_element(on, x, x.size() - (x.size() > 0), {}, key); }},
    {"nth_element, behind all", [](auto& on, auto& x) { pleat::nth_element(on, x, x.size()); }},
    {"top_k", [](auto& on, auto& x) { return chosen(on, x, pleat::top_k(on, x, 5, {}, key)); }},
    {"top_k of more", [](auto& on, auto& x) { return pleat::top_k(on, x, 1100); }},
    {"reverse", [](auto& on, auto& x) { pleat::reverse(on, x); }},
    {"rotate",
     [](auto& on, auto& x) {
       for (const size_t middle : {size_t{0}, x.size() / 5, x.size() - x.size() / 2, x.size()})
         pleat::rotate(on, x, middle);
     }},
    {"random_shuffle", [](auto& on, auto& x) { pleat::random_shuffle(on, x, 42); }},
    {"copy_if, pack, partition",  // none, all, some, those of the first ranks, those of the last
     [](auto& on, auto& x, auto& all) {
       const size_t n = x.size();
       for (size_t way = 0; way < 5; ++way) {
         const auto is = [=](size_t i) {
           return way == 1 || (way == 2 && i % 3 == 1) || (way == 3 && i < n / 4) ||
                  (way == 4 && i > n / 2);
         };
         all.add(copied(on, x, is, place));
         all.add(packed(on, x, filled<char>(on, x, n, is)));
         all.add(index(x, pleat::partition(on, x, is, place)));
         all.add(x);
       }
     }},
    {"unique",
     [](auto& on, auto& x) {
       pleat::stable_sort(on, x);
       return different(on, x, std::equal_to<>(), key);
     }},
    {"unique in pairs",
     [](auto& on, auto& x) {
       return different(on, x, std::equal_to<>(), [](record a) { return a.second / 2; });
     }},
    {"histogram",
     [](auto& on, auto& x) {
       vector<std::uint32_t> counts(101, 77);
       pleat::histogram(on, x, counts, [](const record& one) { return one.first % 101; });
       return counts;
     }},
    {"find_if",
     [](auto& on, auto& x) {
       vector<size_t> found;
       for (const size_t from : {size_t{0}, x.size() / 2, x.size()}) {
         found.push_back(index(x, pleat::find_if(
                                      on, x, [=](auto i) { return i >= from; }, place)));
         found.push_back(index(x, pleat::find_if(
                                      on, x, [=](auto i) { return i == from; }, place)));
       }
       return found;
     }},
    {"min_element", [](auto& on, auto& x) { return index(x, pleat::min_element(on, x, {}, key)); }},
    {"max_element",
     [](auto& on, auto& x) { return index(x, pleat::max_element(on, x, std::greater<>(), key)); }},
    {"equal",
     [](auto& on, auto& x) {
       const size_t n = x.size();
       vector<char> found;
       const auto same = [](const record& a, double b) { return a.second == b; };
       for (const size_t other : {size_t{0}, n / 3, n - 1, n}) {
         const auto number = [=](size_t i) { return i == other ? -1 : static_cast<double>(i); };
         found.push_back(pleat::equal(on, x, filled<double>(on, x, n, number), same));
         found.push_back(pleat::equal(on, x, filled<double>(on, x, n + 1, number), same));
       }
       return found;
     }},
    {"reduce", [](auto& on, auto& x) { return pleat::reduce(on, x, record(1, 0), compose); }},
    {"inclusive_scan", [](auto& on, auto& x) { pleat::inclusive_scan(on, x, x, compose); }},
    {"exclusive_scan",
     [](auto& on, auto& x) {
       auto out = filled<record>(on, x, x.size(), nothing);
       pleat::exclusive_scan(on, x, out, record(3, 5), compose);
       return out;
     }},
};

// The last size is more than nth_element selects from at once, and several buckets of a shuffle.
TEST(same_as_one_array, are_functions_of_records) {
  vector<vector<record>> inputs;
  for (const size_t n : {0, 1, 2, 3}) inputs.push_back(scrambled_records(n, 2));
  for (const size_t n : {17, 1009})
    for (const std::uint32_t distinct : {1u, 7u, 1u << 20U})
      inputs.push_back(scrambled_records(n, distinct));
  inputs.push_back(scrambled_records(70'021, 1000));
  expect_same(calls_of_records, inputs);
}

const auto less_precise = [](double a, double b) { return a + 0.5 * b; };
const auto square = [](double x) { return x * x; };
const auto zero = [](size_t) { return 0.0F; };

// The association of sums is part of their results.
const vector<call<double>> calls_of_numbers = {
    {"sort", [](auto& on, auto& x) { pleat::sort(on, x); }},
    {"sort, falling", [](auto& on, auto& x) { pleat::sort(on, x, std::greater<>()); }},
    {"merge of one behind the other",
     [](auto& on, auto& x) {
       pleat::sort(on, x);
       const auto more = [](size_t i) { return 2 + static_cast<double>(i); };
       const auto y = filled<double>(on, x, x.size() / 2 + 1, more);
       auto out = filled<double>(on, x, x.size() + y.size(), more);
       pleat::merge(on, y, x, out);
       pleat::merge(on, x, y, out);
       return out;
     }},
    {"for_each", [](auto& on, auto& x) { pleat::for_each(on, x, [](double& e) { e += 5; }); }},
    {"transform",
     [](auto& on, auto& x) {
       auto out = filled<float>(on, x, x.size(), zero);
       pleat::transform(on, x, out, [](double e) { return static_cast<float>(e) / 3; });
       pleat::transform(on, x, x, square);
       return out;
     }},
    {"reduce", [](auto& on, auto& x) { return pleat::reduce(on, x, 0.25); }},
    {"reduce exactly",
     [](auto& on, auto& x) { return pleat::reduce(on, x, pleat::exact_sum()).value(); }},
    {"reduce in floats",
     [](auto& on, auto& x) {
       return pleat::transform_reduce(on, x, 0.0F, std::plus<>(),
                                      [](double e) { return static_cast<float>(e); });
     }},
    {"reduce by another operation",
     [](auto& on, auto& x) { return pleat::reduce(on, x, 0.0, less_precise); }},
    {"transform_reduce",
     [](auto& on, auto& x) { return pleat::transform_reduce(on, x, 0.5, std::plus<>(), square); }},
    {"transform_reduce of two",
     [](auto& on, auto& x) {
       const auto weight = [](size_t i) { return 1 / (3 + static_cast<float>(i % 101)); };
       return pleat::transform_reduce(on, x, filled<float>(on, x, x.size(), weight), 0.0);
     }},
    {"inclusive_scan", [](auto& on, auto& x) { pleat::inclusive_scan(on, x, x); }},
    {"inclusive_scan by another operation",
     [](auto& on, auto& x) { pleat::inclusive_scan(on, x, x, less_precise); }},
    {"exclusive_scan",
     [](auto& on, auto& x) {
       auto out = filled<double>(on, x, x.size(), zero);
       pleat::exclusive_scan(on, x, out, 0.25);
       return out;
     }},
    {"exclusive_scan of bytes",
     [](auto& on, auto& x) {
       const auto byte = [](size_t i) { return static_cast<std::uint8_t>(i * 101); };
       auto out = filled<std::uint64_t>(on, x, x.size(), byte);
       pleat::exclusive_scan(on, filled<std::uint8_t>(on, x, x.size(), byte), out,
                             std::uint64_t{0});
       return out;
     }},
};

TEST(same_as_one_array, are_functions_of_numbers) {
  vector<vector<double>> inputs;
  for (const size_t n : {0, 1, 3, 5, 4099, 300'007}) {
    inputs.emplace_back(n);
    for (size_t i = 0; i < n; ++i)
      inputs.back()[i] = 1 / (1 + static_cast<double>(i * 7919 % 10'007));
  }
  expect_same(calls_of_numbers, inputs);
}

// An array of them has no addresses of its elements.
TEST(same_as_one_array, are_functions_of_bools) {
  const size_t n = 101;
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    on_ranks(machine, [](pleat::machine& on) {
      distributed<bool> bits(on, n);
      bits.fill(on, [](size_t i) { return i >= n / 2; });
      EXPECT_EQ(pleat::find_if(on, bits, std::identity()), n / 2);
      EXPECT_EQ(pleat::unique(on, bits).gather(on), vector<bool>({false, true}));
      pleat::rotate(on, bits, n / 2);
      pleat::inclusive_scan(on, bits, bits, std::not_equal_to<>());
      const vector<bool> all = bits.gather(on);
      for (size_t i = 0; i < n; ++i)
        EXPECT_EQ(all[i], i <= n / 2 ? i % 2 == 0 : n / 2 % 2 == 0) << i;
    });
  }
}

// Programs with one value a VP, against plain loops.
TEST(same_as_one_array, are_steps_of_programs) {
  for (const auto& workers : few_ranks()) {
    machine_of_ranks machine(workers, {.strict = true});
    for (const size_t v : {1, 2, 3, 16, 61, 64}) {
      const vector<record> before = scrambled_records(v, 50);
      vector<record> sums(v), told(v), keys = before, expected_sums(v), sorted = before;
      std::inclusive_scan(before.begin(), before.end(), expected_sums.begin(), compose);
      if (std::has_single_bit(v)) std::ranges::sort(sorted);
      const pleat::tree_broadcast_options options{.root = v / 3, .degree = 4};
      const auto all = machine.run(v, [&](pleat::vp& me) -> pleat::task<> {
        record sum = before[me.rank()], value = sum, sort_key = sum;
        co_await pleat::prefix(me, sum, compose);
        sums[me.rank()] = sum;
        co_await pleat::tree_broadcast(me, value, options);
        told[me.rank()] = value;
        if (std::has_single_bit(v)) co_await pleat::bitonic_sort(me, sort_key);
        keys[me.rank()] = sort_key;
      });
      EXPECT_EQ(words_of(all), "");
      EXPECT_EQ(sums, expected_sums);
      EXPECT_EQ(told, vector<record>(v, before[v / 3]));
      EXPECT_EQ(keys, sorted);
    }
  }
}

}  // namespace same_as_one_array_test
