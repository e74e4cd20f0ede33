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
#include "engine/wait_states.hpp"
#include "mail/process_layout.hpp"
#include "processes/gathered_costs.hpp"
#include "processes/link.hpp"
#include "processes/packet.hpp"
#include "processes/process_exchange.hpp"
#include "processes/quiescence.hpp"
#include "processes/remote_rings.hpp"

namespace pleat::detail {

/// Other processes of a machine, over a link: begins and ends runs with them. Barriers and mail are
/// process_exchange's, channels are remote_rings'.
///
/// Every process calls run. When its virtual processors have ended, or the run has failed there, it
/// tells process 0, which tells all when the last of them has ended, or of the first failure it
/// hears of. Until then worker 0 of each process serves the others.
///
/// Cost of a run: two messages for each process, one after the other at process 0.
/// Thread safety: worker 0 of a run, and whoever calls run; all_idle from any worker.
class PLEAT_API process_group final : public other_processes {
 public:
  /// Facts about each process that the others know.
  struct share {
    std::size_t workers;     // threads that carry out virtual processors
    std::size_t processors;  // of the machine
    bool strict;
    bool traces, dummies;   // see tracing
    std::uint64_t between;  // so many processors
  };
  /// Makes a machine together with all other processes. Returns when all have come.
  /// Throws: usage_error if they differ in what must be alike; the error that kept one of them
  /// away.
  process_group(run_state& run, std::shared_ptr<link> to, const share& mine);
  /// Tells the others, whose next run ends with an error that names this process if it has not left
  /// as they have. Waits for no process.
  ~process_group() override;
  /// Tells the others that this process cannot make a machine. Throws what all of them throw: the
  /// first cause that process 0 has received.
  static void stay_away(link& from, const std::exception_ptr& why);
  /// Tells the others that the link ends: a process that waits for this one to make a machine on it
  /// gets an error, now or when it begins to. Waits for no process.
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
  [[nodiscard]] remote_ring& ring_to(std::size_t source, std::size_t destination,
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
  /// Exchanges the shares of all processes. Throws why there is no machine: `failed`, or the error
  /// of another process.
  [[nodiscard]] static std::vector<share> introduce(link& by, const share& mine,
                                                    const std::exception_ptr& failed,
                                                    std::list<link::arrival>& early);

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
  // Costs of this process; on process 0, of all
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
    std::size_t process;
    std::uint64_t run;  // the first in which it has no part
    bool unwinding;
  };
  std::optional<departure> departed_;  // the first that concerns this process
  void receive_departure(const departure& of);
  void end_without_departed();

  bool over_ = false;
  std::size_t culprit_ = 0;  // the process on which it failed
  std::exception_ptr failure_;
  totals totals_;
  byte_buffer costs_;  // of a run that was counted, as bytes

  // On process 0
  std::optional<gathered_costs> gathered_;
  quiescence quiet_;
  std::vector<std::optional<wait_states>> waits_;
  std::size_t waits_received_ = 0;
};

}  // namespace pleat::detail
