// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/detail/program_ref.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/topology.hpp>
#include <pleat/runtime/vp.hpp>
#include <pleat/runtime/wait_policy.hpp>
#include <pleat/runtime/workers.hpp>

namespace pleat {

namespace detail {
class call_machine;
class link;
}  // namespace detail

/// A machine whose runs are counted, see machine_options::trace.
struct tracing {
  bool dummies = false;  ///< count vp::dummy messages too
  /// Count besides who sends to whom when the VPs are folded onto that many processors, v at most:
  /// cost_trace::messages_between. 0: do not. Takes 8 bytes for each pair and label.
  std::size_t processors = 0;
  /// Keep every message, so that routed() can be asked for the costs: 24 bytes a message. Not over
  /// ranks.
  bool messages = false;
};

/// What a machine is made of. What is not given here is taken from the environment, and what is not
/// there either from what the process may use. With PLEAT_SHOW_BINDING=1 a machine says on stderr,
/// when it is made, where its workers are bound.
struct machine_options {
  std::optional<unsigned> processors = {};      ///< PLEAT_NUM_PROCESSORS; else one per allowed core
  std::optional<placement_request> place = {};  ///< PLEAT_PLACE; else compact
  /// PLEAT_PIN; else no: a worker is moved to its processor when a run begins or it has slept, and
  /// keeps the affinity mask of the process, so that what a program starts may run anywhere. Yes:
  /// it is bound, and what it starts (a thread, a process) is bound to the same processor.
  std::optional<bool> pin = {};
  /// Whose threads the workers are. If they are borrowed, processors is how many at most, by
  /// default one per allowed hardware thread; nobody is moved; see machine::join.
  pleat::workers workers = pleat::workers::owned;
  std::optional<wait_policy> wait = {};      ///< PLEAT_WAIT; else automatic
  std::optional<memory_policy> memory = {};  ///< PLEAT_MEMORY; else first-touch
  /// PLEAT_THREAD_EACH; else no: workers that share a PU are one thread, which switches between
  /// their virtual processors. Yes: a thread each, for programs that wait for each other in ways
  /// that the library does not know of, such as locks; a barrier then costs switches of threads.
  std::optional<bool> thread_each = {};
  /// Bytes of the stack of a thread that the machine makes, 64 KiB at least; a page that nobody may
  /// touch lies below. PLEAT_STACK; else as many as the main thread may have (`ulimit -s`), up to
  /// 64 MiB; 8 MiB where that is unlimited. With PLEAT_SHOW_OVERFLOW=1 an overflow says on stderr
  /// whose stack it was, before it ends the process.
  std::optional<std::size_t> stack = {};
  std::optional<bool> strict =
      {};  ///< check labels, clusters, loans; else only in builds with assertions
  std::optional<pleat::topology> topology = {};  ///< else the host's
  bool times = true;      ///< run_report::times says where each processor's time went
  bool pages = false;     ///< run_report::pages, processor_pages: where memory is; 100 ns a page
  bool timeline = false;  ///< run_report says what each processor did when; costs two stamps a wait
  /// How long a call waits while another thread has the machine, before it throws
  /// environment_error; 0 refuses at once. Else it waits for its turn, however long that takes.
  std::optional<std::chrono::milliseconds> patience = {};
  /// The other processes of the machine, which are made of one: by pleat::mpi::over.
  std::shared_ptr<detail::link> link = {};
  /// Runs count their supersteps and messages: run_report::costs. Such a machine has one worker and
  /// is strict, whatever the environment says; runs that cannot be counted throw as evaluate does.
  /// Over several processes each has one worker, and all have the costs of the whole run.
  std::optional<tracing> trace = {};
};

/// A program of M(v): makes the outermost task of a virtual processor.
template <class F>
concept vp_program = std::invocable<F&, vp&> && std::same_as<std::invoke_result_t<F&, vp&>, task<>>;

/// p workers, each at a processor, on which programs of M(v) run, for any v. Where there are more
/// of them than PUs, those that share one are one thread: programs see p processors, and the work
/// is shared by as many threads as there are PUs.
///
/// ```cpp
/// pleat::machine machine;                        // every core this process may use
/// machine.run(1 << 20, [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
/// ```
///
/// The thread that calls run is worker 0; the others are made with the machine and sleep between
/// runs, from 2 ms after one on. There is no global state: several machines can exist, and run at
/// once if their processors differ. A machine that has a part of the cores takes those on which no
/// other machine of this user has workers, in this process or another one, if there are such; else
/// it says so on stderr. (PLEAT_CLAIM_CORES=0: it neither looks nor tells others.)
///
/// With machine_options::link a machine has the workers of several processes, its *ranks*: all of
/// them make it, and call the same runs. Its processors(), threads() and default_vps() are of all
/// ranks; topology, placement, clusters and the bindings of a report are of this one. A process
/// sees what its own VPs, vps_here, do to its memory. See runtime/mpi/README.md.
///
/// With machine_options::workers = borrowed a machine makes no threads and moves none:
///
/// ```cpp
/// pleat::machine machine({.workers = pleat::workers::borrowed});
/// const pleat::machine::gathering open(machine);
/// // in threads of yours: machine.join();   they take part until the gathering ends
/// machine.run(1 << 20, [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
/// ```
///
/// host/openmp.hpp and host/tbb.hpp do this with the threads of a parallel region and of an arena.
///
/// Thread safety: run and the library's programs may be called from any thread; on one machine they
/// take turns, in the order in which they asked. A program must not wait for a thread that uses the
/// same machine: if it joins that thread, the thread's call throws usage_error; if it waits in some
/// other way, both wait for ever, unless there is machine_options::patience. After fork the child
/// may not use the parent's machine (usage_error), but may destroy it, and may make machines of its
/// own, whatever the parent's other threads do meanwhile. A child made inside a run may only call
/// exec or _exit. The library, or the plugin it is linked into, stays loaded once there was a
/// machine. Machines may be used before main and after it, up to the last destructor.
class PLEAT_API machine {
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
  /// Throws: usage_error (inside a run or a call of the library, in a forked child, if the machine
  /// waits for this thread, if the scratch memory belongs to a call of this thread, whose callback
  /// this is); environment_error (see machine_options::patience). Cost: some 50 ns, if nobody else
  /// has it.
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

  /// A turn in which the machine is that of this rank alone: as long as this lives, its workers,
  /// rank() and ranks() are those of a machine of this process, and runs and the library's programs
  /// concern no other rank. Other ranks that begin a run wait until this one calls it too. For
  /// what a rank does with its own part of data. On a machine of one process a turn, nothing else.
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

  /// The application's threads may join a machine of borrowed threads as long as this lives.
  /// Throws: usage_error (the machine owns its threads or has a gathering, inside a run, in a
  /// forked child). At its end it waits for the run under way, and until all who joined have left
  /// join().
  class PLEAT_API gathering {
   public:
    explicit gathering(machine& of);
    ~gathering();
    gathering(const gathering&) = delete;
    gathering& operator=(const gathering&) = delete;

    /// Tells it from all others of its machine; for join.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

   private:
    machine& of_;
    std::uint64_t number_ = 0;
  };

  /// Throws: usage_error (an environment variable or option that makes no sense, a timeline
  /// without times),
  /// environment_error (what was asked for cannot be had), std::bad_alloc. Cost: p − 1 threads; the
  /// first machine of a process also reads the topology, some ms.
  machine();
  explicit machine(machine_options options);
  ~machine();
  machine(const machine&) = delete;  // programs and workers refer to it: it stays where it is
  machine& operator=(const machine&) = delete;

  /// Lends the calling thread to a machine of borrowed threads: it takes part in the runs that
  /// others call, until the present gathering ends. Returns at once if there is none, or if
  /// processors() − 1 have joined. Between runs it spins, yields and sleeps as a worker does. It is
  /// not moved, and its affinity is not changed. Returns: in how many runs it took part.
  /// Throws: usage_error (the machine owns its threads, inside a run, in a forked child, if the
  /// calling thread has a turn at the machine or has made the gathering, which would wait for
  /// itself).
  std::size_t join();
  /// The same for the gathering of that number alone: returns at once if it has ended, though
  /// another may have begun. For threads that are asked to join and may come late.
  std::size_t join(std::uint64_t number);

  /// p; of borrowed threads, how many there can be at most.
  [[nodiscard]] unsigned processors() const noexcept;
  /// How many threads carry out a run of at least as many VPs: p, or as many as there are PUs where
  /// processors share them (see machine_options::thread_each); of borrowed threads, the caller and
  /// those that have joined. More VPs than that make no program
  /// faster that is of one source for any number of them.
  [[nodiscard]] unsigned threads() const noexcept;
  /// Several workers share a processor, or a quota, and what they do is not faster for it. Threads
  /// that share one park at once at barriers, and their timings say little.
  [[nodiscard]] bool oversubscribed() const noexcept;
  /// Of a machine over several processes, the *ranks*: which this is, and how many there are.
  [[nodiscard]] std::size_t rank() const noexcept;
  [[nodiscard]] std::size_t ranks() const noexcept;
  /// For programs whose data lie in the memory of one process, as those of the library. Throws:
  /// usage_error, if the machine is one over several ranks, outside a rank_turn.
  void require_one_memory() const;
  /// The virtual processors of M(v) that this process carries out: all, unless there are ranks.
  [[nodiscard]] rank_range vps_here(std::size_t v) const;
  [[nodiscard]] wait_policy waiting() const noexcept;
  [[nodiscard]] const memory_policy& memory() const noexcept;
  [[nodiscard]] bool strict() const noexcept;
  /// The number of VPs for a program that takes powers of two only: threads() where it is one, else
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
  /// The calling thread is moved to its processor when the run begins, if it is elsewhere; if that
  /// processor is not in its affinity mask, it is until the run ends. With machine_options::pin it
  /// is bound: when the run begins, if it is elsewhere, if the machine parks, is oversubscribed or
  /// has a memory policy; else by the first worker that waits for some µs, which is what binding
  /// takes. Behind the run it has the affinity it had.
  ///
  /// Cost: about 0.5 µs with workers that do not sleep yet, else some 10 µs, up to a millisecond
  /// where processors are virtual; some µs if the caller is moved or bound; 100 to 400 bytes and
  /// some 50 ns per VP. A run like the one before allocates nothing, if that one's report is gone.
  /// Throws: usage_error (v = 0, v ≥ 2^32, inside a run or a call of the library, in a forked
  /// child); environment_error (a worker could not be moved or bound); run_error, whose first cause
  /// it names: vp_failed (a VP ended with an exception), label_mismatch, deadlock, out_of_cluster,
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
  friend class detail::call_machine;

  std::size_t serve(std::optional<std::uint64_t> number);
  run_report run_program(std::size_t v, detail::program_ref program);

  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace pleat
