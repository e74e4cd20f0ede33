// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "engine/other_processes.hpp"
#include "mail/run_plan.hpp"
#include "processes/gathered_costs.hpp"
#include "processes/link.hpp"
#include "processes/process_exchange.hpp"
#include "processes/quiescence.hpp"
#include "processes/remote_rings.hpp"
#include "processes/wire.hpp"

namespace pleat::detail {

/// Implements other_processes over a link: begins and ends runs with the other processes.
/// process_exchange implements barriers and mail, remote_rings implements channels.
///
/// Every process calls run. When its virtual processors have ended, or the run has failed there,
/// the process reports that to process 0. Process 0 ends the run for all processes when the last of
/// them has ended, or at the first failure reported. Until then worker 0 of each process serves the
/// others.
///
/// Cost of a run: two messages for each process, which process 0 handles one after the other.
/// Thread safety: calls by worker 0 of a run, and by the caller of run; all_idle by any worker.
class process_group final : public other_processes {
 public:
  /// See take_part.
  process_group(run_state& run, std::shared_ptr<link> to, const process_share& mine);
  /// Notifies the others. If one of them does not leave too, its next run ends with an error that
  /// names this process. Does not wait for other processes.
  ~process_group() override;
  /// Notifies the others that the link ends: a process that waits for this one to make a machine on
  /// it gets an error, now or when it begins to wait. Does not wait for other processes.
  PLEAT_API static void part(link& from) noexcept;

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
  [[nodiscard]] remote_ring& ring_to(const ring_ends& of) override { return rings_->to(of); }
  [[nodiscard]] line_ring& ring_from(const ring_ends& of) override { return rings_->from(of); }
  [[nodiscard]] bool rings_settled() const noexcept override { return rings_->settled(); }
  [[nodiscard]] std::exception_ptr conclude(std::exception_ptr cause) noexcept override;
  [[nodiscard]] const totals& of_run() const noexcept override { return totals_; }
  [[nodiscard]] counted_run take_costs() override;

 private:
  [[nodiscard]] byte_buffer front(packet_kind kind, std::uint64_t epoch = 0) const;
  void post(std::size_t to, byte_buffer packet);
  void post_to_all(const byte_buffer& packet);
  void take(link::arrival&& arrived);
  void take(std::size_t from, const packet_head& head, byte_reader content);
  bool advance(bool idle);
  [[nodiscard]] bool is_idle() const noexcept;

  // Reports of this process to process 0
  void report_idle();
  void report_end();
  void report_failure(const std::exception_ptr& cause);
  void answer(std::uint64_t question);
  void report_waits();
  // Costs of this process; on process 0, of all processes
  void begin_costs();
  void receive_costs(byte_reader content);

  // On process 0
  void look_around();
  void settle();
  void receive_end(std::size_t from, const totals& of_process);
  void end(std::size_t culprit, const std::exception_ptr& cause);
  void receive_answer(std::size_t from, std::uint64_t question, bool idle, std::uint64_t sent,
                      std::uint64_t received);
  void receive_waits(std::size_t from, wait_states waits);
  void post_to_all_alike(const byte_buffer& packet) noexcept;
  void finish(std::size_t culprit, const std::exception_ptr& cause);

  run_state& run_;
  std::shared_ptr<link> link_;
  link::hold hold_;
  std::optional<process_exchange> exchange_;
  std::optional<remote_rings> rings_;

  std::uint64_t number_ = 0;  // number of the run
  std::size_t v_ = 0;
  std::list<link::arrival> early_;  // room for one more, allocated before it is received
  std::list<link::arrival> spare_;  // room for one more, before it is taken from the link
  std::atomic<std::uint64_t> idle_in_{0};
  std::uint64_t reported_idle_in_ = 0;
  bool stopped_ = false;  // the run has failed here: barriers are not served
  bool ended_ = false;    // all virtual processors have ended here

  struct departure {
    std::size_t process;
    std::uint64_t run;  // the first run in which it has no part
    bool unwinding;
  };
  std::optional<departure> departed_;  // the first one that concerns this process
  void end_without_departed();

  bool over_ = false;
  std::size_t culprit_ = 0;  // the process on which the run failed
  std::exception_ptr failure_;
  totals totals_;
  byte_buffer costs_;  // costs of a counted run, as bytes

  // On process 0
  std::optional<gathered_costs> gathered_;
  quiescence quiet_;
  std::vector<std::optional<wait_states>> waits_;
  std::size_t waits_received_ = 0;
};

}  // namespace pleat::detail
