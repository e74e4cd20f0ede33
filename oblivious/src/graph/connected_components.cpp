// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <pleat/oblivious/detail/graph/run.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::graphs {
namespace {

/// Trees of components in common memory: labels[v] is the parent of v, itself at a root, and never
/// more than v. So a tree never has a circle, whatever several VPs change at once, and its root is
/// the least vertex of it.
template <class I> class component_program {
 public:
  using edge = std::array<I, 2>;

  component_program(std::span<const edge> edges, std::span<I> labels, std::size_t vps)
      : edges_(edges), labels_(labels), vps_(vps) {}

  /// Begins with a tree for each vertex, joins those that edges join, and points all to their
  /// roots.
  task<> operator()(vp& me) {
    begin(me.rank());
    co_await me.sync(0);
    join_share(me.rank());
    co_await me.sync(0);
    if (!wrong_.load(std::memory_order_relaxed)) label(me.rank());
  }
  void run_alone() {
    begin(0);
    join_share(0);
    if (!wrong_.load(std::memory_order_relaxed)) label(0);
  }
  [[nodiscard]] bool wrong() const noexcept { return wrong_.load(); }

 private:
  static constexpr std::size_t ahead = 16;

  void prefetch_parent(I v) const noexcept {
    __builtin_prefetch(&labels_[parent(v).load(std::memory_order_relaxed)]);
  }
  [[nodiscard]] std::atomic_ref<I> parent(I v) const noexcept {
    return std::atomic_ref<I>(labels_[v]);
  }
  /// The root of a tree, on the way to which every vertex gets its grandparent as parent.
  [[nodiscard]] I root_of(I v) const noexcept {
    for (I up = parent(v).load(std::memory_order_relaxed); up != v;) {
      const I higher = parent(up).load(std::memory_order_relaxed);
      if (higher == up) return up;
      // A parent that somebody has changed meanwhile is nearer to the root already.
      I seen = up;
      parent(v).compare_exchange_weak(seen, higher, std::memory_order_relaxed);
      v = up;
      up = higher;
    }
    return v;
  }
  void join(I a, I b) const noexcept {
    // Edges within a component are most of them when many have been looked at.
    if (parent(a).load(std::memory_order_relaxed) == parent(b).load(std::memory_order_relaxed))
      return;
    for (;;) {
      a = root_of(a);
      b = root_of(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      I root = a;
      if (parent(a).compare_exchange_strong(root, b, std::memory_order_relaxed)) return;
    }
  }

  void begin(std::size_t q) const noexcept {
    const interval<> mine = interval<>{0, labels_.size()}.share(q, vps_);
    for (std::size_t v = mine.first; v < mine.last; ++v) labels_[v] = static_cast<I>(v);
  }
  void join_share(std::size_t q) noexcept {
    const interval<> mine = interval<>{0, edges_.size()}.share(q, vps_);
    const std::size_t n = labels_.size();
    const auto there = [n](const edge& one) { return one[0] < n && one[1] < n; };
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      // Vertices of later edges are on the way from memory, and then their parents.
      if (i + 2 * ahead < mine.last && there(edges_[i + 2 * ahead]))
        for (const I v : edges_[i + 2 * ahead]) __builtin_prefetch(&labels_[v]);
      if (i + ahead < mine.last && there(edges_[i + ahead]))
        for (const I v : edges_[i + ahead]) prefetch_parent(v);
      const edge& one = edges_[i];
      if (!there(one)) {
        wrong_.store(true, std::memory_order_relaxed);
        return;
      }
      join(one[0], one[1]);
    }
  }
  void label(std::size_t q) const noexcept {
    const interval<> mine = interval<>{0, labels_.size()}.share(q, vps_);
    for (std::size_t v = mine.first; v < mine.last; ++v) {
      if (v + ahead < mine.last) prefetch_parent(static_cast<I>(v + ahead));
      const I root = root_of(static_cast<I>(v));
      parent(static_cast<I>(v)).store(root, std::memory_order_relaxed);
    }
  }

  std::span<const edge> edges_;
  std::span<I> labels_;
  std::size_t vps_;
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
  run_report report = run_program(
      on, working, [&program] { program.run_alone(); }, [&program](vp& me) { return program(me); });
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

template run_report join(machine&, std::span<const std::array<std::uint32_t, 2>>,
                         std::span<std::uint32_t>, const std::optional<std::size_t>&);
template run_report join(machine&, std::span<const std::array<std::uint64_t, 2>>,
                         std::span<std::uint64_t>, const std::optional<std::size_t>&);

}  // namespace pleat::detail::graphs
