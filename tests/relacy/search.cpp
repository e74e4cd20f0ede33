// SPDX-License-Identifier: Apache-2.0
// The search: Relacy (D. Vyukov) behind the functions of searched_atomics.hpp, and a detector of
// data races that gets all accesses of plain memory from the compiler (-fsanitize=thread), with
// this program's functions in place of the thread sanitizer's.
#include "searched_atomics.hpp"
#undef std

#include <malloc.h>
#include <sys/single_threaded.h>

#include <relacy/relacy.hpp>
#include <relacy/stdlib/condition_variable.hpp>
#include <relacy/stdlib/mutex.hpp>

#undef memory_order_relaxed
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef free

namespace searched {

namespace {

/// Objects of Relacy in one run of a test.
template <class T> struct pool {
  static constexpr std::uint32_t most = 2048;
  alignas(T) static inline std::byte memory[most][sizeof(T)];
  static inline std::uint32_t made = 0;

  static T& at(std::uint32_t number) {
    RL_VERIFY(number < made);
    return *reinterpret_cast<T*>(memory[number]);
  }
  static std::uint32_t make() {
    RL_VERIFY(made < most);
    ::new (static_cast<void*>(memory[made])) T;
    return made++;
  }
  static void destroy() {
    for (; made != 0; --made) std::destroy_at(&at(made - 1));
  }
};
using atomics = pool<rl::atomic<word>>;
using mutexes = pool<rl::mutex>;
using conditions = pool<rl::condition_variable_any>;

rl::memory_order order_of(std::memory_order order) { return static_cast<rl::memory_order>(order); }

constexpr unsigned most_threads = 4;
bool watching = false;  // threads run
unsigned threads_of_run = 0;
rl::iteration_t runs_searched = 0;
const void* blocked_at[most_threads];

/// Accesses of four bytes of memory: whatever lies closer together is one variable, by Relacy's
/// clocks of the threads.
struct cell {
  std::uintptr_t place = 0;
  std::uint64_t run = 0;
  rl::timestamp_t loaded[most_threads], stored[most_threads];
};
constexpr std::size_t cells = 1 << 16;
cell table[cells];
std::uint64_t run = 0;
std::vector<cell*> used;  // in this run

cell* find(std::uintptr_t place, bool make) {
  for (std::size_t at = place * 0x9e3779b97f4a7c15U >> 48;; ++at) {
    cell& one = table[at % cells];
    if (one.run == run && one.place == place) return &one;
    if (one.run == run) continue;
    if (!make) return nullptr;
    RL_VERIFY(used.size() < cells / 2);
    one = {place, run, {}, {}};
    used.push_back(&one);
    return &one;
  }
}

void access_by(const void* at, std::size_t bytes, bool writes, const void* caller) {
  if (!watching) return;
  rl::thread_info_base& thread = *rl::ctx().threadx_;
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  for (std::uintptr_t place = first / 4; place <= (first + bytes - 1) / 4; ++place) {
    cell& here = *find(place, true);
    bool race = false;
    for (unsigned i = 0; i < threads_of_run; ++i) {
      race |= thread.acq_rel_order_[i] < here.stored[i];
      race |= writes && thread.acq_rel_order_[i] < here.loaded[i];
    }
    if (race) {
      if (std::getenv("PLEAT_RACES") != nullptr)
        std::printf("  thread %u %s %p at %p\n", thread.index_, writes ? "writes" : "reads", at,
                    caller);
      RL_ASSERT_IMPL(false, rl::test_result_data_race, "", RL_INFO);
    }
    thread.own_acq_rel_order_ += 1;
    (writes ? here.stored : here.loaded)[thread.index_] = thread.own_acq_rel_order_;
  }
}

/// The clocks at the language's own counts of owners (std::shared_ptr), which acquire and release.
std::map<const void*, std::array<rl::timestamp_t, most_threads>> counts;

int change_count(int* count, int by) {
  if (watching) {
    rl::thread_info_base& thread = *rl::ctx().threadx_;
    thread.own_acq_rel_order_ += 1;
    auto& order = counts[count];
    for (unsigned i = 0; i < threads_of_run; ++i)
      order[i] = thread.acq_rel_order_[i] = std::max(order[i], thread.acq_rel_order_[i]);
  }
  return std::exchange(*count, *count + by);
}

/// Forgets memory that is no object any more. Freeing it is a write.
void forget(void* at) {
  if (!watching || at == nullptr) return;
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t last = first + ::malloc_usable_size(at);
  for (cell* const one : used) {
    if (one->place < first / 4 || one->place >= last / 4) continue;
    access_by(reinterpret_cast<const void*>(one->place * 4), 4, true, __builtin_return_address(0));
    one->place = 0;
  }
}

/// The context's member by which it leaves memory to the C library.
struct open_context : rl::context {
  static int& library_allocates(rl::context& of) { return of.*(&open_context::disable_alloc_); }
};

maker make_test;

template <unsigned threads> struct runs : rl::test_suite<runs<threads>, threads> {
  void before() {
    ++open_context::library_allocates(rl::ctx());
    ++run;
    used.clear();
    counts.clear();
    std::ranges::fill(blocked_at, nullptr);
    now = make_test();
  }
  void thread(unsigned number) {
    watching = true;
    now->thread(number);
  }
  void after() {
    watching = false;
    now.reset();
    atomics::destroy();
    mutexes::destroy();
    conditions::destroy();
    --open_context::library_allocates(rl::ctx());
  }
  std::unique_ptr<test> now;
};

template <unsigned threads> rl::test_result_e result(unsigned switches) {
  std::ostream nowhere(nullptr);
  rl::test_params params;
  params.context_bound = switches;
  params.execution_depth_limit = 5000;
  params.progress_stream = &nowhere;
  params.output_stream = &nowhere;
  threads_of_run = threads;
  const rl::test_result_e found =
      rl::run_test<runs<threads>, rl::context_bound_scheduler<threads>>(params, nowhere, false);
  runs_searched = params.stop_iteration;
  return found;
}

}  // namespace

namespace engine {

std::uint32_t make_atomic(word most) {
  if (!rl::context::is_instance()) return atomics::most;  // static ones are not used
  if (atomics::made > most) std::abort();
  return atomics::make();
}
word load(std::uint32_t atomic, std::memory_order order) {
  return atomics::at(atomic).load(order_of(order), RL_INFO);
}
void store(std::uint32_t atomic, word value, std::memory_order order) {
  if (!rl::context::is_instance()) return;
  atomics::at(atomic).store(value, order_of(order), RL_INFO);
}
word update(std::uint32_t atomic, change how, word value, std::memory_order order) {
  rl::atomic<word>& of = atomics::at(atomic);
  switch (how) {
    case change::exchange:
      return of.exchange(value, order_of(order), RL_INFO);
    case change::add:
      return of.fetch_add(value, order_of(order), RL_INFO);
    case change::subtract:
      return of.fetch_sub(value, order_of(order), RL_INFO);
    case change::unite:
      return of.fetch_or(value, order_of(order), RL_INFO);
  }
  return 0;
}
bool compare_exchange(std::uint32_t atomic, word& expected, word value, std::memory_order order) {
  const rl::memory_order failure = order == std::memory_order_acq_rel   ? rl::mo_acquire
                                   : order == std::memory_order_release ? rl::mo_relaxed
                                                                        : order_of(order);
  return atomics::at(atomic).compare_exchange_strong(expected, value, order_of(order), RL_INFO,
                                                     failure, RL_INFO);
}
std::uint32_t make_mutex() { return mutexes::make(); }
void lock(std::uint32_t mutex) { mutexes::at(mutex).lock(RL_INFO); }
void unlock(std::uint32_t mutex) { mutexes::at(mutex).unlock(RL_INFO); }
std::uint32_t make_condition() { return conditions::make(); }
void wait(std::uint32_t condition, std::uint32_t mutex) {
  conditions::at(condition).wait(mutexes::at(mutex), RL_INFO);
}
void notify(std::uint32_t condition, bool all) {
  if (all)
    conditions::at(condition).notify_all(RL_INFO);
  else
    conditions::at(condition).notify_one(RL_INFO);
}
void touch(const void* at, std::size_t bytes, bool writes) {
  if (bytes != 0) access_by(at, bytes, writes, __builtin_return_address(0));
}

}  // namespace engine

void give_way() { rl::yield(1, RL_INFO); }
unsigned self() { return rl::thread_index(); }
void require(bool holds) {
  if (!holds) RL_ASSERT_IMPL(false, rl::test_result_user_assert_failed, "", RL_INFO);
}
void fence_of_all_threads() {
  rl::ctx().sched();
  rl::systemwide_fence(RL_INFO);
}
void block(const void* at) {
  blocked_at[rl::thread_index()] = at;
  rl::ctx().park_current_thread(false, false, false, RL_INFO);
}
bool unblock(const void* at) {
  rl::ctx().sched();
  for (unsigned thread = 0; thread < threads_of_run; ++thread) {
    if (blocked_at[thread] != at) continue;
    blocked_at[thread] = nullptr;
    rl::ctx().unpark_thread(static_cast<rl::thread_id_t>(thread), false, RL_INFO);
    return true;
  }
  return false;
}

namespace {

/// An access of an atomic that is ordered.
struct site {
  const char* file;
  unsigned line;
  std::memory_order order;

  friend bool operator==(const site&, const site&) = default;
};

/// A site weakened by one step, and what the search has found then.
struct weakening {
  site where;
  std::memory_order to;
  std::string found = {};
};

std::optional<weakening> weakened;  // on purpose
std::vector<weakening> of_test, of_program;
bool holds = true;  // all tests

void add_steps(const site& here, access kind) {
  const auto add = [&](std::memory_order to) { of_test.push_back({here, to}); };
  if (here.order == std::memory_order_acq_rel) {
    add(std::memory_order_acquire);
    add(std::memory_order_release);
  } else if (here.order == std::memory_order_seq_cst && kind != access::load) {
    add(kind == access::store ? std::memory_order_release : std::memory_order_acq_rel);
  } else {
    add(here.order == std::memory_order_seq_cst ? std::memory_order_acquire
                                                : std::memory_order_relaxed);
  }
}

/// The first error that is found; null if there is none.
const char* first_error(maker make, unsigned threads, unsigned switches) {
  __libc_single_threaded = 0;  // so counts of owners are atomic
  make_test = make;
  watching = false;
  atomics::made = mutexes::made = conditions::made = 0;  // after an error
  const rl::test_result_e found = threads == 2   ? result<2>(switches)
                                  : threads == 3 ? result<3>(switches)
                                                 : result<4>(switches);
  watching = false;
  return found == rl::test_result_success ? nullptr : rl::test_result_str(found);
}

}  // namespace

std::memory_order order_at(std::memory_order order, access kind,
                           const std::source_location& where) {
  if (order == std::memory_order_relaxed) return order;
  static const std::string_view folder(__FILE__, std::strrchr(__FILE__, '/') + 1);
  if (kind != access::kernel && std::string_view(where.file_name()).starts_with(folder))
    return order;
  const site here{where.file_name(), where.line(), order};
  if (weakened) return weakened->where == here ? weakened->to : order;
  if (std::ranges::find(of_test, here, &weakening::where) == of_test.end()) {
    ++open_context::library_allocates(rl::ctx());
    add_steps(here, kind);
    --open_context::library_allocates(rl::ctx());
  }
  return order;
}

void search(const char* name, maker make, unsigned threads, unsigned switches) {
  weakened.reset();
  of_test.clear();
  if (const char* const error = first_error(make, threads, switches)) {
    std::cout << name << " as it is: " << error << std::endl;
    holds = false;
    return;
  }
  std::cout << name << ": " << runs_searched << " runs" << std::endl;
  for (const weakening& one : of_test) {
    auto seen = std::ranges::find_if(of_program, [&](const weakening& other) {
      return one.where == other.where && one.to == other.to;
    });
    if (seen == of_program.end()) seen = of_program.insert(seen, one);
    if (!seen->found.empty()) continue;
    weakened = one;
    if (const char* const error = first_error(make, threads, switches))
      seen->found = std::string(name) + ": " + error;
  }
  weakened.reset();
}

void check(const char* name, maker make, unsigned threads, unsigned switches, bool fails) {
  const char* const error = first_error(make, threads, switches);
  std::cout << name << ": " << (error != nullptr ? error : "no error") << std::endl;
  holds = holds && fails == (error != nullptr);
}

int verdict() {
  static constexpr const char* orders[] = {"relaxed", "consume", "acquire",
                                           "release", "acq_rel", "seq_cst"};
  for (const weakening& one : of_program)
    std::cout << one.where.file << ':' << one.where.line << ": "
              << orders[static_cast<unsigned>(one.where.order)] << " as "
              << orders[static_cast<unsigned>(one.to)] << ": "
              << (one.found.empty() ? "ALIVE" : one.found) << std::endl;
  return holds ? 0 : 1;
}

}  // namespace searched

// Functions that the compiler calls at each access of memory.
extern "C" {

void __real_free(void* at);
void __wrap_free(void* at) {
  searched::forget(at);
  __real_free(at);
}

#define ACCESS(name, bytes, writes)                                      \
  void __tsan_##name(void* at) {                                         \
    searched::access_by(at, bytes, writes, __builtin_return_address(0)); \
  }
#define ACCESSES(bytes)                       \
  ACCESS(read##bytes, bytes, false)           \
  ACCESS(write##bytes, bytes, true)           \
  ACCESS(unaligned_read##bytes, bytes, false) \
  ACCESS(unaligned_write##bytes, bytes, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* at, std::size_t bytes) {
  if (bytes != 0) searched::access_by(at, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* at, std::size_t bytes) {
  if (bytes != 0) searched::access_by(at, bytes, true, __builtin_return_address(0));
}
void __tsan_vptr_update(void** at, void*) {
  searched::access_by(at, sizeof *at, true, __builtin_return_address(0));
}
int __tsan_atomic32_fetch_add(int* at, int by, int) { return searched::change_count(at, by); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
}
