// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// Bytes [first, last) of the machine's scratch memory.
struct memory_range {
  std::size_t first = 0, last = 0;
};
inline constexpr std::size_t alignment = 128;

/// The sort of one array of at least one key, whatever the keys are: so sorts of numbers and of
/// indices are compiled once, with the library.
class array_sort {
 public:
  array_sort() = default;
  array_sort(const array_sort&) = delete;
  array_sort& operator=(const array_sort&) = delete;
  virtual ~array_sort() = default;

  /// Are the keys in order as they come?
  [[nodiscard]] virtual bool is_sorted() const = 0;

  /// How many bytes of memory sort_alone takes.
  [[nodiscard]] virtual std::size_t alone_bytes() const noexcept = 0;
  /// Sorts without a machine. What the order throws leaves all as it was.
  virtual void sort_alone(std::byte* memory) = 0;

  /// Prepares the program for that many VPs. Takes its memory from the machine: as much as the
  /// keys, and a little for every VP; all beyond `where.first` bytes, and so that there are
  /// `where.last` in all, which the program leaves to the caller when it is done. Throws
  /// std::bad_alloc.
  virtual void prepare(machine& on, std::size_t vps, const memory_range& where) = 0;
  /// The program of one VP. Returns false, to all VPs, if the keys were in order as they came.
  virtual task<bool> program(vp& me) = 0;
  /// After a run that failed: the array holds a permutation of its keys again.
  virtual void restore() noexcept = 0;
};

}  // namespace pleat::detail::sorting
