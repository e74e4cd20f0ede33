// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "elements.hpp"
#include "engines.hpp"

namespace pleat::preloaded {

/// Some elements of a type.
struct typed_part {
  elements at;
  std::size_t count;
};

/// Returns the places of parts that lie one behind the other.
[[nodiscard]] std::vector<std::ptrdiff_t> places_behind(std::span<const std::size_t> counts);

/// Parts of a program's buffer as bytes: where they lie if they are dense, else in memory of ours.
class typed_parts {
 public:
  /// Puts copies of all parts into memory of ours if `apart`.
  explicit typed_parts(std::vector<typed_part> typed, bool apart = false);
  /// counts[r] elements, places[r] elements after the first.
  typed_parts(elements all, std::span<const std::size_t> counts,
              std::span<const std::ptrdiff_t> places, bool apart = false);

  [[nodiscard]] std::span<const part> get() const noexcept { return parts_; }

  /// Brings the bytes of a part, or of all, to where `get` says, or takes them from there. Do
  /// nothing where that is the program's memory. Throw: mpi_failure.
  void pack(std::size_t r, const communicator& on) const;
  void pack(const communicator& on) const;
  void unpack(const communicator& on) const;

 private:
  std::vector<typed_part> typed_;
  std::vector<part> parts_;
  std::unique_ptr<std::byte[]> packed_;
};

}  // namespace pleat::preloaded
