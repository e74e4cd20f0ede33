// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library's own headers and sources, compiled with the atomics, mutexes and condition variables
// of the search (search.cpp): what they call std is searched. The compiler includes this before
// anything else, so it begins with all headers of the standard library.
#include <bits/stdc++.h>

namespace searched {

/// Changes of a value by the search, whatever its type.
using word = std::uint64_t;

/// The search, in search.cpp, which is compiled without this header's names. Objects have numbers;
/// they last until the end of a run of a test.
namespace engine {

enum class change { exchange, add, subtract, unite };

/// Ends the program if the number is greater than `most`.
std::uint32_t make_atomic(word most);
word load(std::uint32_t atomic, std::memory_order order);
void store(std::uint32_t atomic, word value, std::memory_order order);
word update(std::uint32_t atomic, change how, word value, std::memory_order order);
bool compare_exchange(std::uint32_t atomic, word& expected, word value, std::memory_order order);
std::uint32_t make_mutex();
void lock(std::uint32_t mutex);
void unlock(std::uint32_t mutex);
std::uint32_t make_condition();
void wait(std::uint32_t condition, std::uint32_t mutex);
void notify(std::uint32_t condition, bool all);

/// Records an access of plain memory, as the compiler's instrumentation does.
void touch(const void* at, std::size_t bytes, bool writes);

}  // namespace engine

/// Lets other threads run, as one that waits does.
void give_way();
/// Number of the thread that runs.
unsigned self();
/// Fails the run unless `holds`.
void require(bool holds);
/// Orders all threads, as membarrier(2) does.
void fence_of_all_threads();
/// Blocks the thread that runs until another one unblocks it: one that is blocked at the address.
/// Orders nothing.
void block(const void* at);
bool unblock(const void* at);

/// A run of a protocol: made, run by some threads and destroyed again and again. Its plain memory,
/// and all that it refers to, is watched while the threads run.
struct test {
  virtual ~test() = default;
  virtual void thread(unsigned self) = 0;
};

using maker = std::unique_ptr<test> (*)();
template <class Test> std::unique_ptr<test> make() { return std::make_unique<Test>(); }
void search(const char* name, maker make, unsigned threads, unsigned switches);
void check(const char* name, maker make, unsigned threads, unsigned switches, bool fails);

/// Searches runs with so many switches between threads, besides those where they wait: the test as
/// it is, then with each ordered access weakened by one step.
template <class Test> void search(const char* name, unsigned threads, unsigned switches) {
  search(name, &make<Test>, threads, switches);
}
/// Searches a test as it is; an error must be found, or none.
template <class Test> void must_fail(const char* name, unsigned threads, unsigned switches) {
  check(name, &make<Test>, threads, switches, true);
}
template <class Test> void must_hold(const char* name, unsigned threads, unsigned switches) {
  check(name, &make<Test>, threads, switches, false);
}
/// Prints each weakened access and what was found, for mutants.py, which judges them. Returns the
/// exit status of the program: 1 if a test does not hold as it is.
int verdict();

/// Kind of an access: a seq_cst one is weakened to what the kind has.
enum class access { load, store, update, kernel };
/// The order of an access, unless it is weakened now. Those of the programs here are not, but for
/// the kernel's.
std::memory_order order_at(std::memory_order order, access kind, const std::source_location& where);

using namespace std;  // NOLINT: it stands for std

/// As large as the language's.
template <class T> class atomic {
 public:
  static constexpr bool is_always_lock_free = true;

  atomic() : atomic(T{}) {}
  atomic(T value)
      : number_(static_cast<number>(engine::make_atomic(numeric_limits<number>::max()))) {
    engine::store(number_, word_of(value), memory_order_relaxed);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(memory_order order = memory_order_seq_cst,
         source_location where = source_location::current()) const {
    return value_of(engine::load(number_, order_at(order, access::load, where)));
  }
  void store(T value, memory_order order = memory_order_seq_cst,
             source_location where = source_location::current()) {
    engine::store(number_, word_of(value), order_at(order, access::store, where));
  }
  T exchange(T value, memory_order order = memory_order_seq_cst,
             source_location where = source_location::current()) {
    return update(engine::change::exchange, value, order, where);
  }
  T fetch_add(T value, memory_order order = memory_order_seq_cst,
              source_location where = source_location::current()) {
    return update(engine::change::add, value, order, where);
  }
  T fetch_sub(T value, memory_order order = memory_order_seq_cst,
              source_location where = source_location::current()) {
    return update(engine::change::subtract, value, order, where);
  }
  T fetch_or(T value, memory_order order = memory_order_seq_cst,
             source_location where = source_location::current()) {
    return update(engine::change::unite, value, order, where);
  }
  bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst,
                               source_location where = source_location::current()) {
    word seen = word_of(expected);
    const bool same = engine::compare_exchange(number_, seen, word_of(value),
                                               order_at(order, access::update, where));
    expected = value_of(seen);
    return same;
  }

 private:
  using number =
      conditional_t<sizeof(T) == 1, uint8_t, conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  static word word_of(T value) {
    word all = 0;
    memcpy(&all, &value, sizeof value);
    return all;
  }
  static T value_of(word all) {
    T value;
    memcpy(&value, &all, sizeof value);
    return value;
  }
  T update(engine::change how, T value, memory_order order, const source_location& where) {
    return value_of(
        engine::update(number_, how, word_of(value), order_at(order, access::update, where)));
  }

  const number number_;
};

class mutex {
 public:
  void lock() { engine::lock(number_); }
  void unlock() { engine::unlock(number_); }

 private:
  friend class condition_variable;
  const uint32_t number_ = engine::make_mutex();
};

/// Waits with a limit have none here: whoever relies on it is a deadlock.
class condition_variable {
 public:
  void wait(unique_lock<mutex>& lock) { engine::wait(number_, lock.mutex()->number_); }
  void wait(unique_lock<mutex>& lock, const auto& ready) {
    while (!ready()) wait(lock);
  }
  void wait_until(unique_lock<mutex>& lock, const auto&) { wait(lock); }
  void notify_one() { engine::notify(number_, false); }
  void notify_all() { engine::notify(number_, true); }

 private:
  const uint32_t number_ = engine::make_condition();
};

class latch {
 public:
  explicit latch(ptrdiff_t count) : left_(count) {}
  void count_down(ptrdiff_t by = 1) { left_.fetch_sub(by, memory_order_release); }
  void wait() const {
    while (left_.load(memory_order_acquire) != 0) give_way();
  }

 private:
  atomic<ptrdiff_t> left_;
};

inline void* memcpy(void* to, const void* from, size_t bytes) {
  engine::touch(from, bytes, false);
  engine::touch(to, bytes, true);
  return ::memcpy(to, from, bytes);
}

}  // namespace searched

#define std searched
#define constinit  // as atomics are numbers
