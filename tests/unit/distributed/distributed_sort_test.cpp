// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/error.hpp>

#include "on_ranks.hpp"

namespace distributed_sort_test {

/// Element i of n, of each kind of data; the same on all ranks.
struct kind {
  const char* name;
  std::uint64_t (*value)(std::size_t i, std::size_t n);
};
std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
const kind kinds[] = {
    {"random", [](std::size_t i, std::size_t) { return scrambled(i + 1); }},
    {"equal", [](std::size_t, std::size_t) { return std::uint64_t{42}; }},
    {"sorted", [](std::size_t i, std::size_t) { return std::uint64_t{i}; }},
    {"reverse", [](std::size_t i, std::size_t n) { return std::uint64_t{n - i}; }},
    {"few", [](std::size_t i, std::size_t) { return scrambled(i) % 3; }},
    {"one_less", [](std::size_t i, std::size_t n) { return std::uint64_t{i + 1 == n ? 0u : 1u}; }},
};
const std::size_t sizes[] = {0, 1, 16, 17, 5003};

/// Sorts on ranks and compares each block with the oracle's.
template <class T, class Make, class Sort, class Less>
void expect_sorted(const machine_of_ranks& machine, std::size_t n, const Make& make,
                   const Sort& sort, const Less& less) {
  std::vector<T> expected;
  for (std::size_t i = 0; i < n; ++i) expected.push_back(make(i));
  std::stable_sort(expected.begin(), expected.end(), less);
  on_ranks(machine, [&](pleat::machine& on) {
    pleat::distributed<T> data(on, n);
    data.fill(on, make);
    sort(on, data);
    ASSERT_EQ(data.local().size(), data.block().size());
    for (std::size_t j = 0; j < data.local().size(); ++j)
      ASSERT_TRUE(data.local()[j] == expected[data.global_index(j)])
          << "element " << data.global_index(j);
  });
}

// Numbers of all types: distributed_numbers_test.
TEST(distributed_sort, gives_exact_blocks_whatever_the_data_are) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const kind& data : kinds) {
      for (const std::size_t n : sizes) {
        SCOPED_TRACE(std::string(data.name) + " " + std::to_string(n) + " on " +
                     std::to_string(workers.size()));
        expect_sorted<std::uint64_t>(
            machine, n, [&](std::size_t i) { return data.value(i, n); },
            [](pleat::machine& on, auto& all) { pleat::sort(on, all); }, std::less<>());
      }
    }
  }
}

struct record {
  std::uint32_t key;
  std::uint32_t index;
  friend bool operator==(const record&, const record&) = default;
};
struct large {
  std::array<std::uint64_t, 12> words;
  std::uint64_t index;
  friend bool operator==(const large&, const large&) = default;
};
struct odd {
  char key;
  char bytes[6];
  friend bool operator==(const odd& a, const odd& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
};

TEST(distributed_sort, is_stable) {
  for (const std::vector<unsigned>& workers :
       {std::vector<unsigned>{3}, std::vector<unsigned>{1, 3, 2}, std::vector<unsigned>(7, 1)}) {
    const machine_of_ranks machine(workers);
    for (const kind& data : kinds) {
      for (const std::size_t n : {std::size_t{17}, std::size_t{2003}}) {
        SCOPED_TRACE(std::string(data.name) + " " + std::to_string(n) + " on " +
                     std::to_string(workers.size()));
        const auto key = [&](std::size_t i) { return data.value(i, n) % 50; };
        expect_sorted<large>(
            machine, n,
            [&](std::size_t i) {
              return large{{key(i)}, i};
            },
            [](pleat::machine& on, auto& all) {
              pleat::sort(on, all, {}, [](const large& one) { return one.words[0]; });
            },
            [](const large& a, const large& b) { return a.words[0] < b.words[0]; });
        expect_sorted<odd>(
            machine, n,
            [&](std::size_t i) {
              odd one{static_cast<char>(key(i)), {}};
              std::memcpy(one.bytes, &i, sizeof one.bytes);
              return one;
            },
            [](pleat::machine& on, auto& all) {
              pleat::sort(on, all, [](const odd& a, const odd& b) { return a.key < b.key; });
            },
            [](const odd& a, const odd& b) { return a.key < b.key; });
      }
    }
  }
}

TEST(distributed_sort, throws_what_a_comparator_throws_on_all_ranks_and_keeps_the_elements) {
  const std::size_t n = 3001;
  for (const std::vector<unsigned>& workers :
       {std::vector<unsigned>{1, 1, 1}, std::vector<unsigned>{2, 1, 3}}) {
    const machine_of_ranks machine(workers);
    for (std::size_t culprit = 0; culprit < 3; ++culprit) {
      // In the sort of its block, and, when all have theirs, in a search or a merge.
      for (const bool early : {true, false}) {
        std::vector<std::string> words(3);
        on_ranks(machine, [&](pleat::machine& on) {
          pleat::distributed<record> data(on, n);
          data.fill(on, [](std::size_t i) {
            return record{static_cast<std::uint32_t>(scrambled(i) % 1000),
                          static_cast<std::uint32_t>(i)};
          });
          const std::size_t rank = on.rank();
          const auto block = data.block();
          const auto ours = [&](const record& a) { return block.contains(a.index); };
          try {
            pleat::sort(on, data, [&](const record& a, const record& b) {
              if (rank == culprit) {
                if (early || !ours(a) || !ours(b)) throw std::runtime_error("cannot compare");
              }
              return a.key < b.key;
            });
          } catch (const std::exception& e) {
            words[rank] = e.what();
          }
          std::vector<char> seen(block.size(), 0);
          for (const record& one : data.local()) {
            ASSERT_TRUE(ours(one));
            ++seen[one.index - block.first];
          }
          EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(block.size()));
        });
        for (std::size_t rank = 0; rank < 3; ++rank)
          EXPECT_NE(words[rank].find("cannot compare"), std::string::npos)
              << words[rank] << " on " << rank << " of " << culprit << early;
      }
    }
  }
}

TEST(distributed_sort, restores_numbers_that_it_has_made_words_of) {
  const machine_of_ranks machine({1, 1});
  std::vector<std::string> words(2);
  on_ranks(machine, [&](pleat::machine& on) {
    pleat::distributed<double> data(on, 1000);
    data.fill(on, [](std::size_t i) { return static_cast<double>(i) - 500; });
    try {
      if (on.rank() == 0)
        pleat::sort(on, data);
      else
        pleat::stable_sort(on, data);
    } catch (const pleat::usage_error& e) {
      words[on.rank()] = e.what();
    }
    for (std::size_t j = 0; j < data.local().size(); ++j)
      ASSERT_EQ(data.local()[j], static_cast<double>(data.global_index(j)) - 500);
  });
  for (const std::string& each : words)
    EXPECT_NE(each.find("must make the same calls"), std::string::npos) << each;
}

TEST(distributed_sort, keeps_the_elements_by_an_order_that_contradicts_itself) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (unsigned seed = 0; seed < 4; ++seed) {
      const std::size_t n = 2003;
      std::vector<std::uint32_t> seen;
      std::mutex mutex;
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<std::uint32_t> data(on, n);
        data.fill(on, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
        pleat::sort(on, data, [&](std::uint32_t a, std::uint32_t b) {
          return scrambled(a * std::uint64_t{100'003} + b + seed) % 2 == 0;
        });
        const std::scoped_lock lock(mutex);
        seen.insert(seen.end(), data.local().begin(), data.local().end());
      });
      std::ranges::sort(seen);
      ASSERT_EQ(seen.size(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], i);
    }
  }
}

}  // namespace distributed_sort_test
