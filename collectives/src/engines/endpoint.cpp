// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/runtime/error.hpp>

#include "levels.hpp"
#include "rendezvous.hpp"

namespace pleat::detail {

namespace {

/// Tables of a machine: the schedules of every size of segment so far, and for one run the
/// rendezvous of each segment.
struct tables final : attachment {
  std::map<std::uint32_t, std::shared_ptr<const circulant_table>> of_size;
  using place = std::tuple<std::size_t, std::size_t, unsigned>;  // first, size and label
  std::map<place, std::unique_ptr<rendezvous>> by_segment;
  std::uint64_t run = 0;  // of these rendezvous
};

/// Requires: its mutex is held.
tables& tables_in(shared_attachment& kept) {
  if (kept.content == nullptr) kept.content = std::make_unique<tables>();
  return static_cast<tables&>(*kept.content);
}

std::shared_ptr<const circulant_table> shared_table(vp& me, const circulant_graph& graph) {
  shared_attachment& kept = vp_access::attached_to_machine(me);
  const std::scoped_lock lock(kept.mutex);
  auto& table = tables_in(kept).of_size[graph.processors()];
  if (table == nullptr) table = std::make_shared<const circulant_table>(graph);
  return table;
}

/// Endpoints that a virtual processor keeps to the end of the run.
struct endpoints final : attachment {
  std::vector<std::unique_ptr<endpoint>> all;  // the last one used first

  [[nodiscard]] std::exception_ptr left_over() const override {
    for (const std::unique_ptr<endpoint>& one : all) {
      if (std::exception_ptr cause = one->left_over()) return cause;
    }
    return nullptr;
  }
};

bool same(const segment& a, const segment& b) noexcept {
  return a.first == b.first && a.size == b.size && a.label == b.label;
}

std::string text_of(const segment& s) {
  return "{first " + std::to_string(s.first) + ", size " + std::to_string(s.size) + ", label " +
         std::to_string(s.label) + "}";
}

void check_segment(const vp& me, const segment& in) {
  if (in.contains(me.rank()) && in.size <= me.size() && in.first <= me.size() - in.size &&
      in.label <= me.labels())
    return;
  throw usage_error("VP " + std::to_string(me.rank()) + " of M(" + std::to_string(me.size()) +
                    ") is no part of the segment " + text_of(in) +
                    ": give one that contains it and lies inside the machine");
}

std::uint64_t salt_of(const segment& in) noexcept {
  return (in.first ^ (std::uint64_t{in.size} << 32)) * 0xd6e8feb86659fd93;
}

rank_range local_ranks_of(vp& me, const segment& in) {
  const rank_range here = intersect(vp_access::vps_of_space(me, vp_access::space_of(me, me.rank())),
                                    {in.first, in.first + in.size});
  return {here.first - in.first, here.last - in.first};
}

}  // namespace

std::string_view name_of(collective operation) noexcept {
  constexpr std::array<std::string_view, 16> names{
      "no operation",   "broadcast",        "all_gather", "all_gather_v",
      "all_to_all",     "all_to_all_v",     "scatter",    "scatter_v",
      "gather",         "gather_v",         "reduce",     "all_reduce",
      "reduce_scatter", "reduce_scatter_v", "scan",       "exclusive_scan"};
  const auto at = static_cast<std::size_t>(operation);
  return names[at < names.size() ? at : 0];
}

endpoint::endpoint(vp& me, const segment& in)
    : me_(me),
      segment_(in),
      rank_(static_cast<std::uint32_t>(me.rank() - in.first)),
      local_(local_ranks_of(me, in)),
      copied_(vp_access::most_in_ring(me)),
      counts_(vp_access::counts(me)),
      salt_(salt_of(in)),
      graph_(in.size) {}

endpoint::endpoint(vp& me, const segment& in, std::vector<std::uint32_t> members)
    : me_(me),
      segment_(in),
      members_(std::move(members)),
      rank_(static_cast<std::uint32_t>(
          members_.empty() ? me.rank() - in.first
                           : std::ranges::lower_bound(members_, me.rank()) - members_.begin())),
      local_{rank_, rank_ + 1},
      copied_(vp_access::most_in_ring(me)),
      counts_(vp_access::counts(me)),
      salt_(~salt_of(in)),
      graph_(members_.empty() ? in.size : members_.size()) {}

endpoint::~endpoint() = default;

levels& endpoint::in_levels() {
  if (levels_ == nullptr) levels_ = std::make_unique<levels>(*this);
  return *levels_;
}

const circulant_schedule& endpoint::schedule(std::uint32_t root) {
  if (schedule_of_ != root) {
    schedule_ = graph_.schedule(rank_ >= root ? rank_ - root : rank_ + (size() - root));
    schedule_of_ = root;
  }
  return schedule_;
}

const circulant_table& endpoint::table() {
  if (table_ == nullptr) table_ = shared_table(me_, graph_);
  return *table_;
}

edge& endpoint::make(edges& of, std::uint32_t rank, bool outgoing) {
  std::unique_ptr<edge>& made = of[rank];
  if (made == nullptr) {
    const std::uint32_t peer = vp_of(rank);
    const unsigned context = std::min(segment_.label, vp_access::contexts - 1);
    auto one = std::make_unique<edge>();
    one->peer = peer;
    if (vp_access::elsewhere(me_, peer)) {
      connect_remote(*one, outgoing, context);
    } else {
      one->ring = outgoing ? &vp_access::ring_to(me_, peer, context)
                           : &vp_access::ring_from(me_, peer, context);
    }
    made = std::move(one);
  }
  return *made;
}

void endpoint::connect_remote(edge& made, bool outgoing, unsigned context) {
  if (outgoing) {
    made.half = &vp_access::remote_ring_to(me_, made.peer, context);
    made.ring = &made.half->ring;
  } else {
    made.ring = &vp_access::remote_ring_from(me_, made.peer, context);
  }
}

rendezvous& endpoint::find_rendezvous() {
  shared_attachment& kept = vp_access::attached_to_machine(me_);
  const std::scoped_lock lock(kept.mutex);
  tables& all = tables_in(kept);
  if (const std::uint64_t run = vp_access::run_number(me_); run != all.run) {
    all.by_segment.clear();  // nobody of an earlier run is there any more
    all.run = run;
  }
  auto& made = all.by_segment[{segment_.first, segment_.size, segment_.label}];
  if (made == nullptr) made = std::make_unique<rendezvous>(vp_access::folding(me_), segment_);
  rendezvous_ = made.get();
  return *rendezvous_;
}

void endpoint::push_lent(edge& to, const std::byte* data, std::size_t bytes) {
  if (!to.lent) {
    to.lent = true;
    lending_.push_back(&to);
  }
  const lent_memory lent{data, bytes};
  to.ring->push(stamp_, mark_ | lends, sizeof lent,
                [&](std::byte* line) { std::memcpy(line, &lent, sizeof lent); });
  count(to, bytes);
  vp_access::notify(me_, to.peer);
}

void endpoint::push(edge& to, const std::byte* data, std::size_t bytes, std::size_t most_copied) {
  if (bytes > most_copied) return push_lent(to, data, bytes);
  push_filled(to, bytes, [&](std::byte* line) {
    if (bytes != 0) std::memcpy(line, data, bytes);
  });
}

void endpoint::mismatch(std::uint32_t peer, std::uint32_t theirs, std::size_t sent,
                        std::size_t expected) const {
  const std::string we = "VP " + std::to_string(me_.rank());
  const std::string they = "VP " + std::to_string(peer), ours(operation());
  const auto number = [](std::uint32_t tag) { return tag >> 8 & 0xfff; };
  if (operation_of(theirs) != operation_of(stamp_))
    throw usage_error(we + " is in " + ours + " while " + they + " is in " +
                      std::string(name_of(operation_of(theirs))) +
                      ": all of a segment take part in its operations in the same order");
  if (number(theirs) != number(stamp_))
    throw usage_error(
        ours + ": what " + they + " sends belongs to operation number " +
        std::to_string(number(theirs)) + " of the segment, and " + we + " is in number " +
        std::to_string(number(stamp_)) +
        ": all must take part in every one, with the same root and counts and the same options");
  if (sent != expected)
    throw usage_error(ours + ": " + they + " sends " + std::to_string(sent) + " bytes, " + we +
                      " expects " + std::to_string(expected) +
                      ": all must give the same counts and options");
  throw usage_error(ours + ": " + they + " and " + we +
                    " have other counts, root, blocks, schedule, groups, radix, ports, costs or "
                    "operators: all must give the same options");
}

void endpoint::mismatch(std::uint32_t rank, std::size_t theirs, std::size_t ours) const {
  mismatch(vp_of(rank), stamp_, theirs, ours);
}

void endpoint::differs(std::uint32_t rank, std::uint64_t stamp, std::size_t theirs,
                       std::size_t ours) const {
  mismatch(vp_of(rank), static_cast<std::uint32_t>(stamp), theirs, ours);
}

std::exception_ptr endpoint::left_over() const {
  // A remote edge knows whether all of it was taken when the run is over on all ranks.
  const auto untaken = [&](const edge& to) {
    return to.half != nullptr ? vp_access::remote_rings_settled(me_) && to.half->untaken()
                              : !to.ring->drained();
  };
  const edge* left = nullptr;
  for (const auto& [rank, to] : outgoing_) {
    if (untaken(*to) && (left == nullptr || to->peer < left->peer)) left = to.get();
  }
  if (left == nullptr) return levels_ == nullptr ? nullptr : levels_->left_over();
  const std::uint32_t tag =
      left->half != nullptr ? left->half->oldest_tag() : left->ring->front().tag;
  const std::string they = "VP " + std::to_string(left->peer);
  return std::make_exception_ptr(usage_error(
      std::string(name_of(operation_of(tag))) + ": what VP " + std::to_string(me_.rank()) +
      " sent " + they + " was never taken: " + they +
      " left the operation out, or gave another root, counts or options; all of a segment take "
      "part in the same operations in the same order, with the same root, counts and options"));
}

std::byte* endpoint::scratch(std::size_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_.reset();
    scratch_bytes_ = 0;
    // No element is aligned to more than its size, of which there is room for one at least.
    constexpr std::size_t page = 4096;
    const std::size_t alignment = std::clamp(std::bit_floor(bytes), destructive_distance, page);
    scratch_.reset(take_memory(bytes, alignment));
    scratch_bytes_ = bytes;
  }
  return static_cast<std::byte*>(scratch_.get());
}

std::byte* endpoint::packed(std::size_t bytes) {
  packed_.emplace_back(nullptr, &give_back_memory);
  packed_.back().reset(take_memory(bytes, cache_line));
  return static_cast<std::byte*>(packed_.back().get());
}

const std::byte* endpoint::realigned(const std::byte* data, std::size_t bytes,
                                     std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(data) % alignment == 0) return data;
  const bool fits = bytes <= realigned_bytes_ &&
                    reinterpret_cast<std::uintptr_t>(realigned_.get()) % alignment == 0;
  if (!fits) {
    realigned_.reset();
    realigned_bytes_ = 0;
    realigned_.reset(take_memory(bytes, alignment));
    realigned_bytes_ = bytes;
  }
  std::memcpy(realigned_.get(), data, bytes);
  return static_cast<const std::byte*>(realigned_.get());
}

std::span<const std::byte*> endpoint::pointers(std::size_t count) {
  pointers_.assign(count, nullptr);
  return pointers_;
}

endpoint& endpoint_of(vp& me, const segment& in) {
  std::unique_ptr<attachment>& kept = vp_access::attached(me);
  if (kept == nullptr) kept = std::make_unique<endpoints>();
  auto& all = static_cast<endpoints&>(*kept).all;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!same(all[k]->where(), in)) continue;
    if (k != 0) std::swap(all[k], all.front());
    return *all.front();
  }
  check_segment(me, in);
  all.insert(all.begin(), std::make_unique<endpoint>(me, in));
  return *all.front();
}

}  // namespace pleat::detail
