// SPDX-License-Identifier: Apache-2.0
#include "mail/mailboxes.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "seed.hpp"

namespace mailboxes_test {

using pleat::detail::mailbox;
using pleat::detail::mailboxes;

constexpr std::size_t itself = ~std::size_t{0};

using receipts = std::vector<std::vector<std::size_t>>;  // [receiver]: sizes of what comes

/// Fills mailboxes for an epoch, of one of `rarely` pairs; returns what is to be received.
receipts send(mailboxes& boxes, std::size_t members, std::uint64_t epoch, unsigned rarely,
              std::mt19937_64& random) {
  receipts expected(members);
  for (std::size_t from = 0; from < members; ++from) {
    for (std::size_t to = 0; to < members; ++to) {
      if (from == to) {
        expected[to].push_back(itself);
      } else if (random() % rarely == 0) {
        const std::size_t bytes = 8 * (1 + random() % 10);
        mailbox& box = boxes.of_sender(from, to, epoch);
        box.discard();
        box.buffer.clear();
        box.buffer.append(bytes);
        box.fill(epoch);
        boxes.announce(from, to, epoch);
        expected[to].push_back(bytes);
      }
    }
  }
  return expected;
}

/// Receives in an epoch after the next one has been sent.
void check(std::size_t members, unsigned rarely, std::mt19937_64& random) {
  mailboxes boxes(members);
  receipts expected = send(boxes, members, 1, rarely, random);
  for (std::uint64_t epoch = 1; epoch <= 5; ++epoch) {
    receipts next = send(boxes, members, epoch + 1, rarely, random);
    for (std::size_t to = 0; to < members; ++to) {
      std::vector<std::size_t> found;
      boxes.for_each_full(
          to, epoch,
          [&](mailbox& box) {
            found.push_back(box.bytes);
            box.taken();
          },
          [&] { found.push_back(itself); });
      ASSERT_EQ(found, expected[to]) << members << " members, epoch " << epoch << ", to " << to;
    }
    expected.swap(next);
  }
  for (std::size_t to = 0; to < members; ++to)
    boxes.for_each_full(
        to, 6, [](mailbox& box) { box.taken(); }, [] {});
}

TEST(mailboxes, are_two_of_its_own_for_every_pair_used_in_turn) {
  mailboxes boxes(5);
  std::set<const mailbox*> all;
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::size_t to = 0; to < 5; ++to) {
      for (const std::uint64_t epoch : {1, 2}) {
        EXPECT_EQ(&boxes.of_sender(from, to, epoch), &boxes.of_sender(from, to, epoch + 2));
        all.insert(&boxes.of_sender(from, to, epoch));
      }
    }
  }
  EXPECT_EQ(all.size(), 2u * 5 * 5);
}

TEST(mailboxes, are_found_in_the_order_of_the_senders) {
  std::mt19937_64 random(seed());
  for (const std::size_t members : {1u, 2u, 8u, 9u, 16u, 17u, 33u, 128u})
    for (const unsigned rarely : {1u, 3u, 50u, 5000u}) check(members, rarely, random);
}

}  // namespace mailboxes_test
