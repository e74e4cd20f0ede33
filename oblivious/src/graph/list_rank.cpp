// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <pleat/oblivious/detail/graph/run.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::graphs {
namespace {

/// The ranks by sublists, which begin at the first element of each list and at random ones:
///
///     heads       which elements nothing points to; others become heads by a random choice
///        │ a superstep
///     sublists    from each head to the next one: their length, and what follows
///        │ a superstep; one VP adds the lengths up, from the ends of the lists on
///     ranks       from each head once more, counting down
///
/// A VP follows `together` sublists at once: it waits for as many elements as that at a time.
template <class I> class list_program {
 public:
  list_program(std::span<const I> next, std::span<I> ranks, std::size_t vps)
      : next_(next),
        ranks_(ranks),
        vps_(vps),
        heads_(vps),
        marks_(new std::uint8_t[next.size()]()) {}

  task<> operator()(vp& me) {
    const std::size_t q = me.rank();
    mark(q);
    co_await me.sync(0);
    if (!good()) co_return;
    find_heads(q);
    co_await me.sync(0);
    measure(q);
    co_await me.sync(0);
    if (q == 0) add_up();
    co_await me.sync(0);
    if (good()) rank(q);
  }
  void run_alone() {
    mark(0);
    if (!good()) return;
    find_heads(0);
    measure(0);
    add_up();
    if (good()) rank(0);
  }
  /// Text of what is wrong with the lists; null if nothing is.
  [[nodiscard]] const char* wrong() const noexcept { return wrong_.load(); }

 private:
  static constexpr std::size_t together = 24;
  enum mark_of : std::uint8_t { nothing, pointed_to, head };

  struct sublist {
    I first;
    I follows;                 ///< the head of the next one, or the last element of the list
    bool ends = false;         ///< the latter
    std::uint64_t length = 0;  ///< steps to what follows
    std::uint64_t behind = 0;  ///< steps from there to the end
  };

  [[nodiscard]] bool good() const noexcept {
    return wrong_.load(std::memory_order_relaxed) == nullptr;
  }
  [[nodiscard]] interval<> elements_of(std::size_t q) const noexcept {
    return interval<>{0, next_.size()}.share(q, vps_);
  }

  void mark(std::size_t q) {
    const interval<> mine = elements_of(q);
    constexpr std::size_t ahead = 16;
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      if (i + ahead < mine.last && next_[i + ahead] < next_.size())
        __builtin_prefetch(&marks_[next_[i + ahead]], 1);
      const I to = next_[i];
      if (to >= next_.size()) {
        wrong_ = "an element's next is none of the elements";
        return;
      }
      if (to == i) continue;
      // Two VPs may find that the same element is pointed to; one of them must learn that it was.
      if (std::atomic_ref<std::uint8_t>(marks_[to])
              .exchange(pointed_to, std::memory_order_relaxed) != nothing)
        wrong_ = "two elements have the same next";
    }
  }
  void find_heads(std::size_t q) {
    const interval<> mine = elements_of(q);
    std::minstd_rand random(static_cast<unsigned>(q + 1));
    // Sublists are some 1,000 elements long, enough of them for all VPs to be busy to the end.
    const std::size_t apart = std::clamp<std::size_t>(next_.size() / vps_ / 512, 2, 1000);
    std::size_t chosen = mine.first + random() % apart;
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      const bool by_chance = i == chosen;
      if (by_chance) chosen += 1 + random() % (2 * apart);
      if (marks_[i] != nothing && !by_chance) continue;
      marks_[i] = head;
      heads_[q].push_back({.first = static_cast<I>(i), .follows = 0});
    }
  }

  /// Follows sublists from their heads: at(sublist, element, steps so far) for each element, and
  /// end(sublist, element, steps, whether the list ends) at what follows.
  template <class At, class End> void follow(std::size_t q, const At& at, const End& end) {
    struct walk {
      sublist* of;
      I now;
      std::uint64_t steps;
    };
    std::array<walk, together> walks;
    std::size_t count = 0, begun = 0;
    std::vector<sublist>& all = heads_[q];
    const auto begin = [&](walk& one) {
      one = {&all[begun], all[begun].first, 0};
      ++begun;
      at(*one.of, one.now, one.steps);
      __builtin_prefetch(&next_[one.now]);
    };
    while (count < together && begun < all.size()) begin(walks[count++]);
    while (count != 0) {
      for (std::size_t k = 0; k < count;) {
        walk& one = walks[k];
        const I to = next_[one.now];
        const bool last = to == one.now;
        if (last || marks_[to] == head) {
          end(*one.of, to, one.steps + (last ? 0 : 1), last);
          if (begun < all.size()) {
            begin(one);
          } else {
            one = walks[--count];
            continue;
          }
        } else {
          one.now = to;
          ++one.steps;
          at(*one.of, to, one.steps);
          __builtin_prefetch(&next_[to]);
          __builtin_prefetch(&marks_[to]);
        }
        ++k;
      }
    }
  }
  void measure(std::size_t q) {
    follow(
        q, [](const sublist&, I, std::uint64_t) {},
        [](sublist& one, I follows, std::uint64_t steps, bool ends) {
          one.follows = follows;
          one.length = steps;
          one.ends = ends;
        });
  }
  /// Steps behind each sublist, from the ends of the lists on. In the place of a head's rank stands
  /// which sublist is its meanwhile.
  void add_up() {
    constexpr std::uint64_t unknown = ~std::uint64_t{0}, on_the_way = unknown - 1;
    std::vector<sublist*> all, way;
    std::uint64_t elements = 0;
    for (auto& some : heads_)
      for (sublist& one : some) {
        ranks_[one.first] = static_cast<I>(all.size());
        all.push_back(&one);
        one.behind = unknown;
        elements += one.length + (one.ends ? 1 : 0);
      }
    const auto behind = [&](const sublist& one) { return all[ranks_[one.follows]]; };
    bool circle = elements != next_.size();  // Of elements that no head leads to, at least.
    for (sublist* one : all) {
      while (one->behind == unknown) {
        one->behind = on_the_way;
        way.push_back(one);
        if (!one->ends) one = behind(*one);
      }
      circle = circle || (one->behind == on_the_way && !one->ends);
      for (; !way.empty(); way.pop_back()) {
        sublist& last = *way.back();
        last.behind = last.ends ? 0 : behind(last)->behind + behind(last)->length;
      }
    }
    if (circle) wrong_ = "elements lie on a circle, which has no end";
  }
  void rank(std::size_t q) {
    follow(
        q,
        [&](const sublist& one, I element, std::uint64_t steps) {
          ranks_[element] = static_cast<I>(one.behind + one.length - steps);
        },
        [](const sublist&, I, std::uint64_t, bool) {});
  }

  std::span<const I> next_;
  std::span<I> ranks_;
  std::size_t vps_;
  std::vector<std::vector<sublist>> heads_;
  std::unique_ptr<std::uint8_t[]> marks_;
  std::atomic<const char*> wrong_{nullptr};
};

}  // namespace

template <class I>
run_report rank_lists(machine& named, std::span<const I> next, std::span<I> ranks,
                      const std::optional<std::size_t>& vps) {
  if (next.size() != ranks.size())
    throw usage_error("list_rank: " + std::to_string(next.size()) + " elements have " +
                      std::to_string(next.size()) + " ranks, not " + std::to_string(ranks.size()));
  if (!next.empty() && ranges_overlap(next, ranks))
    throw usage_error("list_rank: the ranks overlap the lists; give it two ranges");
  const call_machine here(named);
  machine& on = *here;
  const std::size_t working =
      choose_vps("list_rank", vps,
                 static_cast<double>(next.size_bytes()) / static_cast<double>(least_bytes_per_vp),
                 on.threads());
  if (next.empty()) return {};
  list_program<I> program(next, ranks, working);
  run_report report = run_program(
      on, working, [&program] { program.run_alone(); }, [&program](vp& me) { return program(me); });
  if (program.wrong() != nullptr) throw usage_error(std::string("list_rank: ") + program.wrong());
  report.leave_uncounted("lists are followed in common memory");
  return report;
}

template run_report rank_lists(machine&, std::span<const std::uint32_t>, std::span<std::uint32_t>,
                               const std::optional<std::size_t>&);
template run_report rank_lists(machine&, std::span<const std::uint64_t>, std::span<std::uint64_t>,
                               const std::optional<std::size_t>&);

}  // namespace pleat::detail::graphs
