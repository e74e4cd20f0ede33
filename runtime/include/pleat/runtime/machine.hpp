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

/// Options of one rank of a machine over several processes, with its link to the other ranks.
/// pleat::mpi::over makes them, for one machine at a time.
struct rank_options {
  rank_options(machine_options given, std::shared_ptr<detail::link> to)
      : options(std::move(given)), link(std::move(to)) {}

  machine_options options;
  std::shared_ptr<detail::link> link;
};

/// A program of M(v): makes the outermost task of a virtual processor.
template <class F>
concept vp_program = std::invocable<F&, vp&> && std::same_as<std::invoke_result_t<F&, vp&>, task<>>;

/// A machine of p workers, each at one processor, which runs programs of M(v) for any v. Workers
/// that share a PU are one thread, unless thread_options::each is set.
///
/// ```cpp
/// pleat::machine machine;                        // every core this process may use
/// machine.run(1 << 20, [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
/// ```
///
/// The thread that calls run is worker 0. Thread safety: run and the library's programs may be
/// called from any thread; calls on one machine take turns; machines with different processors run
/// concurrently. runtime/docs/in_an_application.md has the rules for cores, turns, borrowed
/// threads, forked children, plugins and static destruction; ranks/mpi/README.md has those for
/// ranks.
class PLEAT_API machine {
 public:
  /// Purpose of a turn: only runs, or runs and scratch memory.
  enum class use { runs, scratch };

  /// Exclusive use of a machine by the calling thread: calls of other threads wait until it ends. A
  /// thread may have several turns, one inside the other. Every run takes a turn by itself; an
  /// explicit turn is for several runs that belong together, and for data in scratch memory between
  /// them.
  ///
  /// ```cpp
  /// const pleat::machine::turn mine(machine);
  /// const std::span<std::byte> memory = machine.scratch(bytes);
  /// machine.run(v, program);                     // works on memory
  /// ```
  ///
  /// Throws: usage_error (inside a run or a call of the library, in a forked child, or if the
  /// machine waits for this thread; for scratch memory also on a machine over ranks, and in a
  /// callback of a call that uses scratch memory); environment_error (machine_options::patience is
  /// over, or the kernel refuses the machine's memory policy). Cost: some 50 ns, if no other thread
  /// has a turn.
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

  /// Turn in which the machine is that of this rank alone, for work on the rank's own part of data.
  /// During the turn, workers, rank() and ranks() are those of a machine of this process alone, and
  /// runs and the library's programs involve no other rank. Other ranks that begin a run wait until
  /// this rank calls it too. On a machine of one process it is a plain turn.
  ///
  /// ```cpp
  /// {
  ///   const pleat::machine::rank_turn here(machine);
  ///   pleat::sort(machine, mine);                // on the workers of this rank
  /// }
  /// machine.run(v, program);                     // on all ranks
  /// ```
  ///
  /// Throws: as turn. Cost: that of a turn; nothing is sent. Thread safety: meanwhile other threads
  /// may not query the ranks, threads or VPs of the machine.
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

  /// Period in which the application's threads may join a machine of borrowed threads. The
  /// destructor waits for the current run, and until all threads that joined have left join().
  /// Throws: usage_error (the machine owns its threads or has a gathering), and as turn.
  class PLEAT_API gathering {
   public:
    explicit gathering(machine& of);
    ~gathering();
    gathering(const gathering&) = delete;
    gathering& operator=(const gathering&) = delete;

    /// Number of this gathering, unique on the machine; for join.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

   private:
    machine& of_;
    std::uint64_t number_ = 0;
  };

  /// Makes p − 1 threads, unless they are borrowed. Cost: that of the threads; the first machine of
  /// a process also reads the topology, which takes some ms. Throws: usage_error (an environment
  /// variable or option is invalid), environment_error (a request cannot be met), std::bad_alloc;
  /// over ranks also usage_error on all of them, if options that must be equal differ, and what
  /// another rank has thrown.
  machine();
  explicit machine(machine_options options);
  explicit machine(rank_options options);
  ~machine();
  machine(const machine&) = delete;  // not movable: programs and workers refer to it
  machine& operator=(const machine&) = delete;

  /// Joins a machine of borrowed threads: the calling thread takes part in the runs that others
  /// call, until the current gathering ends. Returns at once if there is no gathering, or if
  /// processors() − 1 threads have joined. Between runs the thread spins, yields and sleeps as a
  /// worker does. It is not moved, and its affinity is not changed. Returns the number of runs in
  /// which the thread took part.
  /// Throws: usage_error (the machine owns its threads; the call is inside a run or in a forked
  /// child; the calling thread has a turn at the machine, or has made the gathering, which would
  /// wait for itself); environment_error (the kernel refuses the machine's memory policy).
  std::size_t join();
  /// Joins only the gathering with that number: returns at once if it has ended, even if another
  /// has begun. Meant for threads that may be late when they are asked to join. Throws: as join().
  std::size_t join(std::uint64_t number);

  /// Number of processors, p; for borrowed threads, their maximum number.
  [[nodiscard]] unsigned processors() const noexcept;
  /// Number of workers, the threads that carry out a run of at least as many VPs: p, or the number
  /// of PUs if processors share them (see thread_options::each); for borrowed threads, the caller
  /// and the threads that have joined. More VPs than workers make no library program faster.
  [[nodiscard]] unsigned threads() const noexcept;
  /// Tells whether processors share a PU or a quota, so that they cannot all run at the same time.
  /// Their threads park at barriers without spinning, and their timings are unreliable.
  [[nodiscard]] bool oversubscribed() const noexcept;
  /// Rank of this process among the processes of the machine, and the number of these *ranks*.
  [[nodiscard]] std::size_t rank() const noexcept;
  [[nodiscard]] std::size_t ranks() const noexcept;
  /// Checks that the data of a program can be in the memory of one process, as programs of the
  /// library require. Throws: usage_error if the machine has several ranks, except during a
  /// rank_turn.
  void require_one_memory() const;
  /// Virtual processors of M(v) that this process carries out: all, if the machine is of one
  /// process.
  [[nodiscard]] rank_range vps_here(std::size_t v) const noexcept;
  [[nodiscard]] wait_policy waiting() const noexcept;
  [[nodiscard]] const memory_policy& memory() const noexcept;
  [[nodiscard]] bool strict() const noexcept;
  /// Number of VPs for a program that takes powers of two only: threads() if it is a power of two,
  /// else the smallest power of two ≥ 8 · threads(), so that every thread has work.
  [[nodiscard]] std::size_t default_vps() const noexcept;

  [[nodiscard]] const pleat::topology& topology() const noexcept;
  [[nodiscard]] const pleat::placement& placement() const noexcept;
  [[nodiscard]] const cluster_tree& clusters() const noexcept;

  /// Runs `program` on M(v), folded onto min(v, threads()) processors, and returns when all VPs
  /// have ended.
  ///
  /// `program(me)` is called once per VP, on the worker that carries the VP out, and must be
  /// callable from several threads at once. Its captures live until run returns.
  ///
  /// If the calling thread is not on its processor, it is moved there when the run begins; until
  /// the run ends, that processor is in its affinity mask. With workers::bound it is bound. This
  /// happens when the run begins, if the thread is elsewhere, or if the machine parks, is
  /// oversubscribed or has a memory policy; else the first worker that has waited for some µs, the
  /// time that binding takes, binds it. After the run the thread has its previous affinity.
  ///
  /// Cost: about 0.5 µs if the workers do not sleep, else some 10 µs, and up to a millisecond on
  /// virtual processors; some µs if the caller is moved or bound; 100 to 400 bytes and some 50 ns
  /// per VP. A run like the previous one, of fewer than 2^24 VPs, allocates nothing, if the report
  /// of the previous run was destroyed. Throws: usage_error (v = 0, v ≥ 2^32, VPs that alone take
  /// more than usable_memory, inside a run or a call of the library, in a forked child, or if the
  /// machine waits for this thread); environment_error (a worker could not be moved or bound;
  /// machine_options::patience is over); run_error, which names the first cause: vp_failed (a VP
  /// ended with an exception), label_mismatch, deadlock, out_of_cluster, lent_memory_modified;
  /// std::bad_alloc (no memory for the virtual processors or their messages; the machine then frees
  /// the memory it has kept). With machine_options::trace also usage_error after a run that has no
  /// costs (see evaluate). The machine can be used again after any exception.
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
  /// a page: one block of unspecified contents, kept from run to run so that its pages are faulted
  /// in only once. It may have one user at a time, between run calls or inside one run; if other
  /// threads use the machine, the caller must have a turn. Throws: std::bad_alloc;
  /// environment_error, if the machine's memory_policy binds it to a node that has too little, or
  /// the kernel has too few reserved huge pages.
  [[nodiscard]] std::span<std::byte> scratch(std::size_t bytes);
  /// Waits until no other thread has the machine, and frees all memory that is kept for the next
  /// run. Does nothing inside a run, in a forked child, or if the wait is refused.
  void release_memory() noexcept;

 private:
  friend class detail::call_machine;

  std::size_t serve(std::optional<std::uint64_t> number);
  run_report run_program(std::size_t v, detail::program_ref program);

  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace pleat
