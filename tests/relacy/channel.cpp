// SPDX-License-Identifier: Apache-2.0
#include <pleat/channels/channel.hpp>

namespace {

using pleat::channel_status;
using numbers = pleat::channel<unsigned>;

/// A channel with room for one element, and what its producer and consumer share beside it.
struct with_channel : searched::test {
  numbers ring{1};
  unsigned beside = 0;
};

// The ways to push and to pop.
struct one {
  static bool push(numbers& to, unsigned value) { return to.try_push(value) == channel_status::ok; }
  static channel_status pop(numbers& from, const auto& see) { return from.consume(see); }
};
struct one_when_told {
  static bool push(numbers& to, unsigned value) {
    return to.push_status() == channel_status::ok && one::push(to, value);
  }
  static channel_status pop(numbers& from, const auto& see) {
    const channel_status now = from.pop_status();
    return now == channel_status::ok ? one::pop(from, see) : now;
  }
};
struct batches {
  static bool push(numbers& to, unsigned value) { return to.try_push({&value, 1}) == 1; }
  static channel_status pop(numbers& from, const auto& see) {
    return from.consume_all(see) != 0 ? channel_status::ok : one::pop(from, see);
  }
};

/// Elements come in their order, all of them before the end. What an element stands for is written
/// before it is pushed, and again once the channel is drained.
template <class Way> struct elements_cross : with_channel {
  static constexpr unsigned count = 2;

  void thread(unsigned self) override {
    if (self == 0) {
      for (unsigned i = 0; i < count; ++i) {
        while (!ring.drained()) searched::give_way();
        beside = i;
        while (!Way::push(ring, i)) searched::give_way();
      }
      ring.close();
      return;
    }
    unsigned seen = 0;
    const auto see = [&](unsigned element) {
      searched::require(element == seen && beside == seen);
      ++seen;
    };
    while (true) {
      const channel_status now = Way::pop(ring, see);
      if (now == channel_status::closed) break;
      if (now == channel_status::empty) searched::give_way();
    }
    searched::require(seen == count);
  }
};

/// The reason for poison is read by whoever finds out.
template <auto poisoned> struct reason_is_read : with_channel {
  void thread(unsigned self) override {
    if (self == 0) {
      beside = 1;
      ring.poison();
      return;
    }
    while (!poisoned(ring)) searched::give_way();
    searched::require(beside == 1);
  }
};
bool by_push(numbers& at) { return at.try_push(1) == channel_status::poisoned; }
bool by_push_status(numbers& at) { return at.push_status() == channel_status::poisoned; }
bool by_pop(numbers& at) {
  return at.consume([](unsigned) {}) == channel_status::poisoned;
}
bool by_pop_status(numbers& at) { return at.pop_status() == channel_status::poisoned; }
bool by_question(numbers& at) { return at.poisoned(); }

}  // namespace

int main() {
  searched::search<elements_cross<one>>("one", 2, 3);
  searched::search<elements_cross<one_when_told>>("one when told", 2, 3);
  searched::search<elements_cross<batches>>("batches", 2, 3);
  searched::search<reason_is_read<by_push>>("poison, try_push", 2, 3);
  searched::search<reason_is_read<by_push_status>>("poison, push_status", 2, 3);
  searched::search<reason_is_read<by_pop>>("poison, consume", 2, 3);
  searched::search<reason_is_read<by_pop_status>>("poison, pop_status", 2, 3);
  searched::search<reason_is_read<by_question>>("poison, poisoned", 2, 3);
  return searched::verdict();
}
