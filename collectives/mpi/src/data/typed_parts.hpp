// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mpi.h>
#include <span>
#include <vector>

#include "data/elements.hpp"
#include "engines/engines.hpp"

namespace pleat::preloaded {

/// One side of a call: a buffer, the number of elements, their type.
struct side {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;

  [[nodiscard]] bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }

  /// Tells whether the arguments are valid; if not, the MPI reports what is wrong with them. Wrong
  /// is also null as the address of data. (MPI_BOTTOM is null: types may have addresses.)
  [[nodiscard]] bool is_valid() const;

  /// Bytes of data. Requires: valid, not in place. Throws: mpi_failure.
  [[nodiscard]] std::size_t bytes() const;
};

/// One side of an irregular call: counts and places, one for each rank. Types are one for all,
/// and places are elements; or one for each rank, and places are bytes.
struct irregular_side {
  const void* buffer;
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> places;
  std::vector<MPI_Datatype> types;

  /// Tells whether the arguments are valid; those of parts without elements may be anything.
  [[nodiscard]] bool is_valid() const;
};

/// Parts of a program's buffer as bytes: where they lie if they are dense, else in memory of ours,
/// where copies of all parts are if `apart`.
class typed_parts {
 public:
  /// Parts that lie one behind the other, of the same size or of counts[r] elements.
  typed_parts(const side& each, std::size_t ranks, bool apart = false);
  typed_parts(elements all, std::span<const std::size_t> counts);
  explicit typed_parts(const irregular_side& all, bool apart = false);

  [[nodiscard]] std::span<const part> get() const noexcept { return parts_; }
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// Number of parts with bytes.
  [[nodiscard]] std::size_t filled() const noexcept;

  /// Brings the bytes of a part, or of all, to where `get` says, or takes them from there. Do
  /// nothing where that is the program's memory. Throw: mpi_failure.
  void pack(std::size_t r, const communicator& on) const;
  void pack(const communicator& on) const;
  void unpack(const communicator& on) const;
  /// Brings the bytes of part r there from another buffer, or from there to one, which may be in
  /// place. Throw: mpi_failure, also if its size is another one.
  void put(std::size_t r, const side& from, const communicator& on) const;
  void take(std::size_t r, const side& to, const communicator& on) const;

 private:
  void lay_out(bool apart);
  const element_type& known(MPI_Datatype type);

  struct typed {
    elements at;
    std::size_t count;
  };
  std::map<MPI_Datatype, element_type> types_;
  std::vector<typed> typed_;
  std::vector<part> parts_;
  std::unique_ptr<std::byte[]> packed_;
};

}  // namespace pleat::preloaded
