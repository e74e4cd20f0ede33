// SPDX-License-Identifier: Apache-2.0
// Contents of messages: elements of any range, values of any size, memory that was lent.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

#include <pleat/runtime/machine.hpp>

#include "all_sizes.hpp"
#include "worker_counts.hpp"

namespace message_contents_test {

using pleat::strided_view, pleat::task, pleat::vp;

constexpr std::size_t sizes[] = {1, 2, 3, 5, 8, 13, 16, 33, 70};

class message_contents : public model::all_sizes {
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
TEST_P(message_contents, are_the_elements_of_any_contiguous_range) {
  const bool writable = !model::on_several_ranks();  // lent memory is sent there, to be read
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
      me.lend(to, std::span(fixed));
      me.lend(to, constant);
      if (writable) {
        me.lend(to, std::span(array));
        me.lend(to, vector);
        me.lend(to, plain);
      }
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
      for (int i = 0; i < (writable ? 5 : 2); ++i) {
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

TEST_P(message_contents, are_one_value_of_any_size) {
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

TEST_P(message_contents, may_be_empty) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = me.size() - 1 - me.rank();
      me.send(to, std::span<const int>());
      me.send(to, std::span<const overaligned>());
      me.lend(to, std::span<const int>());
      me.lend(to, strided_view<const int>());
      co_await me.sync(0);
      const auto a = me.receive();
      const auto b = me.receive();
      const auto c = me.receive();
      const auto d = me.receive();
      expect(a && a->bytes() == 0 && a->span<int>().empty());
      expect(b && b->span<overaligned>().empty());
      expect(c && c->lent() && c->view<const int>().empty());
      expect(d && d->bytes() == 0 && d->view<const int>().empty());
      expect(!me.receive());
      co_await me.sync(0);
    });
  });
}

TEST_P(message_contents, keep_the_alignment_of_their_type) {
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

TEST_P(message_contents, are_the_very_memory_that_was_lent) {
  if (model::on_several_ranks()) GTEST_SKIP() << "across ranks it is a copy";
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

TEST_P(message_contents, that_were_lent_writable_are_written_by_the_borrower) {
  if (model::on_several_ranks()) GTEST_SKIP() << "lends memory to be written";
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

INSTANTIATE_TEST_SUITE_P(on_workers, message_contents,
                         model::worker_counts({1, 2, 3, 5, 8, 17, 64}),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace message_contents_test
