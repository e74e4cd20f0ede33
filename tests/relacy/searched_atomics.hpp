// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library's own headers, compiled with the atomics of Relacy (D. Vyukov): what they call
// std::atomic and std::mutex are those of searched. The compiler includes it before anything else,
// so it begins with all headers of the standard library that they include.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <relacy/relacy.hpp>
#include <relacy/stdlib/mutex.hpp>

// Its macros of names that others have.
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef errno
#undef futex
#undef FUTEX_WAIT
#undef FUTEX_WAKE

namespace searched {

using namespace std;  // NOLINT: it stands for std
using rl::memory_order;
inline constexpr memory_order memory_order_relaxed = rl::mo_relaxed;
inline constexpr memory_order memory_order_acquire = rl::mo_acquire;
inline constexpr memory_order memory_order_release = rl::mo_release;
inline constexpr memory_order memory_order_acq_rel = rl::mo_acq_rel;
inline constexpr memory_order memory_order_seq_cst = rl::mo_seq_cst;

// Objects that live longer than one run of a test are not allocated in it: Relacy watches that
// memory.

/// An access of an atomic that is ordered.
struct site {
  const char* file;
  unsigned line;
  memory_order order;

  friend bool operator==(const site&, const site&) = default;
};

/// The accesses that are ordered, as they are found, and the one that is weakened on purpose.
inline array<site, 64> found;
inline size_t sites = 0;
inline optional<site> weakened;
inline memory_order weakened_to = rl::mo_relaxed;

/// A site weakened by one step, and whether some search has found an error then.
struct weakening {
  site where;
  memory_order to;
  bool needed = false;
};
inline ostream& operator<<(ostream& to, const weakening& one) {
  const string_view file = one.where.file;
  return to << file.substr(file.rfind('/') + 1) << ':' << one.where.line << ": "
            << rl::format(one.where.order) << " as " << rl::format(one.to);
}
inline vector<weakening> weakenings;
inline bool holds = true;  // all tests, as they are

inline memory_order order_at(memory_order order, const source_location& where) {
  if (order == memory_order_relaxed) return order;
  const site here{where.file_name(), where.line(), order};
  if (find(found.begin(), found.begin() + sites, here) == found.begin() + sites)
    found.at(sites++) = here;
  return weakened == here ? weakened_to : order;
}

/// The atomics of one type in one run of a test. They are kept apart, so that what consists of them
/// is as large as it is with those of the language.
template <class T> struct atomics {
  static constexpr size_t most = 64;
  alignas(rl::atomic<T>) static inline byte memory[most][sizeof(rl::atomic<T>)];
  static inline size_t made = 0;

  static rl::atomic<T>& at(size_t number) {
    return *reinterpret_cast<rl::atomic<T>*>(memory[number]);
  }
  static size_t make() {
    RL_VERIFY(made < most);
    ::new (static_cast<void*>(memory[made])) rl::atomic<T>;
    return made++;
  }
  static void forget() {
    while (made != 0) destroy_at(&at(--made));
  }
};
/// At the end of each run, within it.
inline void forget_atomics() {
  atomics<bool>::forget();
  atomics<uint32_t>::forget();
  atomics<uint64_t>::forget();
}

template <class T> class atomic {
 public:
  atomic() : atomic(T{}) {}
  atomic(T value) : number_(static_cast<T>(atomics<T>::make())) {
    self().store(value, memory_order_relaxed);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[nodiscard]] bool is_lock_free() const { return true; }
  T load(memory_order order = memory_order_seq_cst,
         source_location where = source_location::current()) const {
    return self().load(order_at(order, where));
  }
  void store(T value, memory_order order = memory_order_seq_cst,
             source_location where = source_location::current()) {
    self().store(value, order_at(order, where));
  }
  T exchange(T value, memory_order order = memory_order_seq_cst,
             source_location where = source_location::current()) {
    return self().exchange(value, order_at(order, where));
  }
  T fetch_add(T value, memory_order order = memory_order_seq_cst,
              source_location where = source_location::current()) {
    return self().fetch_add(value, order_at(order, where));
  }
  T fetch_sub(T value, memory_order order = memory_order_seq_cst,
              source_location where = source_location::current()) {
    return self().fetch_sub(value, order_at(order, where));
  }
  T fetch_or(T value, memory_order order = memory_order_seq_cst,
             source_location where = source_location::current()) {
    return self().fetch_or(value, order_at(order, where));
  }

 private:
  [[nodiscard]] auto self() const { return atomics<T>::at(static_cast<size_t>(number_))(RL_INFO); }

  const T number_;
};

class mutex {
 public:
  void lock() { self_.lock(RL_INFO); }
  void unlock() { self_.unlock(RL_INFO); }

 private:
  rl::mutex self_;
};

inline void give_way() { rl::yield(1, RL_INFO); }

/// The first error that the search finds, with so many switches between threads besides those where
/// they wait; or that there is none.
template <class Test> rl::test_result_e first_error(unsigned switches) {
  ostream nowhere(nullptr);
  rl::test_params params;
  params.context_bound = switches;
  params.execution_depth_limit = 5000;
  params.progress_stream = &nowhere;
  params.output_stream = &nowhere;
  atomics<bool>::made = atomics<uint32_t>::made = atomics<uint64_t>::made = 0;  // after an error
  return rl::run_test<Test, rl::context_bound_scheduler<Test::params::thread_count>>(
      params, nowhere, false);
}

/// Searches the test as it is, then with each ordered access weakened by one step; prints a line
/// for each.
template <class Test> void search(const char* name, unsigned switches) {
  weakened.reset();
  sites = 0;
  if (const auto error = first_error<Test>(switches); error != rl::test_result_success) {
    cout << name << " as it is: " << rl::test_result_str(error) << endl;
    holds = false;
    return;
  }
  const auto all = found;
  const size_t count = sites;
  for (size_t i = 0; i < count; ++i) {
    const bool both = all[i].order == memory_order_acq_rel;
    for (const memory_order weaker :
         both ? vector{memory_order_acquire, memory_order_release} : vector{memory_order_relaxed}) {
      weakened = all[i];
      weakened_to = weaker;
      const rl::test_result_e error = first_error<Test>(switches);
      auto seen = find_if(weakenings.begin(), weakenings.end(), [&](const weakening& one) {
        return one.where == all[i] && one.to == weaker;
      });
      if (seen == weakenings.end()) seen = weakenings.insert(seen, {all[i], weaker});
      seen->needed = seen->needed || error != rl::test_result_success;
      cout << name << ": " << *seen << ": " << rl::test_result_str(error) << endl;
    }
  }
  weakened.reset();
}

/// Prints the orderings that no search needs. The exit status of the program: 1 if there is one in
/// the sources, or if a test does not hold as it is.
inline int verdict() {
  bool all_needed = holds;
  for (const weakening& one : weakenings) {
    if (one.needed) continue;
    cout << "redundant: " << one << endl;
    all_needed = false;
  }
  return all_needed ? 0 : 1;
}

}  // namespace searched

#define std searched
