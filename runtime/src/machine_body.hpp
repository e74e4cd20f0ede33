// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pleat/runtime/detail/binding.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/memory_binding.hpp>
#include <pleat/runtime/detail/pages.hpp>
#include <pleat/runtime/detail/run_state.hpp>
#include <pleat/runtime/detail/thread_pool.hpp>
#include <pleat/runtime/detail/turns.hpp>
#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// What a machine consists of: where its workers are, their threads, whose turn it is, and the
/// memory that runs and programs keep for the next one.
struct machine::body {
  body(machine& owner, machine_options options)
      : topology(*options.topology),
        placement(place(topology, *options.place, options.processors)),
        clusters(topology, placement),
        waiting(*options.wait),
        memory(*options.memory),
        page_homes(detail::page_placement::of_workers(memory, topology, placement)),
        bindings(placement.processors.size()),
        run(owner, placement.processors.size()),
        users(options.patience),
        // Sharing a processor, a spinning worker keeps the one it waits for from running.
        threads(placement.processors.size(),
                waiting != wait_policy::park && !placement.oversubscribed,
                [this](std::size_t i) { bind(i); }) {
    if (!topology.bindable()) {
      throw usage_error("a machine cannot run on the topology \"" + topology.origin() +
                        "\": it is for dry runs; leave the topology out to use the host");
    }
    users.watch(threads.ids());
    // What the allocator keeps lies where others have touched it.
    if (!page_homes.empty()) detail::give_back_all_memory();
    run.waiting =
        waiting == wait_policy::automatic && placement.oversubscribed ? wait_policy::park : waiting;
    run.strict = *options.strict;
    run.route = options.routing;
    run.times = options.times;
    run.timeline = options.timeline;
    run.small_pages = memory.size == memory_policy::pages::small;
    report_pages = options.pages;
    if (options.trace)
      run.recorder = std::make_unique<detail::cost_recorder>(options.trace->dummies,
                                                             options.trace->processors);
  }

  /// Binds the calling thread as worker i, and looks at what the kernel made of it.
  void bind(std::size_t i) {
    if (!topology.bindable()) return;  // the constructor refuses it
    const unsigned pu = placement.processors[i].pu;
    detail::affinity::only(pu).apply();
    if (i != 0 && !page_homes.empty()) page_homes[i].apply();
    bindings[i] = {static_cast<unsigned>(i), pu, detail::affinity::current().pus()};
    if (!bindings[i].bound()) {
      throw environment_error("worker " + std::to_string(i) + " was to run on PU " +
                              std::to_string(pu) + ", but the kernel lets it run on " +
                              to_index_list(bindings[i].allowed) +
                              ": choose another placement (PLEAT_PLACE)");
    }
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
    detail::give_back_all_memory();
  }

  void show_bindings() {
    {
      const detail::affinity_scope restore;
      bind(0);
    }
    std::string line = "pleat: " + topology.summary() + "; bound";
    for (const binding& b : bindings)
      line += " " + std::to_string(b.processor) + "→" + to_index_list(b.allowed);
    std::fprintf(stderr, "%s (worker→PU, as the kernel says)\n", line.c_str());
  }

  pleat::topology topology;
  pleat::placement placement;
  cluster_tree clusters;
  wait_policy waiting;
  memory_policy memory;
  std::vector<detail::page_placement> page_homes;  // of each worker; none to leave it to the kernel
  std::optional<detail::page_placement_scope> pages_of_caller;
  std::size_t turns_inside = 0;
  bool report_pages = false;
  std::vector<binding> bindings;
  detail::run_state run;
  detail::turns users;
  detail::thread_pool threads;
  std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  bool scratch_in_use = false;  // by a turn of the thread that has the machine
};

}  // namespace pleat
