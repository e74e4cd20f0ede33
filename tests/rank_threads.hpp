// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/machine.hpp>

#include "processes/link.hpp"
#include "processes/process_group.hpp"
#include "processes/wire.hpp"

/// The ranks of a machine as threads of one process: the library takes them for processes, and
/// sanitizers and debuggers see all of them.

/// A message on its way.
struct posted_message {
  /// Memory beside it that is read when the message is taken.
  struct loan {
    std::size_t at;  // beside
    pleat::lent_block content;
  };
  pleat::detail::link::arrival content;
  std::vector<loan> loans;
  bool broken = false;  // they were taken back
};

/// Messages between them: those from one to another in order, others in any.
class post_office {
 public:
  explicit post_office(std::size_t ranks) : boxes_(ranks) {
    for (box& one : boxes_) one.from.resize(ranks);
  }
  [[nodiscard]] std::size_t ranks() const noexcept { return boxes_.size(); }

  void put(std::size_t to, posted_message message) {
    const std::scoped_lock lock(boxes_[to].mutex);
    boxes_[to].from[message.content.from].push_back(std::move(message));
  }
  std::optional<pleat::detail::link::arrival> take(std::size_t to, std::size_t first) {
    const std::scoped_lock lock(boxes_[to].mutex);
    auto& from = boxes_[to].from;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t rank = (first + i) % from.size();
      while (!from[rank].empty() && from[rank].front().broken) from[rank].pop_front();
      if (from[rank].empty()) continue;
      posted_message one = std::move(from[rank].front());
      from[rank].pop_front();
      for (posted_message::loan& lent : one.loans)
        pleat::detail::copy_rows(lent.content, one.content.beside[lent.at].begin());
      return std::move(one.content);
    }
    return std::nullopt;
  }
  void take_back_loans(std::size_t of) {
    for (box& one : boxes_) {
      const std::scoped_lock lock(one.mutex);
      for (posted_message& message : one.from[of]) message.broken |= !message.loans.empty();
    }
  }

 private:
  struct box {
    std::mutex mutex;
    std::vector<std::deque<posted_message>> from;
  };
  std::vector<box> boxes_;
};

/// One rank's end of it. Counts the messages it posts for barriers and mail; how many there are to
/// find out that nobody goes on depends on time.
class posted_link : public pleat::detail::link {
 public:
  posted_link(post_office& office, std::size_t rank)
      : link(rank, office.ranks()), bytes_to(office.ranks()), office_(office), random_(rank) {}
  ~posted_link() override { pleat::detail::process_group::part(*this); }

  using link::post;
  void post(std::size_t to, std::span<pleat::detail::byte_buffer* const> parts,
            std::span<enclosure> beside) override {
    pleat::detail::byte_buffer whole;
    for (auto* const part : parts) {
      if (!part->empty()) std::memcpy(whole.append(part->size()), part->begin(), part->size());
      if (random_() % 2 == 0) part->release();  // some links keep it
    }
    const std::size_t before = bytes_posted;
    bytes_posted += whole.size();
    for (const enclosure& one : beside) bytes_posted += one.bytes();
    bytes_to[to] += bytes_posted - before;
    using pleat::detail::packet_kind;
    const auto head = pleat::detail::load_payload<pleat::detail::packet_head>(whole.begin());
    if (head.kind >= packet_kind::step && head.kind < packet_kind::quiet) ++posted;
    if (head.kind == packet_kind::left && head.label == 0) ++departures_posted;
    posted_message all{{self(), std::move(whole), {}}, {}};
    for (enclosure& one : beside) {
      const std::size_t bytes = one.bytes();
      auto* const copy = static_cast<std::byte*>(pleat::detail::take_memory(bytes, one.alignment));
      if (one.memory.empty())
        all.loans.push_back({all.content.beside.size(), one.lent});
      else
        std::memcpy(copy, one.memory.begin(), bytes);
      all.content.beside.push_back(pleat::detail::byte_buffer::of(copy, bytes));
      one.memory.release();
    }
    loans_posted += all.loans.size();
    office_.put(to, std::move(all));
  }
  void take_back_loans() noexcept override { office_.take_back_loans(self()); }
  std::optional<arrival> poll() override {
    if (random_() % 4 == 0) return std::nullopt;  // it is still on its way
    return office_.take(self(), random_());
  }

  std::size_t posted = 0;
  std::size_t bytes_posted = 0;  // of all messages
  std::vector<std::size_t> bytes_to;
  std::size_t loans_posted = 0;
  std::size_t departures_posted = 0;  // from the cluster of all ranks

 private:
  post_office& office_;
  std::minstd_rand random_;
};

/// Runs `act` on all ranks at once, each in a thread of its own, and waits for all. Returns what
/// each has thrown, or null.
inline std::vector<std::exception_ptr> on_all_ranks(std::size_t ranks,
                                                    const std::function<void(std::size_t)>& act) {
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        act(rank);
      } catch (...) {
        thrown[rank] = std::current_exception();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  return thrown;
}

/// Options of a rank with one worker.
inline pleat::rank_options one_worker(std::shared_ptr<posted_link> link) {
  return {{.processors = 1, .workers = pleat::workers::free}, std::move(link)};
}

/// A machine over ranks, with so many workers each. `cost`: that of messages, else measured.
class machine_of_ranks {
 public:
  explicit machine_of_ranks(const std::vector<unsigned>& workers,
                            pleat::machine_options options = {},
                            const pleat::detail::process_message_cost* cost = nullptr)
      : office_(workers.size()), links_(workers.size()), machines_(workers.size()) {
    if (!options.workers) options.workers = pleat::workers::free;
    const auto thrown = on_all_ranks(workers.size(), [&](std::size_t rank) {
      links_[rank] = std::make_shared<posted_link>(office_, rank);
      if (cost) links_[rank]->set_cost(*cost);
      pleat::machine_options mine = options;
      mine.processors = workers[rank];
      machines_[rank] =
          std::make_unique<pleat::machine>(pleat::rank_options(std::move(mine), links_[rank]));
    });
    for (const std::exception_ptr& one : thrown) {
      if (one) std::rethrow_exception(one);
    }
  }

  [[nodiscard]] std::size_t ranks() const noexcept { return machines_.size(); }
  [[nodiscard]] pleat::machine& on(std::size_t rank) const { return *machines_[rank]; }
  [[nodiscard]] posted_link& link(std::size_t rank) const { return *links_[rank]; }
  /// Fixes the kinds of barriers, see link::fix_radices, and the cost by which mail is forwarded.
  void fix_kinds(const std::vector<std::size_t>& radices,
                 const pleat::detail::process_message_cost& cost) {
    for (const auto& one : links_) {
      one->fix_radices(radices);
      one->set_cost(cost);
    }
  }

  struct outcome {
    std::vector<pleat::run_report> reports;  // [rank]
    std::vector<std::exception_ptr> thrown;  // [rank]
  };
  /// `program` is the same object on all ranks: as processes they would each have their own.
  template <class F> outcome run(std::size_t v, F&& program) {
    outcome all;
    all.reports.resize(ranks());
    all.thrown = on_all_ranks(
        ranks(), [&](std::size_t rank) { all.reports[rank] = on(rank).run(v, program); });
    return all;
  }

 private:
  post_office office_;
  std::vector<std::shared_ptr<posted_link>> links_;
  std::vector<std::unique_ptr<pleat::machine>> machines_;
};

/// Name of a test that has so many workers on each rank.
inline std::string name_of_workers(const testing::TestParamInfo<std::vector<unsigned>>& tested) {
  std::string name;
  for (const unsigned workers : tested.param)
    name += (name.empty() ? "" : "_") + std::to_string(workers);
  return name;
}

/// Words of an exception; none if nothing was thrown.
inline std::string words_of(const std::exception_ptr& thrown) {
  if (!thrown) return "";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  }
}
/// Words of what a run has thrown, which is to be the same on all ranks; none if it has succeeded.
inline std::string words_of(const machine_of_ranks::outcome& all) {
  for (const std::exception_ptr& one : all.thrown)
    EXPECT_EQ(words_of(one), words_of(all.thrown[0]));
  return words_of(all.thrown[0]);
}

/// Checks that all ranks have the same: returns the report, or throws the exception.
inline pleat::run_report same_on_all(const machine_of_ranks::outcome& all) {
  for (std::size_t rank = 0; rank < all.thrown.size(); ++rank) {
    EXPECT_EQ(words_of(all.thrown[rank]), words_of(all.thrown[0])) << "rank " << rank;
    EXPECT_EQ(all.reports[rank].messages, all.reports[0].messages);
    EXPECT_EQ(all.reports[rank].bytes, all.reports[0].bytes);
    EXPECT_EQ(all.reports[rank].supersteps, all.reports[0].supersteps);
  }
  if (all.thrown[0]) std::rethrow_exception(all.thrown[0]);
  return all.reports[0];
}
