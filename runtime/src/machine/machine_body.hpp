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
#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/shared_list.hpp>

#include "base/process_defaults.hpp"
#include "engine/other_processes.hpp"
#include "engine/run_state.hpp"
#include "engine/worker.hpp"
#include "host/binding.hpp"
#include "host/core_claims.hpp"
#include "machine/environment.hpp"
#include "memory/memory_binding.hpp"
#include "memory/pages.hpp"
#include "threads/fair_mutex.hpp"
#include "threads/thread_team.hpp"
#include "threads/worker_affinity.hpp"

namespace pleat {

/// State of a machine: the places of its workers, their threads, the mutex of its users, and the
/// memory that runs and programs keep for the next one.
struct __attribute__((visibility("hidden"))) machine::body {
  body(machine& owner, machine_options options)
      : topology(*options.topology),
        how(*options.workers),
        claims((how == workers::bound || how == workers::kept) && detail::defaults.claim_cores),
        placement(claims.place(topology, *options.place, options.processors)),
        clusters(topology, placement),
        waiting(*options.wait),
        memory(*options.memory),
        page_homes(detail::page_placement::of_workers(memory, topology, placement)),
        worker_processors(detail::worker_processors(placement, *options.threads.each)),
        oversubscribed(detail::oversubscribed(topology, placement, worker_processors.size())),
        run(owner, affinities()),
        access(options.patience),
        // On a shared processor, a spinning worker prevents the worker that it waits for from
        // running.
        team(run.affinities, waiting != wait_policy::park && !oversubscribed) {
    if (!topology.bindable())
      throw usage_error("a machine cannot run on the topology \"" + topology.origin() +
                        "\": it is for dry runs; leave the topology out to use the host");
    if (options.workers == workers::borrowed) {
      borrowed.emplace(team, worker_processors.size());
      access.detect_joins([this] { return borrowed->any_joins_this_thread(); });
    } else {
      threads.emplace(team, worker_processors.size(), *options.threads.stack,
                      [this](std::size_t i) { enter_thread(i); });
      access.detect_joins(
          [this] { return std::ranges::any_of(threads->ids(), detail::joins_this_thread); });
    }
    binding_refused = how == workers::free && !detail::affinity::can_change();
    told_a_part = options.processors && *options.processors < topology.allowed_cores() &&
                  options.place->how != placement_request::policy::list;
    // Memory that the allocator keeps may be on nodes of other threads, which have touched it
    // first.
    if (!page_homes.empty()) detail::give_back_all_memory();
    run.waiting = waiting == wait_policy::automatic && oversubscribed ? wait_policy::park : waiting;
    run.strict = *options.strict;
    run.times = includes(options.observe, observed::times);
    run.timeline = includes(options.observe, observed::timeline);
    run.small_pages = memory.size == memory_policy::pages::small;
    report_pages = includes(options.observe, observed::pages);
    if (options.trace)
      run.recorder = std::make_unique<detail::cost_recorder>(
          options.trace->dummies, options.trace->processors, options.trace->messages);
  }

  /// Introduces this process to the other processes of the machine, after everything else is made.
  void join_others(std::shared_ptr<detail::link> link) {
    detail::process_share mine{};
    mine.workers = worker_processors.size();
    mine.processors = placement.processors.size();
    mine.strict = run.strict;
    if (run.recorder != nullptr) {
      mine.traces = true;
      mine.dummies = run.recorder->counts_dummies();
      mine.between = run.recorder->processors();
    }
    run.others = detail::take_part(run, std::move(link), mine);
  }

  /// Switches between the machine of all processes and one of this process alone. Requires that no
  /// run is in progress.
  void swap_other_processes() noexcept {
    run.others.swap(others_aside);
    run.plan.swap(plan_aside);
  }

  /// Makes the affinities of the workers.
  [[nodiscard]] detail::worker_affinity affinities() const {
    std::vector<unsigned> pus, all;
    for (const std::size_t processor : worker_processors)
      pus.push_back(placement.processors[processor].pu);
    for (const processing_unit& unit : topology.units())
      if (unit.allowed) all.push_back(unit.pu);
    return {how, std::move(pus), detail::affinity::of(all)};
  }

  /// Sets the affinity and the page placement of the calling thread to those of worker i, i ≥ 1.
  void enter_thread(std::size_t i) {
    run.affinities.apply(i);
    if (!page_homes.empty()) page_homes[worker_processors[i]].apply();
  }

  /// Number of workers that a run can have now.
  [[nodiscard]] std::size_t present() const noexcept {
    return borrowed ? borrowed->present() : worker_processors.size();
  }

  /// Returns the borrowed threads. Throws: usage_error that names `what`, if threads are owned.
  [[nodiscard]] detail::borrowed_threads& require_borrowed(const char* what) {
    if (!borrowed)
      throw usage_error(std::string(what) +
                        " needs a machine of borrowed threads: make it with machine_options"
                        "::workers = pleat::workers::borrowed");
    return *borrowed;
  }

  /// Tells whether the caller is bound before its run begins: because it may sleep as soon as it
  /// waits, and must not wake up on another processor; or shares its processor; or has a memory
  /// policy.
  [[nodiscard]] bool binds_at_once() const noexcept {
    return run.waiting == wait_policy::park || oversubscribed || !page_homes.empty();
  }

  /// PU on which worker i was at the end of the run, if it is not the worker's own.
  [[nodiscard]] std::optional<unsigned> moved_to(std::size_t i) const noexcept {
    const int seen = team.seen_on(i);
    if (seen < 0 || seen == static_cast<int>(run.affinities.pu(i))) return std::nullopt;
    return static_cast<unsigned>(seen);
  }

  /// Lists the PUs of the last run's workers. The list of the previous run is shared, unless it
  /// differs.
  [[nodiscard]] const shared_list<binding>& where(std::optional<unsigned> caller_moved_to) {
    bool moved = caller_moved_to.has_value();
    for (std::size_t i = 1; how != workers::bound && i < run.now.active; ++i)
      moved = moved || moved_to(i);
    if (moved || some_moved || bindings.size() != run.now.active) {
      some_moved = true;  // until all are written
      std::vector<binding>& all = bindings.unshared();
      all.resize(run.now.active);
      for (std::size_t i = 0; i < run.now.active; ++i) {
        const auto processor = static_cast<unsigned>(worker_processors[i]);
        const unsigned pu = placement.processors[processor].pu;
        binding& one = all[i];
        one.processor = processor;
        one.pu = pu;
        one.allowed.reserve(2);  // so that no later run allocates because a thread was moved
        one.allowed.assign(1, pu);
        const std::optional<unsigned> elsewhere = i == 0 ? caller_moved_to : moved_to(i);
        if (elsewhere) one.allowed.push_back(*elsewhere);
      }
      some_moved = moved;
    }
    return bindings;
  }

  /// Begins a turn of the calling thread; turns nest. From the outermost enter to its leave, pages
  /// of the thread are placed as those of worker 0, because the thread is worker 0 in a run.
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

  /// Frees the memory that runs keep for the next one, but not the scratch memory, which may be in
  /// use.
  void release_workers_memory() noexcept {
    for (auto& w : run.workers) w->release_memory();
    if (run.recorder != nullptr) run.recorder->release_memory();
    run.plan.reset();  // its mailboxes are as large as the messages of the last run
    plan_aside.reset();
    detail::give_back_all_memory();
  }

  void show_bindings() {
    if (how == workers::free || how == workers::borrowed) {
      const char* const whose = borrowed ? "borrowed" : "unpinned";
      std::fprintf(stderr, "pleat: %s; %zu %s workers, placed by the kernel%s\n",
                   topology.summary().c_str(), worker_processors.size(), whose,
                   binding_refused ? ", which refuses to bind threads" : "");
      return;
    }
    {
      const detail::affinity_scope restore;
      detail::bind_this_thread(0, placement.processors[0].pu);
    }
    std::string line =
        "pleat: " + topology.summary() + "; " + (how == workers::bound ? "bound" : "placed");
    for (std::size_t i = 0; i < placement.processors.size(); ++i)
      line += " " + std::to_string(i) + "→" + std::to_string(placement.processors[i].pu);
    std::fprintf(stderr, "%s (worker→PU, as the kernel says)\n", line.c_str());
  }

  /// Warns on stderr if a machine that was told to use a part of the cores shares them with others.
  void warn_of_others() const {
    static std::atomic_flag told;  // once in a process: it holds for all of its machines
    if (!told_a_part || claims.shared_with_others().empty() || told.test_and_set()) return;
    detail::warn("PUs " + to_index_list(claims.shared_with_others()) +
                 " have workers of another process's machine too, and both are slower "
                 "for it: ask for fewer processors, or name others "
                 "(PLEAT_PLACE=list:…)");
  }

  pleat::topology topology;
  workers how;
  detail::core_claims claims;
  pleat::placement placement;
  cluster_tree clusters;
  wait_policy waiting;
  memory_policy memory;
  std::vector<detail::page_placement> page_homes;  // [processor]; empty if the kernel places pages
  std::optional<detail::page_placement_scope> pages_of_caller;
  std::size_t turns_inside = 0;
  bool report_pages = false;
  std::vector<std::size_t> worker_processors;  // [worker]
  bool oversubscribed = false;                 // workers share PUs or a quota
  shared_list<binding> bindings;               // bindings of the last run
  bool some_moved = false;                     // a thread was moved in it
  detail::run_state run;
  std::unique_ptr<detail::other_processes>
      others_aside;  // set while the machine is that of this process alone
  std::unique_ptr<detail::run_plan> plan_aside;
  detail::fair_mutex access;  // serialises runs and turns
  const std::function<void(std::size_t)> work = [this](std::size_t i) { run.workers[i]->work(); };
  detail::thread_team team;
  std::optional<detail::thread_pool> threads;        // if it owns threads
  std::optional<detail::borrowed_threads> borrowed;  // if it borrows threads
  bool inner = false;                                // machine of a call inside another call
  std::atomic<pid_t> gatherer{0};                    // thread that has made the gathering
  bool told_a_part = false;                          // told to use a part of the cores
  bool binding_refused = false;                      // by the kernel, for all of its threads
  std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  bool scratch_in_use = false;  // by a turn of the thread that has the machine
};

}  // namespace pleat
