// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/shared_list.hpp>

#include "engine/run_state.hpp"
#include "engine/worker.hpp"
#include "host/binding.hpp"
#include "host/core_claims.hpp"
#include "machine/environment.hpp"
#include "memory/memory_binding.hpp"
#include "memory/pages.hpp"
#include "processes/all_ranks.hpp"
#include "threads/carriers.hpp"
#include "threads/crew.hpp"
#include "threads/guests.hpp"
#include "threads/overflow_line.hpp"
#include "threads/seating.hpp"
#include "threads/thread_pool.hpp"
#include "threads/turns.hpp"

namespace pleat {

/// What a machine consists of: where its workers are, their threads, whose turn it is, and the
/// memory that runs and programs keep for the next one.
struct __attribute__((visibility("hidden"))) machine::body {
  body(machine& owner, machine_options options)
      : topology(*options.topology),
        how(*options.workers == workers::bound  ? detail::hold::pinned
            : *options.workers == workers::kept ? detail::hold::kept
                                                : detail::hold::free),
        claims(how != detail::hold::free && detail::environment::claim_cores()),
        placement(claims.place(topology, *options.place, options.processors)),
        clusters(topology, placement),
        waiting(*options.wait),
        memory(*options.memory),
        page_homes(detail::page_placement::of_workers(memory, topology, placement)),
        carriers(detail::carriers(placement, *options.threads.each)),
        crowded(detail::crowded(topology, placement, carriers.size())),
        run(owner, seats()),
        users(options.patience),
        // Sharing a processor, a spinning worker keeps the one it waits for from running.
        crew(run.seats, waiting != wait_policy::park && !crowded) {
    if (!topology.bindable()) {
      throw usage_error("a machine cannot run on the topology \"" + topology.origin() +
                        "\": it is for dry runs; leave the topology out to use the host");
    }
    if (options.workers == workers::borrowed) {
      guests.emplace(crew, carriers.size());
      users.watch([this] { return guests->one_joins_this_thread(); });
    } else {
      threads.emplace(crew, carriers.size(), *options.threads.stack,
                      [this, watch = detail::environment::show_overflow()](std::size_t i) {
                        enter_thread(i);
                        if (watch) detail::announce_overflow(i);
                      });
      users.watch(
          [this] { return std::ranges::any_of(threads->ids(), detail::joins_this_thread); });
    }
    binding_refused = how == detail::hold::free && !guests && !detail::affinity::can_change();
    told_a_part = options.processors && *options.processors < topology.allowed_cores() &&
                  options.place->how != placement_request::policy::list;
    // What the allocator keeps lies where others have touched it.
    if (!page_homes.empty()) detail::give_back_all_memory();
    run.waiting = waiting == wait_policy::automatic && crowded ? wait_policy::park : waiting;
    run.strict = *options.strict;
    run.times = includes(options.observe, observed::times);
    run.timeline = includes(options.observe, observed::timeline);
    run.small_pages = memory.size == memory_policy::pages::small;
    report_pages = includes(options.observe, observed::pages);
    if (options.trace)
      run.recorder = std::make_unique<detail::cost_recorder>(
          options.trace->dummies, options.trace->processors, options.trace->messages);
  }

  /// When all else is there, the machine's other processes.
  void meet(std::shared_ptr<detail::link> link) {
    detail::all_ranks::share mine{};
    mine.workers = carriers.size();
    mine.processors = placement.processors.size();
    mine.strict = run.strict;
    if (run.recorder != nullptr) {
      mine.traces = true;
      mine.dummies = run.recorder->counts_dummies();
      mine.between = run.recorder->processors();
    }
    run.others = std::make_unique<detail::all_ranks>(run, std::move(link), mine);
  }

  /// Changes between a machine of all ranks and one of this rank alone. No run is under way.
  void change_ranks() noexcept {
    run.others.swap(others_aside);
    run.plan.swap(plan_aside);
  }

  /// Where each thread belongs.
  [[nodiscard]] detail::seating seats() const {
    std::vector<unsigned> pus, all;
    for (const std::size_t processor : carriers) pus.push_back(placement.processors[processor].pu);
    for (const processing_unit& unit : topology.units())
      if (unit.allowed) all.push_back(unit.pu);
    return {how, std::move(pus), detail::affinity::of(all)};
  }

  /// The calling thread is the i-th of the carriers from now on, i ≥ 1.
  void enter_thread(std::size_t i) {
    run.seats.take_seat(i);
    if (!page_homes.empty()) page_homes[carriers[i]].apply();
  }

  /// How many threads a run can have now.
  [[nodiscard]] std::size_t there() const noexcept {
    return guests ? guests->there() : carriers.size();
  }

  /// Throws: usage_error, if the threads are not borrowed.
  [[nodiscard]] detail::guests& borrowed(const char* what) {
    if (!guests) {
      throw usage_error(std::string(what) +
                        " needs a machine of borrowed threads: make it with machine_options"
                        "::workers = pleat::workers::borrowed");
    }
    return *guests;
  }

  /// The caller is bound before its run begins: it may fall asleep as soon as it waits, and is not
  /// to wake up elsewhere; shares its processor; or its memory has a home.
  [[nodiscard]] bool binds_at_once() const noexcept {
    return run.waiting == wait_policy::park || crowded || !page_homes.empty();
  }

  /// Where the i-th thread was at the end of the run, if that is not where it belongs.
  [[nodiscard]] std::optional<unsigned> moved_to(std::size_t i) const noexcept {
    const int seen = crew.seen_on(i);
    if (seen < 0 || seen == static_cast<int>(run.seats.pu(i))) return std::nullopt;
    return static_cast<unsigned>(seen);
  }

  /// Where the processors of the last run were: the same list as for the run before, unless it
  /// differs.
  [[nodiscard]] const shared_list<binding>& where(std::optional<unsigned> caller_moved_to) {
    bool moved = caller_moved_to.has_value();
    for (std::size_t i = 1; how != detail::hold::pinned && i < run.now.active; ++i)
      moved = moved || moved_to(i);
    if (moved || some_moved || bindings.size() != run.now.active) {
      some_moved = true;  // until all are written
      std::vector<binding>& all = bindings.unshared();
      all.resize(run.now.active);
      for (std::size_t i = 0; i < run.now.active; ++i) {
        const auto processor = static_cast<unsigned>(carriers[i]);
        const unsigned pu = placement.processors[processor].pu;
        binding& one = all[i];
        one.processor = processor;
        one.pu = pu;
        one.allowed.reserve(2);  // no run that follows takes memory because a thread was moved
        one.allowed.assign(1, pu);
        const std::optional<unsigned> elsewhere = i == 0 ? caller_moved_to : moved_to(i);
        if (elsewhere) one.allowed.push_back(*elsewhere);
      }
      some_moved = moved;
    }
    return bindings;
  }

  /// The first and the last of the calling thread's turns that are one inside the other: in
  /// between its pages go where those of worker 0 do, which it is in a run.
  void enter() {
    if (!page_homes.empty() && turns_inside == 0) pages_of_caller.emplace(page_homes[0]);
    ++turns_inside;
  }
  void leave() noexcept {
    if (--turns_inside == 0) pages_of_caller.reset();
  }

  void release_memory() noexcept {
    detail::unmap_pages(scratch, scratch_bytes);
    scratch = nullptr;
    scratch_bytes = 0;
    release_workers_memory();
  }

  /// What runs keep for the next one. The scratch memory may have a user.
  void release_workers_memory() noexcept {
    for (auto& w : run.workers) w->release_memory();
    if (run.recorder != nullptr) run.recorder->release_memory();
    run.plan.reset();  // its mailboxes are as large as the messages were
    plan_aside.reset();
    detail::give_back_all_memory();
  }

  void show_bindings() {
    if (how == detail::hold::free) {
      const char* const whose = guests ? "borrowed" : "unpinned";
      std::fprintf(stderr, "pleat: %s; %zu %s workers, placed by the kernel%s\n",
                   topology.summary().c_str(), carriers.size(), whose,
                   binding_refused ? ", which refuses to bind threads" : "");
      return;
    }
    {
      const detail::affinity_scope restore;
      detail::bind_this_thread(0, placement.processors[0].pu);
    }
    std::string line =
        "pleat: " + topology.summary() + "; " + (how == detail::hold::pinned ? "bound" : "placed");
    for (std::size_t i = 0; i < placement.processors.size(); ++i)
      line += " " + std::to_string(i) + "→" + std::to_string(placement.processors[i].pu);
    std::fprintf(stderr, "%s (worker→PU, as the kernel says)\n", line.c_str());
  }

  /// On stderr, if a machine that was told to use a part of the cores found none to itself.
  void warn_of_others() const {
    static std::atomic_flag told;  // by a process once: all its machines are beside the others
    if (!told_a_part || claims.shared_with_others().empty() || told.test_and_set()) return;
    std::fprintf(stderr,
                 "pleat: warning: PUs %s have workers of another process's machine too, and both "
                 "are slower for it: ask for fewer processors, or name others (PLEAT_PLACE=list:…)"
                 "\n",
                 to_index_list(claims.shared_with_others()).c_str());
  }

  pleat::topology topology;
  detail::hold how;
  detail::core_claims claims;
  pleat::placement placement;
  cluster_tree clusters;
  wait_policy waiting;
  memory_policy memory;
  std::vector<detail::page_placement>
      page_homes;  // of each processor; none to leave it to the kernel
  std::optional<detail::page_placement_scope> pages_of_caller;
  std::size_t turns_inside = 0;
  bool report_pages = false;
  std::vector<std::size_t> carriers;  // [thread]: which of the processors it is
  bool crowded = false;               // threads share PUs, or a quota
  shared_list<binding> bindings;      // of the last run
  bool some_moved = false;            // in it
  detail::run_state run;
  std::unique_ptr<detail::other_processes>
      others_aside;  // while the machine is that of this rank alone
  std::unique_ptr<detail::run_plan> plan_aside;
  detail::turns users;
  const std::function<void(std::size_t)> work = [this](std::size_t i) { run.workers[i]->work(); };
  detail::crew crew;
  std::optional<detail::thread_pool> threads;  // owned
  std::optional<detail::guests> guests;        // borrowed
  bool inner = false;                          // of a call inside another one
  std::atomic<pid_t> gatherer{0};              // the thread that has made the gathering
  bool told_a_part = false;                    // of the cores
  bool binding_refused = false;                // by the kernel, for all threads of its own
  std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  bool scratch_in_use = false;  // by a turn of the thread that has the machine
};

}  // namespace pleat
