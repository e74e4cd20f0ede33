// SPDX-License-Identifier: Apache-2.0
// What a message carries, when it can be received, in which order, and for how long.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>

#include "all_sizes.hpp"

namespace {

using pleat::strided_view;
using pleat::task;
using pleat::vp;

constexpr std::size_t sizes[] = {1, 2, 3, 5, 8, 13, 16, 33, 70};

class messages : public model::all_sizes {
 protected:
  template <class Check> void for_all_sizes(Check check) { all_sizes::for_all_sizes(sizes, check); }
};

template <std::size_t bytes> struct blob {
  std::array<unsigned char, bytes> content;
  static blob of(std::size_t seed) {
    blob b;
    for (std::size_t i = 0; i < bytes; ++i)
      b.content[i] = static_cast<unsigned char>(seed * 31 + i * 7 + 1);
    return b;
  }
  friend bool operator==(const blob&, const blob&) = default;
};

struct alignas(64) overaligned {
  std::uint64_t x;
};
struct alignas(16) pair_of_words {
  std::uint64_t a, b;
};

// Whatever holds elements in one piece, it is the elements that arrive.
TEST_P(messages, carry_the_elements_of_any_contiguous_range) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = (me.rank() + 1) % me.size();
      std::array<int, 4> array{10, 20, 30, 40};
      const std::array<int, 4> fixed = array;
      std::vector<int> vector(array.begin(), array.end());
      const std::vector<int> constant = vector;
      int plain[] = {10, 20, 30, 40};
      const int numbers[] = {10, 20, 30, 40};
      const std::span<int> dynamic = vector;
      me.send(to, std::span(array));
      me.send(to, std::span(fixed));
      me.send(to, array);
      me.send(to, vector);
      me.send(to, constant);
      me.send(to, std::vector<int>{10, 20, 30, 40});
      me.send(to, plain);
      me.send(to, numbers);
      me.send(to, dynamic);
      me.send(to, dynamic.first<4>());
      me.send(to, std::as_const(dynamic));
      me.send(to, std::string_view("text"));
      me.send(to, std::string("text"));
      me.send(to, std::span<int, 0>());
      me.lend(to, std::span(array));
      me.lend(to, std::span(fixed));
      me.lend(to, vector);
      me.lend(to, constant);
      me.lend(to, plain);
      co_await me.sync(0);
      for (int i = 0; i < 11; ++i) {
        const auto m = me.receive();
        expect(m && m->bytes() == sizeof fixed && std::ranges::equal(m->span<int>(), fixed));
      }
      for (int i = 0; i < 2; ++i) {
        const auto m = me.receive();
        expect(m && std::ranges::equal(m->span<char>(), std::string_view("text")));
      }
      const auto none = me.receive();
      expect(none && none->bytes() == 0);
      for (int i = 0; i < 5; ++i) {
        const auto m = me.receive();
        expect(m && m->lent() && std::ranges::equal(m->view<const int>().row(0), fixed));
      }
      expect(!me.receive());
      co_await me.sync(0);
    });
  });
}

static_assert(pleat::refers_to_memory<int*> && pleat::refers_to_memory<const char* const&> &&
              pleat::refers_to_memory<std::nullptr_t> &&
              pleat::refers_to_memory<std::string_view> &&
              pleat::refers_to_memory<std::span<int, 3>> &&
              pleat::refers_to_memory<std::span<const int>> &&
              pleat::refers_to_memory<std::vector<int>::iterator> &&
              pleat::refers_to_memory<strided_view<const double>> &&
              pleat::refers_to_memory<std::reference_wrapper<int>> &&
              pleat::refers_to_memory<std::pair<int, int*>> &&
              pleat::refers_to_memory<std::tuple<std::span<int>, int>> &&
              pleat::refers_to_memory<std::array<int*, 2>>);
static_assert(!pleat::refers_to_memory<int> && !pleat::refers_to_memory<std::array<int, 3>> &&
              !pleat::refers_to_memory<std::pair<int, double>> &&
              !pleat::refers_to_memory<std::optional<int>> &&
              !pleat::refers_to_memory<std::size_t> && !pleat::refers_to_memory<pair_of_words> &&
              !pleat::refers_to_memory<std::byte>);

TEST_P(messages, carry_one_value_of_any_size) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    const auto one_size = [&]<std::size_t bytes>(vp& me, const blob<bytes>&) -> task<> {
      const std::size_t to = (me.rank() + 1) % me.size();
      const std::size_t from = (me.rank() + me.size() - 1) % me.size();
      for (std::size_t i = 0; i < 3; ++i) me.send(to, blob<bytes>::of(me.rank() + i));
      co_await me.sync(0);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto m = me.receive();
        expect(m && m->source() == from && m->bytes() == bytes && !m->lent());
        expect(m && m->template get<blob<bytes>>() == blob<bytes>::of(from + i));
      }
      expect(!me.receive());
      co_await me.sync(0);
    };
    machine.run(v, [&](vp& me) -> task<> {
      co_await one_size(me, blob<1>());
      co_await one_size(me, blob<7>());
      co_await one_size(me, blob<8>());
      co_await one_size(me, blob<40>());
      co_await one_size(me, blob<48>());
      co_await one_size(me, blob<49>());
      co_await one_size(me, blob<64>());
      co_await one_size(me, blob<1000>());
    });
  });
}

TEST_P(messages, carry_spans_as_one_message_each) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = (me.rank() + me.size() / 2) % me.size();
      const std::size_t from = (me.rank() + me.size() - me.size() / 2) % me.size();
      const std::size_t counts[] = {0, 1, 2, 6, 7, 100, 5000};
      for (const std::size_t n : counts) {
        std::vector<std::uint64_t> values(n);
        std::iota(values.begin(), values.end(), me.rank());
        me.send(to, std::span<const std::uint64_t>(values));
        for (std::uint64_t& x : values) x = 0;  // a copy was sent
      }
      co_await me.sync(0);
      for (const std::size_t n : counts) {
        const auto m = me.receive();
        expect(m.has_value());
        if (!m) co_return;
        const auto values = m->span<std::uint64_t>();
        expect(m->source() == from && values.size() == n);
        for (std::size_t i = 0; i < values.size(); ++i) expect(values[i] == from + i);
      }
      expect(!me.receive());
    });
  });
}

TEST_P(messages, may_be_empty) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = me.size() - 1 - me.rank();
      me.send(to, std::span<const int>());
      me.send(to, std::span<const overaligned>());
      me.lend(to, std::span<int>());
      me.lend(to, strided_view<const int>());
      co_await me.sync(0);
      const auto a = me.receive();
      const auto b = me.receive();
      const auto c = me.receive();
      const auto d = me.receive();
      expect(a && a->bytes() == 0 && a->span<int>().empty());
      expect(b && b->span<overaligned>().empty());
      expect(c && c->lent() && c->view<int>().empty());
      expect(d && d->bytes() == 0 && d->view<const int>().empty());
      expect(!me.receive());
      co_await me.sync(0);
    });
  });
}

TEST_P(messages, keep_the_alignment_of_their_type) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = (me.rank() + 1) % me.size();
      const overaligned many[3] = {{1}, {2}, {3}};
      me.send(to, 'c');  // puts what follows at an odd place
      me.send(to, overaligned{me.rank()});
      me.send(to, std::span<const overaligned>(many));
      me.send(to, 'c');
      const pair_of_words two{me.rank(), 7};
      me.send(to, std::span<const pair_of_words>(&two, 1));
      const double three[3] = {1, 2, 3};
      me.send(to, 'c');
      me.send(to, std::span<const double>(three));
      co_await me.sync(0);
      const auto aligned = [](const auto& values) {
        return reinterpret_cast<std::uintptr_t>(values.data()) % alignof(decltype(values[0])) == 0;
      };
      const std::size_t from = (me.rank() + me.size() - 1) % me.size();
      expect(me.receive()->get<char>() == 'c');
      expect(me.receive()->get<overaligned>().x == from);
      const auto spans = me.receive()->span<overaligned>();
      expect(spans.size() == 3 && aligned(spans) && spans[2].x == 3);
      expect(me.receive()->get<char>() == 'c');
      const auto words = me.receive()->span<pair_of_words>();
      expect(words.size() == 1 && aligned(words) && words[0].a == from && words[0].b == 7);
      expect(me.receive()->get<char>() == 'c');
      const auto doubles = me.receive()->span<double>();
      expect(doubles.size() == 3 && aligned(doubles) && doubles[1] == 2);
      co_await me.sync(0);
    });
  });
}

TEST_P(messages, come_by_senders_rank_then_in_the_order_they_were_sent) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 4; ++i) {
          for (std::size_t to = 0; to < me.size(); ++to) {
            // Different kinds, so that they travel by different ways.
            const std::uint64_t value = me.rank() * 100 + i;
            const std::vector<std::uint64_t> large(i == 2 ? 50 : 1, value);
            if (i == 1)
              me.send(to, value);
            else
              me.send(to, std::span<const std::uint64_t>(large));
          }
        }
        co_await me.sync(0);
        for (std::size_t from = 0; from < me.size(); ++from) {
          for (std::size_t i = 0; i < 4; ++i) {
            const auto m = me.receive();
            expect(m && m->source() == from && m->span<std::uint64_t>()[0] == from * 100 + i);
          }
        }
        expect(!me.receive());
      }
    });
  });
}

TEST_P(messages, to_oneself_arrive_at_the_next_barrier_of_any_label) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      for (unsigned label = 0; label < me.labels(); ++label) {
        me.send(me.rank(), label);
        expect(!me.receive());
        co_await me.sync(label);
        const auto m = me.receive();
        expect(m && m->source() == me.rank() && m->get<unsigned>() == label);
        expect(!me.receive());
      }
    });
  });
}

TEST_P(messages, stay_pending_until_a_barrier_joins_sender_and_receiver) {
  pleat::machine machine({.processors = GetParam(), .strict = false});
  for (const std::size_t v : sizes) {
    machine.run(v, [&](vp& me) -> task<> {
      // To everybody, then barriers from the finest label to the coarsest.
      for (std::size_t to = 0; to < me.size(); ++to) me.send(to, me.rank());
      std::vector<bool> came(me.size(), false);
      for (unsigned label = me.labels(); label-- > 0;) {
        co_await me.sync(label);
        std::size_t last = 0;
        for (auto m = me.receive(); m; m = me.receive()) {
          const std::size_t from = m->get<std::size_t>();
          expect(!came[from] && from >= last);
          came[from] = true;
          last = from;
        }
        const pleat::rank_range joined = pleat::cluster_of(me.size(), me.rank(), label);
        for (std::size_t from = 0; from < me.size(); ++from)
          expect(came[from] == joined.contains(from));
      }
    });
    ASSERT_EQ(wrong, 0) << "M(" << v << ")";
  }
}

TEST_P(messages, that_nobody_receives_stay_and_come_first) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = (me.rank() + 1) % me.size();
      std::vector<std::uint64_t> large(100);
      constexpr std::uint64_t rounds = 12;
      for (std::uint64_t i = 0; i < rounds; ++i) {
        me.send(to, i);
        for (std::uint64_t& x : large) x = i;
        me.send(to, std::span<const std::uint64_t>(large));
        co_await me.sync(0);
      }
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto small = me.receive();
        expect(small && small->bytes() == 8 && small->get<std::uint64_t>() == i);
        const auto m = me.receive();
        expect(m && m->bytes() == 800 && m->span<std::uint64_t>()[99] == i);
        if (i % 3 == 0) co_await me.sync(0);  // between two receives
      }
      expect(!me.receive());
    });
  });
}

TEST_P(messages, stay_readable_until_the_receivers_next_sync) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = (me.rank() + 1) % me.size();
      const std::size_t from = (me.rank() + me.size() - 1) % me.size();
      for (std::uint64_t round = 0; round < 5; ++round) {
        for (std::uint64_t i = 0; i < 10; ++i) {
          const std::vector<std::uint64_t> values(i % 2 == 0 ? 3 : 300, me.rank() * 1000 + i);
          me.send(to, std::span<const std::uint64_t>(values));
        }
        co_await me.sync(0);
        std::vector<std::span<const std::uint64_t>> held;
        for (auto m = me.receive(); m; m = me.receive()) held.push_back(m->span<std::uint64_t>());
        // Sends in the meantime disturb nothing.
        for (std::uint64_t i = 0; i < 100; ++i) me.send(to, i);
        expect(held.size() == 10);
        for (std::uint64_t i = 0; i < held.size(); ++i) {
          for (const std::uint64_t x : held[i]) expect(x == from * 1000 + i);
        }
        co_await me.sync(0);
        while (me.receive()) {
        }
      }
    });
  });
}

TEST_P(messages, show_the_very_memory_that_was_lent) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    std::vector<std::vector<int>> memory(v, std::vector<int>(60));
    machine.run(v, [&](vp& me) -> task<> {
      std::vector<int>& mine = memory[me.rank()];
      const std::size_t to = (me.rank() + 1) % me.size();
      const std::size_t from = (me.rank() + me.size() - 1) % me.size();
      std::iota(mine.begin(), mine.end(), static_cast<int>(me.rank()));
      me.lend(to, std::span<const int>(mine));
      me.lend(to, strided_view<const int>(mine.data() + 2, 5, 3, 10));
      co_await me.sync(0);
      const auto whole = me.receive();
      const auto window = me.receive();
      expect(whole && whole->lent() && whole->source() == from && whole->bytes() == 240);
      expect(whole->view<const int>().row(0).data() == memory[from].data());
      const auto view = window->view<const int>();
      expect(view.rows == 5 && view.columns == 3 && view.stride == 10 && window->bytes() == 60);
      for (std::size_t row = 0; row < 5; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
          expect(view(row, column) == static_cast<int>(from + 2 + 10 * row + column));
      }
      co_await me.sync(0);
      for (int& x : mine) x = 0;  // ours again
      co_await me.sync(0);
    });
  });
}

TEST_P(messages, let_the_borrower_write_what_was_lent_writable) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    std::vector<std::vector<long>> memory(v, std::vector<long>(40, 1));
    machine.run(v, [&](vp& me) -> task<> {
      std::vector<long>& mine = memory[me.rank()];
      me.lend((me.rank() + 1) % me.size(), strided_view<long>(mine.data(), 4, 1, 10));
      co_await me.sync(0);
      const auto m = me.receive();
      const auto view = m->view<long>();
      for (std::size_t row = 0; row < 4; ++row) view(row, 0) += static_cast<long>(me.rank());
      co_await me.sync(0);
      const auto borrower = static_cast<long>((me.rank() + 1) % me.size());
      for (std::size_t i = 0; i < mine.size(); ++i)
        expect(mine[i] == (i % 10 == 0 ? 1 + borrower : 1));
    });
  });
}

TEST_P(messages, of_virtual_processors_that_ended_still_arrive) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t last = me.size() - 1;
      const std::vector<std::uint64_t> large(200, me.rank());
      if (me.rank() != last) {
        if (me.rank() % 2 == 0) co_await me.sync(0);
        me.send(last, me.rank());
        me.send(last, std::span<const std::uint64_t>(large));
        co_return;
      }
      std::vector<int> came(me.size(), 0);
      for (int i = 0; i < 3; ++i) {
        co_await me.sync(0);
        for (auto m = me.receive(); m; m = me.receive()) {
          ++came[m->source()];
          expect(m->span<std::uint64_t>()[0] == m->source());
        }
      }
      for (std::size_t from = 0; from < last; ++from) expect(came[from] == 2);
    });
  });
}

TEST_P(messages, are_the_same_in_every_run) {
  pleat::machine machine({.processors = GetParam()});
  std::vector<std::vector<std::size_t>> first, now;
  for (int run = 0; run < 3; ++run) {
    now.assign(29, {});
    machine.run(29, [&](vp& me) -> task<> {
      for (std::size_t i = 0; i < 10; ++i) {
        for (std::size_t k = 0; k < me.rank() % 4; ++k)
          me.send((me.rank() * 5 + i * 3 + k * k) % me.size(), me.rank() * 100 + k);
        co_await me.sync(0);
        for (auto m = me.receive(); m; m = me.receive())
          now[me.rank()].push_back(m->get<std::size_t>());
      }
    });
    if (run == 0) first = now;
    ASSERT_EQ(now, first);
  }
}

INSTANTIATE_TEST_SUITE_P(on_workers, messages, testing::Values(1u, 2u, 3u, 5u, 8u, 17u, 64u),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace
