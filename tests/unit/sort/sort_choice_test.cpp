// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/sort.hpp>

// The algorithm that a sort takes, as its document says.

namespace sort_choice_test {

using namespace pleat::detail::sorting;

struct small {
  std::uint32_t key;
  std::uint32_t others[3];
};

TEST(sort_choice, asks_the_sample_of_words_that_every_vp_has_many_of) {
  const auto sampled = [](sampled_words words) { return [words] { return words; }; };
  const auto never = []() -> sampled_words { throw 0; };
  const sort_item word{item_kind::word, 8};
  const std::size_t n = std::size_t{1} << 20;
  EXPECT_EQ(choose(word, n, 4, sampled({})), sort_method::columns);
  EXPECT_EQ(choose(word, n, 4, sampled({.by_digits = true})), sort_method::distribution);
  EXPECT_EQ(choose(word, n, 4, sampled({.even = true})), sort_method::columns);
  EXPECT_EQ(choose(word, n, 4, sampled({.even = true, .past_caches = true})),
            sort_method::distribution);
  EXPECT_EQ(choose(word, n, 65, never), sort_method::columns) << "less than 2^14 each";
  EXPECT_EQ(choose({item_kind::word, 2}, n, 4, never), sort_method::columns);
  EXPECT_EQ(choose({item_kind::record, 8}, n, 90, never), sort_method::distribution);
  EXPECT_EQ(choose({item_kind::record, 8}, n, 96, never), sort_method::columns)
      << "adding all counts would take too long";
  EXPECT_EQ(choose({item_kind::value, 8}, n, 1, never), sort_method::alone);
  EXPECT_EQ(choose({item_kind::value, 8}, n, n, never), sort_method::recursion);
  EXPECT_EQ(choose({item_kind::value, 8}, 64, 32, never), sort_method::network);
  EXPECT_EQ(choose({item_kind::value, 8}, 63, 32, never), sort_method::columns);
}

TEST(sort_choice, is_what_the_report_names) {
  pleat::machine machine({.processors = 2});
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> keys(1 << 10);
  const auto named = [&](std::size_t vps, auto less) {
    std::ranges::generate(keys, std::ref(random));
    return std::string(pleat::sort(machine, keys, less, {.vps = vps}).algorithm);
  };
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a < b; };
  EXPECT_EQ(named(1, std::less<>()), "sequential sort of words");
  EXPECT_EQ(named(3, std::less<>()), "Columnsort of words");
  EXPECT_EQ(named(32, less), "Columnsort of values");
  EXPECT_EQ(named(64, less), "recursive Columnsort of values");
  EXPECT_EQ(named(1 << 10, std::less<>()), "recursive Columnsort of words");
  keys.resize(256);
  EXPECT_EQ(named(32, less), "bitonic network of values");
  EXPECT_EQ(pleat::sort(machine, keys).algorithm, "sequential sort of words");
  EXPECT_EQ(pleat::stable_sort(machine, keys, {}, {.vps = 3}).algorithm, "words in order");
  // Records that crowd where the sample does not look: at those that the projection shows first.
  std::vector<small> records(1 << 13);
  for (small& r : records) r.key = static_cast<std::uint32_t>(random());
  std::vector<const small*> sampled;
  sampled.reserve(256);
  static_cast<void>(pleat::sort(machine, records, {},
                                [&sampled](const small& r) {
                                  if (sampled.size() < sampled.capacity()) sampled.push_back(&r);
                                  return r.key;
                                },
                                {.vps = 3}));
  for (small& r : records) r.key = static_cast<std::uint32_t>(random() % 4096);
  for (const small* const r : sampled)
    records[static_cast<std::size_t>(r - records.data())].key =
        static_cast<std::uint32_t>(random());
  EXPECT_EQ(pleat::sort(machine, records, {}, &small::key, {.vps = 3}).algorithm,
            "Columnsort of indices");
  for (small& r : records) r.key = static_cast<std::uint32_t>(random());
  EXPECT_EQ(pleat::sort(machine, records, {}, &small::key, {.vps = 3}).algorithm,
            "distribution of records");
  EXPECT_EQ(pleat::sort(machine, records, {}, &small::key, {.vps = 3}).algorithm,
            "records in order");
}

}  // namespace sort_choice_test
