// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

/// What a machine keeps from run to run: the schedules of every size of segment it has met.
struct tables final : attachment {
  std::map<std::uint32_t, std::shared_ptr<const circulant_table>> of_size;
};

std::shared_ptr<const circulant_table> shared_table(vp& me, const circulant_graph& graph) {
  shared_attachment& kept = vp_access::attached_to_machine(me);
  const std::scoped_lock lock(kept.mutex);
  if (kept.content == nullptr) kept.content = std::make_unique<tables>();
  auto& table = static_cast<tables&>(*kept.content).of_size[graph.processors()];
  if (table == nullptr) table = std::make_shared<const circulant_table>(graph);
  return table;
}

/// What a virtual processor keeps to the end of the run.
struct endpoints final : attachment {
  std::vector<std::unique_ptr<endpoint>> all;  // the last one used first
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

}  // namespace

std::string_view name_of(collective operation) noexcept {
  switch (operation) {
    case collective::broadcast:
      return "broadcast";
    case collective::all_gather:
      return "all_gather";
    case collective::reduce:
      return "reduce";
    case collective::reduce_scatter:
      return "reduce_scatter";
    case collective::all_reduce:
      return "all_reduce";
    case collective::all_to_all:
      return "all_to_all";
    case collective::scatter:
      return "scatter";
    case collective::gather:
      return "gather";
    case collective::exchange:
      return "an ordered reduction or scan";
    case collective::meet:
      return "the end of an ordered reduction or scan";
  }
  return "no collective operation";
}

endpoint::endpoint(vp& me, const segment& in)
    : me_(me),
      segment_(in),
      rank_(static_cast<std::uint32_t>(me.rank() - in.first)),
      graph_(in.size) {}

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
    const std::size_t peer = segment_.first + rank;
    const unsigned context = std::min(segment_.label, vp_channels::contexts - 1);
    line_ring& ring = outgoing ? vp_access::ring_to(me_, peer, context)
                               : vp_access::ring_from(me_, peer, context);
    made = std::make_unique<edge>(edge{&ring, static_cast<std::uint32_t>(peer), false});
  }
  return *made;
}

void endpoint::push_lent(edge& to, collective operation, const void* data, std::size_t bytes,
                         const void* more) {
  if (!to.lent) {
    to.lent = true;
    lending_.push_back(&to);
  }
  const token lent{static_cast<const std::byte*>(data), bytes, static_cast<const std::byte*>(more)};
  to.ring->push(tag_of(operation), lends, sizeof lent,
                [&](std::byte* line) { std::memcpy(line, &lent, sizeof lent); });
  vp_access::notify(me_, to.peer);
}

void endpoint::push(edge& to, collective operation, const std::byte* data, std::size_t bytes,
                    std::size_t most_copied) {
  if (bytes > most_copied) return push_lent(to, operation, data, bytes);
  push_filled(to, operation, bytes, [&](std::byte* line) {
    if (bytes != 0) std::memcpy(line, data, bytes);
  });
}

void endpoint::mismatch(std::uint32_t peer, std::uint32_t theirs, std::size_t sent,
                        std::uint32_t ours, std::size_t expected) const {
  const std::string we = "VP " + std::to_string(me_.rank());
  const std::string they = "VP " + std::to_string(peer);
  const std::string operation(name_of(operation_of(ours)));
  if (operation_of(theirs) != operation_of(ours)) {
    throw usage_error(we + " is in " + operation + " while " + they + " is in " +
                      std::string(name_of(operation_of(theirs))) +
                      ": all of a segment take part in its operations in the same order");
  }
  if (sent != expected) {
    throw usage_error(operation + ": " + they + " sends " + std::to_string(sent) + " bytes, " + we +
                      " expects " + std::to_string(expected) +
                      ": all must give the same counts and options");
  }
  throw usage_error(
      operation + ": " + they + " and " + we +
      " are not in the same one, or with other counts, root, blocks, radix or ports: all "
      "must give the same options, in the same order of operations");
}

void endpoint::mismatch(std::uint32_t rank, std::size_t theirs, std::size_t ours) const {
  const std::uint32_t tag = tag_of(collective::exchange);
  mismatch(static_cast<std::uint32_t>(segment_.first + rank), tag, theirs, tag, ours);
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
