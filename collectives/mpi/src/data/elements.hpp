// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mpi.h>

#include "data/held.hpp"

namespace pleat::preloaded {

class communicator;

/// Construction of a type: the constructor, and how many arguments of each kind it had.
struct type_envelope {
  /// Throws: mpi_failure.
  explicit type_envelope(MPI_Datatype type);

  /// Tells whether the type is the MPI's own.
  [[nodiscard]] bool is_named() const noexcept;

  int combiner = 0;
  MPI_Count integers = 0, addresses = 0, large_counts = 0, types = 0;
};

/// Returns the use of a type, until when the program's freeing of it is put off; null for types of
/// the MPI's own. Throws: mpi_failure.
[[nodiscard]] std::shared_ptr<const held_type> use_of(MPI_Datatype type);

/// Layout of the elements of a datatype in memory.
struct element_type {
  /// Requires: a type, not MPI_DATATYPE_NULL. Throws: mpi_failure.
  explicit element_type(MPI_Datatype of);

  MPI_Datatype type;
  std::size_t size;         ///< bytes of data in an element
  std::ptrdiff_t extent;    ///< from one element to the next
  std::ptrdiff_t first;     ///< where the data of an element begin (the true lower bound)
  std::size_t true_extent;  ///< from there to the end of its data
  bool dense;               ///< elements follow each other without holes, in the order of memory
  std::shared_ptr<const held_type> use;  ///< keeps the type from being freed
};

/// Number of elements, and their type, as calls of the MPI take them, whose numbers are int: larger
/// numbers become one element of a type of its own. Throws: mpi_failure.
class counted_type {
 public:
  counted_type(std::size_t count, MPI_Datatype of);
  counted_type(const counted_type&) = delete;
  counted_type& operator=(const counted_type&) = delete;
  ~counted_type();

  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

 private:
  int count_;
  MPI_Datatype type_;
  MPI_Datatype piece_ = MPI_DATATYPE_NULL;
};

/// Elements of a type in memory: what a buffer and a datatype argument of an MPI call mean.
class elements {
 public:
  elements(void* buffer, const element_type& of) noexcept : buffer_(buffer), of_(&of) {}
  elements(const void* buffer, const element_type& of) noexcept
      : elements(const_cast<void*>(buffer), of) {}

  /// Makes elements that are contiguous bytes.
  [[nodiscard]] static elements of_bytes(const std::byte* first);

  [[nodiscard]] const element_type& of() const noexcept { return *of_; }

  /// The elements from the i-th on.
  [[nodiscard]] elements from(std::ptrdiff_t i) const noexcept { return behind(i * of_->extent); }
  /// The elements `bytes` bytes further on.
  [[nodiscard]] elements behind(std::ptrdiff_t bytes) const noexcept {
    return {moved(bytes), *of_};
  }
  /// Address that MPI calls take for the elements.
  [[nodiscard]] void* buffer() const noexcept { return buffer_; }
  /// Bytes of the elements. Requires: dense.
  [[nodiscard]] std::byte* bytes() const noexcept {
    return static_cast<std::byte*>(moved(of_->first));
  }

  /// Packs `count` elements into count · size bytes, in the order of the type's map; `unpack` does
  /// the reverse. Both throw: mpi_failure.
  void pack(std::size_t count, std::byte* to, const communicator& on) const;
  void unpack(std::size_t count, const std::byte* from, const communicator& on) const;
  /// Copies the data of `count` elements to others of the same type. Throws: mpi_failure.
  void copy_to(std::size_t count, elements to, const communicator& on) const;

 private:
  // Returns the buffer's address plus `bytes`, without pointer arithmetic: it may be MPI_BOTTOM.
  [[nodiscard]] void* moved(std::ptrdiff_t bytes) const noexcept;

  void* buffer_;
  const element_type* of_;
};

/// Memory for `count` elements of a type, with undefined content: their data, wherever extents put
/// them, at addresses that are aligned as those of the program.
class element_memory {
 public:
  element_memory(std::size_t count, const element_type& of);
  [[nodiscard]] elements get() const noexcept;

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::ptrdiff_t before_ = 0;  // from the first element's origin to the memory
  const element_type* of_;
};

}  // namespace pleat::preloaded
