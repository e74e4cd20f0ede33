// SPDX-License-Identifier: Apache-2.0
// Mail of workers that meet at the barrier of their cluster, from the outbox to the inbox.
#include "mail/mail.cpp"

#include "base/abi.cpp"
#include "engine/barriers.cpp"
#include "mail/delivery.cpp"
#include "mail/outbox.cpp"

namespace pleat::detail {

void* take_memory(std::size_t bytes, std::size_t alignment) {
  return std::aligned_alloc(alignment, bytes);
}
void give_back_memory(void* memory) noexcept { std::free(memory); }

}  // namespace pleat::detail

namespace {

using namespace pleat::detail;

/// A worker with one virtual processor, which sends to its neighbours.
struct worker {
  worker(run_plan& plan, std::size_t number, std::size_t workers)
      : state(reinterpret_cast<vp_host&>(vps), static_cast<std::uint32_t>(number)) {
    vps = {number,
           &plan,
           &plan.folding,
           &plan.workers[number],
           plan.ranks_of(number),
           workers,
           pleat::label_count(workers),
           &state,
           1};
    state.resume_point = std::noop_coroutine();
    for (membership& p : vps.shared().all) p.begin(0);
    post.start(true);
  }

  void send(std::size_t to, std::uint64_t value, std::size_t bytes) {
    const std::array<std::uint64_t, 8> content{value, value};
    messages.outside[to].send(state.rank, static_cast<std::uint32_t>(to), content.data(), bytes);
  }
  /// Passes the barrier of all. Returns the sum of what has come.
  std::uint64_t sync() {
    membership& p = vps.shared().all[0];
    post.pack(p);
    p.where->barrier.announce(p.member, ++p.epoch);
    while (p.where->barrier.poll(p.member).reached < p.epoch) searched::give_way();
    post.deliver(p);
    std::uint64_t sum = 0;
    if (state.inbox == nullptr) return sum;
    const record* const first = state.inbox->next;
    for (const record* r = first;;) {
      sum += load_payload<std::uint64_t>(r->payload());
      --messages.unreceived[r->home];
      r = r->next;
      if (r == first) break;
    }
    state.inbox = nullptr;
    return sum;
  }
  void end() {
    membership& p = vps.shared().all[0];
    post.leave_behind(p);
    p.where->barrier.announce(p.member, p.end);
  }

  vp_state state;
  local_vps vps;
  vp_messages messages;
  channel_waits waits;
  time_account times;
  mail post{vps, messages, waits, times};
};

template <std::size_t members> struct with_workers : searched::test {
  with_workers() {
    for (std::size_t i = 0; i < members; ++i) made[i].emplace(plan, i, members);
  }
  ~with_workers() override {
    for (auto& one : made) one->post.discard();
  }
  run_plan plan{members, members};
  std::optional<worker> made[members];
};

/// Both send in each of some supersteps, but worker 0 in the first: what fits into a mailbox, and
/// what does not. So a receiver may see mailboxes that are made for a later superstep.
template <unsigned supersteps> struct mail_crosses : with_workers<2> {
  void thread(unsigned self) override {
    for (unsigned step = 1; step <= supersteps; ++step) {
      if (self == 1 || step > 1) made[self]->send(1 - self, step, step == 2 ? 64 : 8);
      searched::require(made[self]->sync() == (self == 0 || step > 1 ? step : 0));
    }
    made[self]->end();
  }
};

/// One ends and leaves its messages behind; the other finds them at its next barrier.
struct leftovers_are_found : with_workers<2> {
  void thread(unsigned self) override {
    if (self == 0) {
      made[0]->send(1, 7, 8);
      return made[0]->end();
    }
    const std::uint64_t first = made[1]->sync();
    searched::require(first + made[1]->sync() == 7);
  }
};

/// Mailboxes of so many members that senders share notices: those of the first and of the second
/// group fill theirs.
template <std::size_t senders> struct notices_are_seen : searched::test {
  static constexpr std::size_t members = 17, to = 3;

  void thread(unsigned self) override {
    for (std::uint64_t epoch = 1; epoch <= 2; ++epoch) {
      if (self < senders && epoch % 2 == self % 2) {
        const std::size_t from = self == 0 ? 0 : members - self;
        mailbox& mine = boxes.of_sender(from, to, epoch);
        outbox packed(std::move(mine.buffer));
        packed.send(0, 1, &epoch, sizeof epoch);
        packed.move_to(mine.buffer);
        mine.fill(epoch);
        boxes.announce(from, to, epoch);
      }
      meeting.announce(self, epoch);
      while (meeting.poll(self).reached < epoch) searched::give_way();
      if (self < senders) continue;
      unsigned full = 0;
      boxes.for_each_full(
          to, epoch, [&](mailbox& box) { ++full, box.taken(); }, [] {});
      searched::require(full == (senders + (epoch + 1) % 2) / 2);
    }
  }

  mailboxes boxes{members};
  pleat::flat_barrier meeting{senders + 1};
};

}  // namespace

int main(int count, char**) {
  if (count > 1) {  // what takes longer
    searched::search<mail_crosses<3>>("mail, 3 supersteps", 2, 2);
    return searched::verdict();
  }
  searched::search<mail_crosses<2>>("mail", 2, 2);
  searched::search<leftovers_are_found>("leftovers", 2, 3);
  searched::search<notices_are_seen<2>>("notices", 3, 1);
  return searched::verdict();
}
