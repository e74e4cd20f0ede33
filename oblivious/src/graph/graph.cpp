// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/graph.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::graphs {
namespace {

/// Trees of components in common memory: labels[v] is the parent of v, itself at a root, and never
/// more than v. So a tree never has a circle, whatever several VPs change at once, and its root is
/// the least vertex of it.
///
///     own      trees of a VP's vertices, joined by the edges of its share that have both ends
///        │     there: no other VP reads or writes them
///        │ a superstep
///     others   edges that were left: few if edges lie in the order of their vertices, else most
///        │ a superstep
///     labels   all vertices point to their roots
template <class I> class component_program {
 public:
  using edge = std::array<I, 2>;

  component_program(std::span<const edge> edges, std::span<I> labels, std::size_t vps)
      : edges_(edges), labels_(labels), vps_(vps), left_(vps) {}

  [[nodiscard]] bool has_phase(std::size_t i) const noexcept {
    return i < 2 || (i == 2 && !wrong_.load(std::memory_order_relaxed));
  }
  void phase(std::size_t i, const vp* me) {
    const std::size_t q = rank_of(me);
    i == 0 ? join_own(q) : i == 1 ? join_left(q) : label(q);
  }
  static bool ends_with(std::size_t i) noexcept { return i == 2; }
  [[nodiscard]] bool wrong() const noexcept { return wrong_.load(); }

 private:
  static constexpr std::size_t ahead = 16;

  /// Edges of a VP's share that are left to be joined after its own.
  struct edges_left {
    std::vector<std::size_t> some;  ///< before `from`
    std::size_t from;
  };

  [[nodiscard]] std::atomic_ref<I> parent(I v) const noexcept {
    return std::atomic_ref<I>(labels_[v]);
  }
  [[nodiscard]] I parent_of(I v) const noexcept {
    return parent(v).load(std::memory_order_relaxed);
  }
  void prefetch_parent(I v) const noexcept { __builtin_prefetch(&labels_[parent_of(v)]); }

  /// State of the labels. Final ones are roots, whose place no other ancestor may take.
  enum class labels { not_final, final };

  /// The root of a tree, on the way to which every vertex gets its grandparent as parent. What is
  /// stored is an ancestor still, if perhaps not the nearest to the root that another VP knows.
  template <labels Are> [[nodiscard]] I root_of(I v) const noexcept {
    for (I up = parent_of(v); up != v;) {
      const I higher = parent_of(up);
      if (higher == up) return up;
      if (I seen = up; Are == labels::final)
        parent(v).compare_exchange_weak(seen, higher, std::memory_order_relaxed);
      else
        parent(v).store(higher, std::memory_order_relaxed);
      v = up;
      up = higher;
    }
    return v;
  }
  void join(I a, I b) const noexcept {
    // Edges within a component are most of them when many have been looked at.
    if (parent_of(a) == parent_of(b)) return;
    for (;;) {
      a = root_of<labels::not_final>(a);
      b = root_of<labels::not_final>(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      I root = a;
      if (parent(a).compare_exchange_strong(root, b, std::memory_order_relaxed)) return;
    }
  }

  [[nodiscard]] interval<> vertices_of(std::size_t q) const noexcept {
    return interval<>{0, labels_.size()}.share(q, vps_);
  }
  /// Tells whether several of the edges behind one another are far from each other, so that what
  /// they need is fetched ahead.
  [[nodiscard]] static bool scattered(std::span<const edge> some) noexcept {
    constexpr std::size_t looks = 64, near = 256;
    std::size_t far = 0;
    for (std::size_t k = 1; k <= looks && some.size() > looks; ++k) {
      const std::size_t i = (some.size() - 1) / looks * k;
      far += std::size_t{some[i][0]} - some[i - 1][0] + near > 2 * near ? 1 : 0;
    }
    return far > looks / 8;
  }

  void join_own(std::size_t q) {
    const interval<> mine = vertices_of(q), share = interval<>{0, edges_.size()}.share(q, vps_);
    const std::span<const edge> edges = edges_.subspan(share.first, share.size());
    I* const parents = labels_.data();
    const auto lies_here = [first = mine.first, n = mine.size()](const edge& one) {
      return one[0] - first < n && one[1] - first < n;
    };
    const auto root = [parents](I v) {
      for (I up = parents[v]; up != v; up = parents[v]) v = parents[v] = parents[up];
      return v;
    };
    for (std::size_t v = mine.first; v < mine.last; ++v) parents[v] = static_cast<I>(v);
    edges_left& left = left_[q];
    left.some.reserve(edges.size() / 32);
    const bool fetches = scattered(edges);
    std::size_t i = 0;
    for (; i < edges.size(); ++i) {
      if (fetches && i + 2 * ahead < edges.size()) {
        if (lies_here(edges[i + 2 * ahead]))
          for (const I v : edges[i + 2 * ahead]) __builtin_prefetch(&parents[v]);
        if (lies_here(edges[i + ahead]))
          for (const I v : edges[i + ahead]) __builtin_prefetch(&parents[parents[v]]);
      }
      if (!lies_here(edges[i])) {
        if (left.some.size() == edges.size() / 32) break;
        left.some.push_back(share.first + i);
        continue;
      }
      I a = root(edges[i][0]), b = root(edges[i][1]);
      if (a < b) std::swap(a, b);
      parents[a] = b;
    }
    left.from = share.first + i;
  }
  void join_left(std::size_t q) noexcept {
    const std::size_t n = labels_.size(), last = edges_.size() * (q + 1) / vps_;
    const auto there = [n](const edge& one) { return one[0] < n && one[1] < n; };
    const auto joined = [&](std::size_t i) {
      if (!there(edges_[i])) return false;
      join(edges_[i][0], edges_[i][1]);
      return true;
    };
    bool right = std::ranges::all_of(left_[q].some, joined);
    for (std::size_t i = left_[q].from; i < last && right; ++i) {
      // Vertices of later edges are on the way from memory, and then their parents.
      if (i + 2 * ahead < last && there(edges_[i + 2 * ahead]))
        for (const I v : edges_[i + 2 * ahead]) __builtin_prefetch(&labels_[v]);
      if (i + ahead < last && there(edges_[i + ahead]))
        for (const I v : edges_[i + ahead]) prefetch_parent(v);
      right = joined(i);
    }
    if (!right) wrong_.store(true, std::memory_order_relaxed);
  }
  void label(std::size_t q) const noexcept {
    const interval<> mine = vertices_of(q);
    for (std::size_t v = mine.first; v < mine.last; ++v) {
      if (v + ahead < mine.last) prefetch_parent(static_cast<I>(v + ahead));
      const I up = parent_of(static_cast<I>(v)), root = root_of<labels::final>(up);
      if (root != up) parent(static_cast<I>(v)).store(root, std::memory_order_relaxed);
    }
  }

  std::span<const edge> edges_;
  std::span<I> labels_;
  std::size_t vps_;
  std::vector<edges_left> left_;
  std::atomic<bool> wrong_{false};
};

}  // namespace

template <class I>
run_report join(machine& named, std::span<const std::array<I, 2>> edges, std::span<I> labels,
                const std::optional<std::size_t>& vps) {
  const call_machine here(named);
  machine& on = *here;
  const double bytes =
      static_cast<double>(edges.size_bytes()) + static_cast<double>(labels.size_bytes());
  const std::size_t working = choose_vps(
      "connected_components", vps, bytes / static_cast<double>(least_bytes_per_vp), on.threads());
  component_program<I> program(edges, labels, working);
  run_report report = run_phases(on, working, program);
  if (program.wrong()) {
    const auto wrong = std::ranges::find_if(
        edges, [&](const auto& one) { return one[0] >= labels.size() || one[1] >= labels.size(); });
    throw usage_error("connected_components: edge " + std::to_string(wrong - edges.begin()) +
                      " joins " + std::to_string((*wrong)[0]) + " and " +
                      std::to_string((*wrong)[1]) + ", and there are " +
                      std::to_string(labels.size()) + " vertices, from 0 on");
  }
  report.leave_uncounted("components are joined in common memory");
  return report;
}

template decltype(join<std::uint32_t>) join<std::uint32_t>;
template decltype(join<std::uint64_t>) join<std::uint64_t>;

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
        pointing_(vps),
        marks_(new std::uint8_t[next.size()]()) {}

  /// Marking, counting and adding up find what is wrong.
  [[nodiscard]] bool has_phase(std::size_t i) const noexcept {
    return i < 5 && ((i != 1 && i != 4) || good()) && (i != 2 || differ());
  }
  void phase(std::size_t i, const vp* me) {
    const std::size_t q = rank_of(me);
    if (i == 0) mark(q);
    if (i == 1) find_heads(q);
    if (i == 2) measure(q);
    if (i == 3 && q == 0) add_up();
    if (i == 4) rank(q);
  }
  static bool ends_with(std::size_t i) noexcept { return i == 4; }
  /// Text of what is wrong with the lists; null if nothing is.
  [[nodiscard]] const char* wrong() const noexcept {
    return good() && !differ() ? "two elements have the same next" : wrong_.load();
  }

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

  /// Tells whether the elements that point to others point to different ones: after the heads were
  /// found, as many elements are pointed to as point.
  [[nodiscard]] bool differ() const noexcept {
    return std::accumulate(pointing_.begin(), pointing_.end(), std::ptrdiff_t{0}) == 0;
  }

  void mark(std::size_t q) {
    const interval<> mine = elements_of(q);
    std::ptrdiff_t pointing = 0;
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
      ++pointing;
      std::atomic_ref<std::uint8_t>(marks_[to]).store(pointed_to, std::memory_order_relaxed);
    }
    pointing_[q] = pointing;
  }
  void find_heads(std::size_t q) {
    const interval<> mine = elements_of(q);
    std::minstd_rand random(static_cast<unsigned>(q + 1));
    // Sublists are some 1,000 elements long, enough of them for all VPs to be busy to the end.
    const std::size_t apart = std::clamp<std::size_t>(next_.size() / vps_ / 512, 2, 1000);
    std::size_t chosen = mine.first + random() % apart;
    std::ptrdiff_t pointed = 0;
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      const bool by_chance = i == chosen;
      if (marks_[i] != nothing) ++pointed;
      if (by_chance) chosen += 1 + random() % (2 * apart);
      if (marks_[i] != nothing && !by_chance) continue;
      marks_[i] = head;
      heads_[q].push_back({.first = static_cast<I>(i), .follows = 0});
    }
    pointing_[q] -= pointed;
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
  std::vector<std::ptrdiff_t> pointing_;  ///< elements of each VP that point, less those pointed to
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
  run_report report = run_phases(on, working, program);
  if (program.wrong() != nullptr) throw usage_error(std::string("list_rank: ") + program.wrong());
  report.leave_uncounted("lists are followed in common memory");
  return report;
}

template decltype(rank_lists<std::uint32_t>) rank_lists<std::uint32_t>;
template decltype(rank_lists<std::uint64_t>) rank_lists<std::uint64_t>;

}  // namespace pleat::detail::graphs
