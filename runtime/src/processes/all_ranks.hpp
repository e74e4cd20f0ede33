// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "engine/other_processes.hpp"
#include "engine/waits_census.hpp"
#include "mail/rank_layout.hpp"
#include "processes/far_rings.hpp"
#include "processes/gathered_costs.hpp"
#include "processes/link.hpp"
#include "processes/packet.hpp"
#include "processes/quiescence.hpp"
#include "processes/rank_exchange.hpp"

namespace pleat::detail {

/// What this process has to do with the other processes of its machine, the *ranks*: barriers and
/// mail are the exchange's, channels are far_rings'; here is what a run begins and ends with.
///
/// Every rank calls run. When its virtual processors have ended, or the run has failed there, it
/// tells rank 0, which tells all when the last of them has ended, or of the first failure it hears
/// of. Until then worker 0 of each rank serves the others.
///
/// Cost of a run: two messages for each rank, one after the other at rank 0.
/// Thread safety: worker 0 of a run, and whoever calls run; all_idle from any worker.
class PLEAT_API all_ranks final : public other_processes {
 public:
  /// Of each rank, what the others know of it.
  struct share {
    std::size_t workers;     // threads that carry out virtual processors
    std::size_t processors;  // of the machine
    bool strict;
    bool traces, dummies;   // see tracing
    std::uint64_t between;  // so many processors
  };
  /// A machine is made, by all ranks. Returns when all have come.
  /// Throws: usage_error if they differ in what must be alike; what kept one of them away.
  all_ranks(run_state& run, std::shared_ptr<link> to, const share& mine);
  /// Tells the others, whose next run ends with an error that names this rank if it has not left
  /// as they have. Waits for nobody.
  ~all_ranks() override;
  /// Instead of that, where a machine cannot be made: tells the others. Returns by throwing what
  /// all of them throw, the first cause that rank 0 has heard of.
  static void stay_away(link& from, const std::exception_ptr& why);
  /// The link ends: whoever waits for this rank to make a machine on it gets an error, now or when
  /// it begins to. Waits for nobody.
  static void part(link& from) noexcept;

  void enter() override { link_->enter(); }
  void begin(std::size_t v) override;
  [[nodiscard]] std::unique_ptr<remote_part> part_in(std::size_t first, std::size_t last,
                                                     std::size_t members) override;
  bool drive(bool idle) override;
  void all_idle(std::uint64_t generation) noexcept override {
    // release: pairs with the acquire in is_idle
    idle_in_.store(generation, std::memory_order_release);
  }
  void report_costs(const part_of_barrier& part,
                    std::span<const counted_messages> messages) override;
  void take_back_loans() noexcept override { link_->take_back_loans(); }
  [[nodiscard]] far_ring& ring_to(std::size_t source, std::size_t destination,
                                  unsigned context) override;
  [[nodiscard]] line_ring& ring_from(std::size_t source, std::size_t destination,
                                     unsigned context) override;
  [[nodiscard]] bool rings_settled() const noexcept override { return rings_->settled(); }
  [[nodiscard]] std::exception_ptr conclude(
      std::exception_ptr cause,
      const std::function<std::exception_ptr()>& left_over) noexcept override;
  [[nodiscard]] const totals& of_run() const noexcept override { return totals_; }
  [[nodiscard]] counted_run take_costs() override;

 private:
  [[nodiscard]] byte_buffer front(packet_kind kind, std::uint64_t epoch = 0) const;
  void post(std::size_t to, byte_buffer packet);
  void post_copy(std::size_t to, const byte_buffer& packet);
  void post_to_all(const byte_buffer& packet);
  /// Of each rank, its share. Throws why there is no machine: `failed`, or what another has said.
  [[nodiscard]] static std::vector<share> introduce(link& by, const share& mine,
                                                    const std::exception_ptr& failed,
                                                    std::list<link::arrival>& early);

  void take(link::arrival&& arrived);
  void take(std::size_t from, const packet_head& head, byte_reader content);
  bool advance(bool idle);
  [[nodiscard]] bool is_idle() const noexcept;

  // What this rank says, and rank 0 hears
  void report_idle();
  void report_end();
  void report_failure(const std::exception_ptr& cause);
  void answer(std::uint64_t question);
  void report_waits();
  // What it counts; on rank 0, of all
  void begin_costs();
  void hear_costs(byte_reader content);

  // On rank 0
  void look_around();
  void settle();
  void heard_end(std::size_t from, const totals& of_rank);
  void end(std::size_t culprit, const std::exception_ptr& cause);
  void heard_answer(std::size_t from, std::uint64_t question, bool idle, std::uint64_t sent,
                    std::uint64_t received);
  void heard_waits(std::size_t from, waits_census waits);
  void tell_all_alike(const byte_buffer& packet) noexcept;
  void finish(std::size_t culprit, const std::exception_ptr& cause);

  run_state& run_;
  std::shared_ptr<link> link_;
  link::hold hold_;
  std::optional<rank_exchange> exchange_;
  std::optional<far_rings> rings_;

  std::uint64_t number_ = 0;  // of the run
  std::size_t v_ = 0;
  std::list<link::arrival> early_;  // of runs to come
  std::list<link::arrival> spare_;  // room for one more, before it is taken from the link
  std::atomic<std::uint64_t> idle_in_{0};
  std::uint64_t reported_idle_in_ = 0;
  bool stopped_ = false;  // the run has failed here: no barrier is served any more
  bool ended_ = false;    // all virtual processors have ended here

  const std::function<std::exception_ptr()>* left_over_ = nullptr;

  struct departure {
    std::size_t rank;
    std::uint64_t run;  // the first in which it has no part
    bool unwinding;
  };
  std::optional<departure> departed_;  // the first that concerns this rank
  void heard_departure(const departure& of);
  void end_without_departed();

  bool over_ = false;
  std::size_t culprit_ = 0;  // the rank on which it failed
  std::exception_ptr failure_;
  totals totals_;
  byte_buffer costs_;  // of a run that was counted, as bytes

  // On rank 0
  std::optional<gathered_costs> gathered_;
  quiescence quiet_;
  std::vector<std::optional<waits_census>> waits_;
  std::size_t waits_heard_ = 0;
};

}  // namespace pleat::detail
