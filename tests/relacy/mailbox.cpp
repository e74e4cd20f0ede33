// SPDX-License-Identifier: Apache-2.0
// The memory of messages is the C library's here: it lives longer than one run of a test.
#include "mail/mailbox.hpp"

#include <pleat/runtime/barrier.hpp>

#include "../../runtime/src/base/abi.cpp"
#include "../../runtime/src/mail/outbox.cpp"

namespace pleat::detail {

void* take_memory(std::size_t bytes, std::size_t alignment) {
  return std::aligned_alloc(alignment, bytes);
}
void give_back_memory(void* memory) noexcept { std::free(memory); }

}  // namespace pleat::detail

namespace {

/// Workers that meet at a barrier.
struct meeting {
  explicit meeting(std::size_t members) : barrier(members) {}

  void pass(std::size_t self, std::uint64_t epoch) {
    barrier.announce(self, epoch);
    while (barrier.poll(self).reached < epoch) searched::give_way();
  }
  pleat::flat_barrier barrier;
};

/// One worker fills a mailbox before each barrier, the other takes what it finds behind it, and
/// then arrives at the next one; two mailboxes take turns. The sender fills one after the receiver
/// has left, too.
struct mail_crosses : rl::test_suite<mail_crosses, 2> {
  static constexpr std::uint64_t taken = 3;

  void before() {
    workers.emplace(2);
    for (auto& box : boxes) box.emplace();
  }
  void after() {
    for (auto& box : boxes) box.reset();
    workers.reset();
    searched::forget_atomics();
  }
  void thread(unsigned self) {
    for (std::uint64_t epoch = 1; epoch <= (self == 0 ? taken + 3 : taken); ++epoch) {
      pleat::detail::mailbox& box = *boxes[epoch & 1];
      if (self == 0) {
        box.discard();
        pleat::detail::outbox packed(std::move(box.buffer));
        packed.send(0, 1, &epoch, sizeof epoch);
        packed.move_to(box.buffer);
        carried[epoch & 1](RL_INFO) = epoch;
        box.fill(epoch);
        workers->pass(0, epoch);
      } else {
        workers->pass(1, epoch);
        RL_ASSERT(box.is_full(epoch));
        RL_ASSERT(carried[epoch & 1](RL_INFO) == epoch);
        box.taken();
      }
    }
    if (self == 1) workers->barrier.announce(1, pleat::forever);
  }

  std::optional<meeting> workers;
  std::optional<pleat::detail::mailbox> boxes[2];
  rl::var<std::uint64_t> carried[2];
};

/// One worker leaves something behind and then leaves; the other finds it at the next barrier.
struct leftovers_are_found : rl::test_suite<leftovers_are_found, 2> {
  void before() {
    workers.emplace(2);
    left.emplace();
  }
  void after() {
    left.reset();
    workers.reset();
    searched::forget_atomics();
  }
  void thread(unsigned self) {
    if (self == 0) {
      carried(RL_INFO) = 1;
      left->put(1);
      workers->barrier.announce(0, pleat::forever);
      return;
    }
    workers->pass(1, 1);
    RL_ASSERT(!left->empty());
    left->collect([&](int one) { return carried(RL_INFO) == one; });
    RL_ASSERT(left->empty());
  }

  std::optional<meeting> workers;
  std::optional<pleat::detail::leftovers<int>> left;
  rl::var<int> carried;
};

}  // namespace

int main() {
  searched::search<mail_crosses>("mail", 2);
  searched::search<leftovers_are_found>("leftovers", 3);
  return searched::verdict();
}
