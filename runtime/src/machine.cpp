// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include <pleat/runtime/detail/binding.hpp>
#include <pleat/runtime/detail/environment.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/memory_binding.hpp>
#include <pleat/runtime/detail/memory_room.hpp>
#include <pleat/runtime/detail/pages.hpp>
#include <pleat/runtime/detail/thread_pool.hpp>
#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/detail/turns.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>
#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace {

#ifdef NDEBUG
constexpr bool strict_by_default = false;
#else
constexpr bool strict_by_default = true;
#endif

// Environment below arguments: an argument given makes its variable irrelevant.
machine_options complete(machine_options options) {
  namespace environment = detail::environment;
  if (options.trace) {
    if (options.processors.value_or(1) != 1 || !options.strict.value_or(true)) {
      throw usage_error(
          "a machine that traces has one worker and is strict: leave machine_options::processors "
          "and strict out");
    }
    if (options.trace->dummies && options.routing == routing::ascend_descend) {
      throw usage_error(
          "dummy messages under ascend-descend routing: they never travel, so they cannot be "
          "routed; count them with direct routing");
    }
    options.processors = 1;
    options.strict = true;
  }
  if (options.timeline && !options.times) {
    throw usage_error(
        "a timeline is made of the times: leave machine_options::times on, or the timeline out");
  }
  if (!options.processors) options.processors = environment::processors();
  if (!options.place) options.place = environment::place().value_or(placement_request{});
  if (!options.wait) options.wait = environment::wait().value_or(wait_policy::automatic);
  if (!options.memory) options.memory = environment::memory().value_or(memory_policy{});
  if (!options.strict) options.strict = strict_by_default;
  if (!options.topology) options.topology = topology::host();
  return options;
}

/// Where the pages of each worker go; none if that is left to the kernel.
std::vector<detail::page_placement> homes_of(const memory_policy& policy, const topology& on,
                                             const placement& where) {
  std::vector<detail::page_placement> homes;
  if (policy.where == memory_policy::nodes::first_touch || !on.bindable()) return homes;
  for (std::size_t i = 0; i < where.processors.size(); ++i)
    homes.push_back(detail::page_placement::of_worker(policy, on, where, i));
  return homes;
}

/// There was no memory for the run, or for one of its virtual processors.
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

struct machine::body {
  body(machine& owner, machine_options options)
      : topology(*options.topology),
        placement(place(topology, *options.place, options.processors)),
        clusters(topology, placement),
        waiting(*options.wait),
        memory(*options.memory),
        page_homes(homes_of(memory, topology, placement)),
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
    run.waiting =
        waiting == wait_policy::automatic && placement.oversubscribed ? wait_policy::park : waiting;
    run.strict = *options.strict;
    run.route = options.routing;
    run.times = options.times;
    run.timeline = options.timeline;
    report_pages = options.pages;
    if (options.trace)
      run.recorder = std::make_unique<detail::cost_recorder>(options.trace->dummies);
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

machine::machine() : machine(machine_options{}) {}

machine::machine(machine_options options) {
  const bool show = detail::environment::show_binding();
  detail::stay_loaded();
  body_ = std::make_unique<body>(*this, complete(std::move(options)));
  if (show) body_->show_bindings();
}

machine::~machine() {
  if (body_->users.ours())
    body_->release_memory();
  else
    static_cast<void>(body_.release());  // threads, locks and memory of the parent process
}

machine::turn::turn(machine& on, use what) : on_(on), what_(what) {
  if (detail::current_execution != nullptr) {
    throw usage_error(
        "a run inside a run: a program that a machine carries out cannot call "
        "machine.run or a library program; divide its segment instead");
  }
  body& b = *on.body_;
  b.users.take();
  try {
    if (what == use::scratch && b.scratch_in_use) {
      throw usage_error(
          "a library program inside another's callback, on the same machine: its memory belongs to "
          "the outer call; give the inner one a machine of its own");
    }
    b.enter();
  } catch (...) {
    b.users.give_back();
    throw;
  }
  if (what == use::scratch) b.scratch_in_use = true;
}

machine::turn::~turn() {
  if (what_ == use::scratch) on_.body_->scratch_in_use = false;
  on_.body_->leave();
  on_.body_->users.give_back();
}

unsigned machine::processors() const noexcept {
  return static_cast<unsigned>(body_->placement.processors.size());
}
bool machine::oversubscribed() const noexcept { return body_->placement.oversubscribed; }
const memory_policy& machine::memory() const noexcept { return body_->memory; }
wait_policy machine::waiting() const noexcept { return body_->run.waiting; }
bool machine::strict() const noexcept { return body_->run.strict; }
std::size_t machine::default_vps() const noexcept {
  const std::size_t p = processors();
  return std::has_single_bit(p) ? p : std::bit_ceil(8 * p);
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
    detail::require_room(b.page_homes, bytes, b.memory.size);
    b.scratch = detail::map_pages(bytes, b.memory.size);
    b.scratch_bytes = bytes;
  }
  return {b.scratch, bytes};
}

void machine::release_memory() noexcept {
  try {
    const turn mine(*this);
    body_->release_memory();
  } catch (const error&) {
    // It stays the machine's.
  }
}

run_report machine::run_program(std::size_t v, detail::program_ref program) {
  body& b = *body_;
  const turn mine(*this);
  if (v == 0 || v >> 32 != 0) {
    throw usage_error("M(" + std::to_string(v) + "): a run needs 1 to 2^32 - 1 virtual processors");
  }
  const auto start = std::chrono::steady_clock::now();
  b.run.prepare(v, program, start);
  {
    const detail::affinity_scope restore;
    b.bind(0);
    b.threads.run(b.run.active, [&b](std::size_t i) { b.run.workers[i]->work(); });
  }
  if (std::exception_ptr cause = b.run.finish()) {
    if (is_out_of_memory(cause)) b.release_workers_memory();
    std::rethrow_exception(cause);
  }
  run_report report = b.run.report();
  report.bindings.assign(b.bindings.begin(),
                         b.bindings.begin() + static_cast<std::ptrdiff_t>(b.run.active));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (b.report_pages) report.pages = memory_of(std::span(b.scratch, b.scratch_bytes));
  return report;
}

}  // namespace pleat
