// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/routing.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/topology.hpp>
#include <pleat/runtime/vp.hpp>
#include <pleat/runtime/wait_policy.hpp>

namespace pleat {

/// A machine whose runs are counted, see machine_options::trace.
struct tracing {
  bool dummies = false;  ///< count vp::dummy messages too
  /// Count besides who sends to whom when the VPs are folded onto that many processors, v at most:
  /// cost_trace::messages_between. 0: do not. Takes 8 bytes for each pair and label.
  std::size_t processors = 0;
};

/// What a machine is made of. What is not given here is taken from the environment, and what is not
/// there either from what the process may use. With PLEAT_SHOW_BINDING=1 a machine says on stderr,
/// when it is made, where its workers are bound.
struct machine_options {
  std::optional<unsigned> processors = {};      ///< PLEAT_NUM_PROCESSORS; else one per allowed core
  std::optional<placement_request> place = {};  ///< PLEAT_PLACE; else compact
  std::optional<wait_policy> wait = {};         ///< PLEAT_WAIT; else automatic
  std::optional<memory_policy> memory = {};     ///< PLEAT_MEMORY; else first-touch
  std::optional<bool> strict =
      {};  ///< check labels, clusters, loans; else only in builds with assertions
  std::optional<pleat::topology> topology = {};     ///< else the host's
  pleat::routing routing = pleat::routing::direct;  ///< how messages travel
  bool times = true;      ///< run_report::times says where each processor's time went
  bool pages = false;     ///< run_report::pages, processor_pages: where memory is; 100 ns a page
  bool timeline = false;  ///< run_report says what each processor did when; costs two stamps a wait
  /// How long a call waits while another thread has the machine, before it throws
  /// environment_error; 0 refuses at once. Else it waits for its turn, however long that takes.
  std::optional<std::chrono::milliseconds> patience = {};
  /// Runs count their supersteps and messages: run_report::costs. Such a machine has one worker and
  /// is strict, whatever the environment says; runs that cannot be counted throw as evaluate does.
  std::optional<tracing> trace = {};
};

/// A program of M(v): makes the outermost task of a virtual processor.
template <class F>
concept vp_program = std::invocable<F&, vp&> && std::same_as<std::invoke_result_t<F&, vp&>, task<>>;

/// p workers pinned to processors, on which programs of M(v) run, for any v.
///
/// ```cpp
/// pleat::machine machine;                        // every core this process may use
/// machine.run(1 << 20, [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
/// ```
///
/// The thread that calls run is worker 0; p − 1 others are made with the machine and sleep between
/// runs, from 2 ms after one on. There is no global state: several machines can exist, and run at
/// once if their processors differ.
///
/// Thread safety: run and the library's programs may be called from any thread; on one machine they
/// take turns, in the order in which they asked. A program must not wait for a thread that uses the
/// same machine: if it joins that thread, the thread's call throws usage_error; if it waits in some
/// other way, both wait for ever, unless there is machine_options::patience. After fork the child
/// may not use the parent's machine (usage_error), but may destroy it, and may make machines of its
/// own, whatever the parent's other threads do meanwhile, unless one of them makes the first
/// machine of the process. A child made inside a run may only call exec or _exit. The library, or
/// the plugin it is linked into, stays loaded once there was a machine. Machines may be used before
/// main and after it, up to the last destructor.
class machine {
 public:
  /// What a turn is for: runs alone, or runs and what lies in scratch memory.
  enum class use { runs, scratch };

  /// The machine is the calling thread's as long as this lives: what other threads want of it
  /// waits. A thread may have several, one inside the other. Every run is a turn; this is for what
  /// belongs to several runs, and for what lies in scratch memory between them.
  ///
  /// ```cpp
  /// const pleat::machine::turn mine(machine);
  /// const std::span<std::byte> memory = machine.scratch(bytes);
  /// machine.run(v, program);                     // works on memory
  /// ```
  ///
  /// Throws: usage_error (inside a run, in a forked child, if the machine waits for this thread, if
  /// the scratch memory belongs to a call of this thread, whose callback this is);
  /// environment_error (see machine_options::patience). Cost: some 50 ns, if nobody else has it.
  class turn {
   public:
    explicit turn(machine& on, use what = use::runs);
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

   private:
    machine& on_;
    const use what_;
  };

  /// Throws: usage_error (an environment variable or option that makes no sense, a timeline
  /// without times),
  /// environment_error (what was asked for cannot be had). Cost: p − 1 threads; the first machine
  /// of a process also reads the topology, some ms.
  machine();
  explicit machine(machine_options options);
  ~machine();
  machine(const machine&) = delete;  // programs and workers refer to it: it stays where it is
  machine& operator=(const machine&) = delete;

  /// p.
  [[nodiscard]] unsigned processors() const noexcept;
  /// Several workers share a processor, or a quota: barriers park at once, and timings say little.
  [[nodiscard]] bool oversubscribed() const noexcept;
  [[nodiscard]] wait_policy waiting() const noexcept;
  [[nodiscard]] const memory_policy& memory() const noexcept;
  [[nodiscard]] bool strict() const noexcept;
  /// The number of VPs for a program that takes powers of two only: p where it is one, else the
  /// smallest power of two ≥ 8p, so that every processor has work.
  [[nodiscard]] std::size_t default_vps() const noexcept;

  [[nodiscard]] const pleat::topology& topology() const noexcept;
  [[nodiscard]] const pleat::placement& placement() const noexcept;
  [[nodiscard]] const cluster_tree& clusters() const noexcept;

  /// Runs `program` on M(v), folded onto min(v, p) processors, and returns when all VPs have ended.
  ///
  /// `program(me)` is called once per VP, on the worker that carries it out, and must be callable
  /// from several threads at once; what it captures lives until run returns.
  ///
  /// Cost: about 1 µs to wake workers that do not sleep yet, else some 10 µs, up to a millisecond
  /// where processors are virtual; 100 to 400 bytes and some 50 ns per VP.
  /// Throws: usage_error (v = 0, v ≥ 2^32, called from inside a run, in a forked child);
  /// environment_error (a worker could not be bound); run_error, whose first cause it names:
  /// vp_failed (a VP ended with an exception), label_mismatch, deadlock, out_of_cluster,
  /// lent_memory_modified; std::bad_alloc (no memory for the virtual processors or their messages;
  /// the machine gives back what it has kept). With machine_options::trace also usage_error after a
  /// run that has no costs (see evaluate). The machine can be used again after each of them.
  template <vp_program F> run_report run(std::size_t v, F&& program) {
    using callable = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<callable>) {
      auto* const pointer = std::addressof(program);
      return run(v, pointer);
    } else {
      return run_program(v, {const_cast<void*>(static_cast<const void*>(std::addressof(program))),
                             [](void* object, vp& me) -> task<> {
                               return (*static_cast<callable*>(object))(me);
                             }});
    }
  }

  /// At least `bytes` of memory for the intermediate data of a library program, aligned to a page:
  /// one block, kept from run to run so that its pages are faulted in only once; contents
  /// undefined. One user at a time, between run calls or inside one run; where other threads use
  /// the machine, whoever asks for it has a turn. Throws: std::bad_alloc; environment_error, if the
  /// machine's memory_policy binds it to a node that has too little, or the kernel has too few
  /// reserved huge pages.
  [[nodiscard]] std::span<std::byte> scratch(std::size_t bytes);
  /// Gives back all memory that is kept for the next run, when no other thread has the machine.
  /// Nothing inside a run, in a forked child, or where the wait for that is refused.
  void release_memory() noexcept;

 private:
  run_report run_program(std::size_t v, detail::program_ref program);

  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace pleat
