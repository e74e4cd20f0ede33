// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <thread>

#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/machine.hpp>

#include "engine/vp_rings.hpp"
#include "host/binding.hpp"
#include "machine/environment.hpp"
#include "machine/machine_body.hpp"
#include "memory/memory_binding.hpp"
#include "memory/pages.hpp"
#include "threads/thread_team.hpp"

namespace pleat {

namespace {

/// Tells whether the run, or one of its virtual processors, failed with std::bad_alloc.
bool is_out_of_memory(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const vp_failed& failed) {
    return is_out_of_memory(failed.cause());
  } catch (...) {
    return false;
  }
}

}  // namespace

void detail::require_outside_calls() {
  if (!inside_a_call()) return;
  throw usage_error(
      "a run inside a run: a program of a machine, or a function given to a call of the "
      "library, can neither call machine.run nor take a turn; call functions of the library, "
      "which then work on this thread alone, or divide its segment");
}

machine::machine() : machine(machine_options{}) {}

machine::machine(machine_options options) : machine(rank_options(std::move(options), nullptr)) {}

machine::machine(rank_options given) {
  std::shared_ptr<detail::link>& link = given.link;
  try {
    const bool show = detail::environment::show_binding();
    detail::stay_loaded();
    body_ =
        std::make_unique<body>(*this, detail::complete(std::move(given.options), link != nullptr));
    if (show) body_->show_bindings();
    body_->warn_of_others();
  } catch (...) {
    if (link) detail::stay_away(*link, std::current_exception());
    throw;
  }
  if (link) body_->join_others(std::move(link));
}

machine::~machine() {
  // Leaks the body if its threads belong to the parent process or are still at work. The latter
  // happens if a worker, or another thread during a run, calls std::exit, which destroys static
  // machines.
  if (!body_->access.ours() || body_->access.locked())
    static_cast<void>(body_.release());
  else
    body_->release_memory();
}

machine::turn::turn(machine& on, use what) : on_(on), what_(what) {
  body& b = *on.body_;
  if (!b.inner) detail::require_outside_calls();
  if (what == use::scratch) on.require_one_memory();
  b.access.lock();
  try {
    if (what == use::scratch && b.scratch_in_use)
      throw usage_error(
          "a library program inside another's callback, on the same machine: its memory belongs to "
          "the outer call; give the inner one a machine of its own");
    b.enter();
  } catch (...) {
    b.access.unlock();
    throw;
  }
  if (what == use::scratch) b.scratch_in_use = true;
}

machine::turn::~turn() {
  if (what_ == use::scratch) on_.body_->scratch_in_use = false;
  on_.body_->leave();
  on_.body_->access.unlock();
}

machine::rank_turn::rank_turn(machine& on)
    : mine_(on), on_(on), sets_aside_(on.body_->run.others != nullptr) {
  if (sets_aside_) on_.body_->swap_other_processes();
}
machine::rank_turn::~rank_turn() {
  if (sets_aside_) on_.body_->swap_other_processes();
}

unsigned machine::processors() const noexcept {
  if (body_->run.others) return static_cast<unsigned>(body_->run.others->processors());
  return static_cast<unsigned>(body_->placement.processors.size());
}
unsigned machine::threads() const noexcept {
  if (body_->run.others) return static_cast<unsigned>(body_->run.others->layout().workers());
  return static_cast<unsigned>(body_->present());
}
std::size_t machine::rank() const noexcept {
  return body_->run.others ? body_->run.others->layout().self() : 0;
}
std::size_t machine::ranks() const noexcept {
  return body_->run.others ? body_->run.others->layout().processes() : 1;
}
void machine::require_one_memory() const {
  if (body_->run.others == nullptr) return;
  throw usage_error(
      "a library program on a machine over ranks: its data would lie in the memory of one rank, "
      "where the others cannot read them; give it pleat::distributed data, a "
      "pleat::machine::rank_turn, or a machine of this process");
}
rank_range machine::vps_here(std::size_t v) const noexcept {
  const detail::run_state& run = body_->run;
  if (run.others == nullptr || v == 0) return {0, v};
  const detail::process_layout& all = run.others->layout();
  return all.vps_of(all.self(), fold(v, std::min(v, all.workers())));
}
bool machine::oversubscribed() const noexcept { return body_->placement.oversubscribed; }
const memory_policy& machine::memory() const noexcept { return body_->memory; }
wait_policy machine::waiting() const noexcept { return body_->run.waiting; }
bool machine::strict() const noexcept { return body_->run.strict; }
std::size_t machine::default_vps() const noexcept {
  const std::size_t q = threads();
  return std::has_single_bit(q) ? q : std::bit_ceil(8 * q);
}
const topology& machine::topology() const noexcept { return body_->topology; }
const placement& machine::placement() const noexcept { return body_->placement; }
const cluster_tree& machine::clusters() const noexcept { return body_->clusters; }

std::span<std::byte> machine::scratch(std::size_t bytes) {
  body& b = *body_;
  if (bytes > b.scratch_bytes) {
    detail::unmap_pages(b.scratch, b.scratch_bytes);
    b.scratch_bytes = 0;
    b.scratch = nullptr;
    detail::require_free_memory(b.page_homes, bytes, b.memory.size);
    b.scratch = detail::map_pages(bytes, b.memory.size);
    b.scratch_bytes = bytes;
  }
  detail::red_zones::lift(b.scratch, bytes);
  return {b.scratch, bytes};
}

void machine::release_memory() noexcept {
  try {
    const turn mine(*this);
    body_->release_memory();
  } catch (const error&) {
    // The memory stays the machine's.
  }
}

run_report machine::run_program(std::size_t v, detail::program_ref program) {
  body& b = *body_;
  const turn mine(*this);
  const auto start = std::chrono::steady_clock::now();
  b.run.prepare(v, b.present(), program, start);
  try {
    b.run.caller.begin(b.binds_at_once());
  } catch (...) {
    if (b.run.others == nullptr) throw;
    std::rethrow_exception(b.run.others->conclude(std::current_exception()));
  }
  b.team.run(b.run.now.active, b.work);
  b.run.give_exceptions_back();
  const std::optional<unsigned> moved_to = b.run.caller.end();
  run_report report;
  const auto make_report = [&] {
    report = b.run.report();
    report.bindings = b.where(moved_to);
    report.binding_refused = b.binding_refused;
    if (!b.report_pages) return;
    report.pages = memory_of(std::span(b.scratch, b.scratch_bytes));
    std::vector<page_counts>& pages = report.processor_pages.unshared();
    for (std::size_t i = 0; i < b.run.now.active; ++i) pages.push_back(b.run.workers[i]->pages());
  };
  if (std::exception_ptr cause = b.run.finish(std::ref(make_report))) {
    if (is_out_of_memory(cause)) b.release_workers_memory();
    std::rethrow_exception(cause);
  }
  b.run.add_other_processes(report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// Machines whose workers are threads of the application.

machine::gathering::gathering(machine& of) : of_(of) {
  detail::borrowed_threads& borrowed = of.body_->require_borrowed("a gathering");
  const turn mine(of);  // throws inside a run, and in a forked child
  const auto number = borrowed.open();
  if (!number)
    throw usage_error(
        "a second gathering of a machine: it has one already, which other threads may be in; end "
        "that first, or make another machine");
  number_ = *number;
  of.body_->gatherer = detail::this_thread();
}

machine::gathering::~gathering() {
  body& b = *of_.body_;
  if (!b.access.ours()) return;  // the threads are the parent's
  const auto take = [&] {
    try {
      b.access.lock();
      return true;
    } catch (const environment_error&) {
      // no patience here: the threads must be waited for
    } catch (const usage_error&) {
      b.run.poison(std::current_exception());  // the run joins this thread, so it must end first
    }
    return false;
  };
  while (!take()) std::this_thread::yield();
  b.gatherer = 0;
  b.borrowed->close();
  b.access.unlock();
}

std::size_t machine::join() { return serve(std::nullopt); }
std::size_t machine::join(std::uint64_t number) { return serve(number); }

std::size_t machine::serve(std::optional<std::uint64_t> number) {
  detail::borrowed_threads& borrowed = body_->require_borrowed("join");
  if (detail::inside_a_call())
    throw usage_error("join inside a run or a call: this thread is at work already");
  if (!body_->access.ours())
    throw usage_error(
        "a machine of the parent process: nobody runs on it after fork; make a machine in the "
        "child");
  if (body_->gatherer == detail::this_thread() || body_->access.mine())
    throw usage_error(
        "join by the thread that has made the gathering, or has a turn at the machine: it would "
        "wait for itself; let other threads join, and run on this one");
  const std::size_t self = borrowed.enter(number);
  if (self == 0) return 0;
  std::optional<detail::page_placement_scope> pages;
  std::exception_ptr refused;
  try {
    if (!body_->page_homes.empty()) pages.emplace(body_->page_homes[self]);
  } catch (const environment_error&) {
    refused = std::current_exception();  // the thread has entered, and has to serve
  }
  const std::size_t runs = borrowed.serve(self);
  if (refused) std::rethrow_exception(refused);
  return runs;
}

}  // namespace pleat
