// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "../engines/rendezvous.hpp"
#include "checks.hpp"

namespace pleat::detail {

namespace {

std::string vp_of(const endpoint& on, std::uint32_t rank) {
  return "VP " + std::to_string(on.vp_of(rank));
}

void compare(const endpoint& on, std::uint32_t rank, const call_arguments& x,
             const call_arguments& first) {
  const auto expect = [&](const char* what, std::size_t theirs, std::size_t ours) {
    if (theirs == ours) return;
    refuse(on.operation(), vp_of(on, rank) + " gives " + what + " " + std::to_string(theirs) +
                               ", " + vp_of(on, 0) + " " + std::to_string(ours) +
                               ": all must give the same root, counts and options");
  };
  expect("root", x.root, first.root);
  expect("a count of", x.count, first.count);
  expect("blocks", x.blocks, first.blocks);
  expect("schedule", static_cast<std::size_t>(x.form.along),
         static_cast<std::size_t>(first.form.along));
  expect("groups of", x.form.groups.size, first.form.groups.size);
  expect("a place in groups of", x.form.groups.place, first.form.groups.place);
  expect("radix", x.radix, first.radix);
  expect("ports", x.ports, first.ports);
  if (x.in_order != first.in_order)
    refuse(on.operation(), vp_of(on, rank) + " and " + vp_of(on, 0) +
                               " disagree on whether the operator commutes: all must give the same "
                               "operator and collective_options::commutative");
  if (x.parts != first.parts)
    refuse(on.operation(), vp_of(on, rank) + " and " + vp_of(on, 0) +
                               " give different counts of the ranks: all must give the same list");
}

/// Memory of one rank.
struct range {
  const std::byte* begin;
  const std::byte* end;
  std::uint32_t rank;
  bool written;
};

/// Ranges so far that reach farthest: the one that does, and the one that does of other ranks.
class farthest {
 public:
  void add(const range& r) {
    const std::less<> before;
    if (best_ == nullptr || before(best_->end, r.end)) {
      if (best_ != nullptr && best_->rank != r.rank) second_ = best_;
      best_ = &r;
    } else if (best_->rank != r.rank && (second_ == nullptr || before(second_->end, r.end))) {
      second_ = &r;
    }
  }
  /// One that reaches beyond where `r` begins, of another rank; or null.
  [[nodiscard]] const range* beyond(const range& r) const {
    const range* const other = best_ != nullptr && best_->rank == r.rank ? second_ : best_;
    return other != nullptr && std::less<>()(r.begin, other->end) ? other : nullptr;
  }

 private:
  const range* best_ = nullptr;
  const range* second_ = nullptr;
};

void check_memory(const endpoint& on, std::vector<range> all) {
  std::sort(all.begin(), all.end(),
            [](const range& a, const range& b) { return std::less<>()(a.begin, b.begin); });
  farthest written, read;
  for (const range& r : all) {
    const range* other = written.beyond(r);
    if (other == nullptr && r.written) other = read.beyond(r);
    if (other != nullptr) {
      const range& writer = r.written ? r : *other;
      const range& user = r.written ? *other : r;
      refuse(on.operation(), "the output of " + vp_of(on, writer.rank) + " overlaps the " +
                                 (user.written ? "output" : "input") + " of " +
                                 vp_of(on, user.rank) + ": every rank needs an output of its own");
    }
    (r.written ? written : read).add(r);
  }
}

/// The memory of some ranks that one process carries out.
class memory_of_ranks {
 public:
  void add(std::uint32_t rank, const call_arguments& x) {
    if (x.in_bytes != 0) all_.push_back({x.in, x.in + x.in_bytes, rank, false});
    if (x.out_bytes != 0) all_.push_back({x.out, x.out + x.out_bytes, rank, true});
  }
  void check(const endpoint& on) { check_memory(on, std::exchange(all_, {})); }

 private:
  std::vector<range> all_;
};

/// Looks at the arguments of other ranks where they are; for ranks that see the same memory.
task<> agree_nearby(endpoint& on, const call_arguments& mine) {
  const rendezvous_awaiter arrived = meet(on, 0, {nullptr, nullptr, &mine});
  const shown all = co_await arrived;
  if (on.rank() == 0) {
    memory_of_ranks memory;
    for (std::uint32_t rank = 0; rank < on.size(); ++rank) {
      const auto& other = *static_cast<const call_arguments*>(all[rank].more);
      compare(on, rank, other, mine);
      memory.add(rank, other);
    }
    memory.check(on);
  }
  co_await part(on);
}

task<> agree_across(endpoint& on, const call_arguments& mine) {
  std::vector<call_arguments> all(on.rank() == 0 ? on.size() : 0);
  collective_traffic uncounted;
  task<> gathered = gather_parts(on, 0, reinterpret_cast<const std::byte*>(&mine),
                                 reinterpret_cast<std::byte*>(all.data()),
                                 {sizeof(call_arguments), 1}, uncounted);
  co_await gathered;
  if (on.rank() == 0) {
    memory_of_ranks memory;
    for (std::uint32_t rank = 0; rank < on.size(); ++rank) {
      compare(on, rank, all[rank], mine);
      // An address is one of its process.
      const std::size_t process = vp_access::space_of(on.me(), on.vp_of(rank));
      if (rank != 0 && process != vp_access::space_of(on.me(), on.vp_of(rank - 1)))
        memory.check(on);
      memory.add(rank, all[rank]);
    }
    memory.check(on);
  }
  std::byte nothing{};
  task<> told = broadcast_blocks(on, 0, &nothing, {1, 0, 1}, uncounted);
  co_await told;
}

}  // namespace

task<> agree(endpoint& on, collective operation, call_arguments mine) {
  if (on.size() == 1) co_return;
  on.begin_uncounted(operation, 0);
  const bool nearby = !vp_access::elsewhere(on.me(), on.vp_of(0)) &&
                      !vp_access::elsewhere(on.me(), on.vp_of(on.size() - 1));
  task<> work = nearby ? agree_nearby(on, mine) : agree_across(on, mine);
  co_await work;
}

}  // namespace pleat::detail
