// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/detail/program_ref.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail {
class call_machine;
class link;
}  // namespace detail

/// Options of one rank of a machine over several processes, with its link to the others; made by
/// pleat::mpi::over, for one machine at a time.
struct rank_options {
  rank_options(machine_options given, std::shared_ptr<detail::link> to)
      : options(std::move(given)), link(std::move(to)) {}

  machine_options options;
  std::shared_ptr<detail::link> link;
};

/// A program of M(v): makes the outermost task of a virtual processor.
template <class F>
concept vp_program = std::invocable<F&, vp&> && std::same_as<std::invoke_result_t<F&, vp&>, task<>>;

/// p workers, each at a processor, on which programs of M(v) run, for any v. Workers that share a
/// PU are one thread, unless thread_options::each is set.
///
/// ```cpp
/// pleat::machine machine;                        // every core this process may use
/// machine.run(1 << 20, [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
/// ```
///
/// The thread that calls run is worker 0. Thread safety: run and the library's programs may be
/// called from any thread; calls on one machine take turns, and machines with different processors
/// run at once. runtime/docs/in_an_application.md has the rules for cores, turns, borrowed threads,
/// forked children, plugins and static destruction, runtime/mpi/README.md those for ranks.
class PLEAT_API machine {
 public:
  /// Use that a turn makes of the machine: runs alone, or runs and scratch memory.
  enum class use { runs, scratch };

  /// Exclusive use of a machine by the calling thread: calls of other threads wait until it ends.
  /// A thread may have several, one inside the other. Every run is a turn of its own; this one is
  /// for several runs that belong together, and for data in scratch memory between them.
  ///
  /// ```cpp
  /// const pleat::machine::turn mine(machine);
  /// const std::span<std::byte> memory = machine.scratch(bytes);
  /// machine.run(v, program);                     // works on memory
  /// ```
  ///
  /// Throws: usage_error (inside a run or a call of the library, in a forked child, if the machine
  /// waits for this thread; for scratch memory also on a machine over ranks, and in a callback of a
  /// call that uses it); environment_error (machine_options::patience is over, or the kernel
  /// refuses the machine's memory policy). Cost: some 50 ns, if no other thread has it.
  class PLEAT_API turn {
   public:
    explicit turn(machine& on, use what = use::runs);
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

   private:
    machine& on_;
    const use what_;
  };

  /// Turn in which the machine is that of this rank alone, for work on the rank's own part of data:
  /// as long as it lives, workers, rank() and ranks() are those of a machine of this process, and
  /// runs and the library's programs concern no other rank. Other ranks that begin a run wait until
  /// this one calls it too. On a machine of one process it is a plain turn.
  ///
  /// ```cpp
  /// {
  ///   const pleat::machine::rank_turn here(machine);
  ///   pleat::sort(machine, mine);                // on the workers of this rank
  /// }
  /// machine.run(v, program);                     // on all ranks
  /// ```
  ///
  /// Throws: as turn. Cost: that of a turn; nothing is sent. Thread safety: other threads may not
  /// ask the machine for its ranks, threads or VPs meanwhile.
  class PLEAT_API rank_turn {
   public:
    explicit rank_turn(machine& on);
    ~rank_turn();
    rank_turn(const rank_turn&) = delete;
    rank_turn& operator=(const rank_turn&) = delete;

   private:
    const turn mine_;
    machine& on_;
    const bool sets_aside_;
  };

  /// Period in which the application's threads may join a machine of borrowed threads. Its end
  /// waits for the run under way, and until all threads that joined have left join().
  /// Throws: usage_error (the machine owns its threads or has a gathering), and as turn.
  class PLEAT_API gathering {
   public:
    explicit gathering(machine& of);
    ~gathering();
    gathering(const gathering&) = delete;
    gathering& operator=(const gathering&) = delete;

    /// Number that no other gathering of the machine has; for join.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

   private:
    machine& of_;
    std::uint64_t number_ = 0;
  };

  /// Makes p − 1 threads, unless they are borrowed. Cost: that of the threads; for the first
  /// machine of a process also reading the topology, some ms. Throws: usage_error (an environment
  /// variable or option that makes no sense), environment_error (what was asked for cannot be had),
  /// std::bad_alloc; over ranks usage_error on all of them, if they differ in what must be alike,
  /// and what another rank has thrown.
  machine();
  explicit machine(machine_options options);
  explicit machine(rank_options options);
  ~machine();
  machine(const machine&) = delete;  // programs and workers refer to it: it stays where it is
  machine& operator=(const machine&) = delete;

  /// Joins a machine of borrowed threads: the calling thread takes part in the runs that
  /// others call, until the present gathering ends. Returns at once if there is none, or if
  /// processors() − 1 have joined. Between runs it spins, yields and sleeps as a worker does. It is
  /// not moved, and its affinity is not changed. Returns the number of runs in which it took part.
  /// Throws: usage_error (the machine owns its threads, inside a run, in a forked child, if the
  /// calling thread has a turn at the machine or has made the gathering, which would wait for
  /// itself); environment_error (the kernel refuses the machine's memory policy).
  std::size_t join();
  /// Joins the gathering of that number only: returns at once if it has ended, though another may
  /// have begun. For threads that are asked to join and may come late. Throws: as join().
  std::size_t join(std::uint64_t number);

  /// Number of processors, p; of borrowed threads, the most there can be.
  [[nodiscard]] unsigned processors() const noexcept;
  /// Number of workers, the threads that carry out a run of at least as many VPs: p, or the number
  /// of PUs where processors share them (thread_options::each); of borrowed threads, the caller and
  /// those that have joined. More VPs than this make no library program faster.
  [[nodiscard]] unsigned threads() const noexcept;
  /// Tells whether processors share a PU or a quota, so that more of them make nothing faster.
  /// Threads that share one park at once at barriers, and their timings say little.
  [[nodiscard]] bool oversubscribed() const noexcept;
  /// Number of this process among the *ranks*, the processes of the machine, and their number.
  [[nodiscard]] std::size_t rank() const noexcept;
  [[nodiscard]] std::size_t ranks() const noexcept;
  /// Refuses machines over several ranks, for programs whose data lie in the memory of one process,
  /// as those of the library. Throws: usage_error, if the machine is one, outside a rank_turn.
  void require_one_memory() const;
  /// Virtual processors of M(v) that this process carries out: all, unless there are ranks.
  [[nodiscard]] rank_range vps_here(std::size_t v) const noexcept;
  [[nodiscard]] wait_policy waiting() const noexcept;
  [[nodiscard]] const memory_policy& memory() const noexcept;
  [[nodiscard]] bool strict() const noexcept;
  /// Number of VPs for a program that takes powers of two only: threads() where it is one, else
  /// the smallest power of two ≥ 8 times as many, so that every thread has work.
  [[nodiscard]] std::size_t default_vps() const noexcept;

  [[nodiscard]] const pleat::topology& topology() const noexcept;
  [[nodiscard]] const pleat::placement& placement() const noexcept;
  [[nodiscard]] const cluster_tree& clusters() const noexcept;

  /// Runs `program` on M(v), folded onto min(v, threads()) processors, and returns when all VPs
  /// have ended.
  ///
  /// `program(me)` is called once per VP, on the worker that carries it out, and must be callable
  /// from several threads at once; what it captures lives until run returns.
  ///
  /// The calling thread is moved to its processor when the run begins, if it is elsewhere; until
  /// the run ends that processor is in its affinity mask. With workers::bound it is bound: when the
  /// run begins, if it is elsewhere or the machine parks, is oversubscribed or has a memory policy;
  /// else by the first worker that has waited for some µs, the time that binding takes. After the
  /// run the thread has the affinity it had.
  ///
  /// Cost: about 0.5 µs with workers that do not sleep yet, else some 10 µs, up to a millisecond
  /// where processors are virtual; some µs if the caller is moved or bound; 100 to 400 bytes and
  /// some 50 ns per VP. A run like the one before allocates nothing, if the report of that run was
  /// destroyed. Throws: usage_error (v = 0, v ≥ 2^32, inside a run or a call of the library, in a
  /// forked child, if the machine waits for this thread); environment_error (a worker could not be
  /// moved or bound; machine_options::patience is over); run_error, whose first cause it names:
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

  /// Returns at least `bytes` of memory for the intermediate data of a library program, aligned to
  /// a page: one block, kept from run to run so that its pages are faulted in only once; contents
  /// undefined. One user at a time, between run calls or inside one run; where other threads use
  /// the machine, the caller has a turn. Throws: std::bad_alloc; environment_error, if the
  /// machine's memory_policy binds it to a node that has too little, or the kernel has too few
  /// reserved huge pages.
  [[nodiscard]] std::span<std::byte> scratch(std::size_t bytes);
  /// Gives back all memory that is kept for the next run, when no other thread has the machine.
  /// Does nothing inside a run, in a forked child, or where the wait for that is refused.
  void release_memory() noexcept;

 private:
  friend class detail::call_machine;

  std::size_t serve(std::optional<std::uint64_t> number);
  run_report run_program(std::size_t v, detail::program_ref program);

  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace pleat
