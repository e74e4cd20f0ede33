// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/runtime/machine.hpp>

// Records of a few bytes, sorted by a number: the sort is compiled with the library, and what it
// knows of the records it asks, many at a time.
namespace pleat::detail::sorting {

/// Records of that size can be sorted by the library.
constexpr bool record_size(std::size_t bytes) noexcept {
  return bytes % 4 == 0 && bytes >= 4 && bytes <= 64;
}

/// Records, where they lie before the sort and where they go. All VPs ask at once.
class record_ends {
 public:
  record_ends(const record_ends&) = delete;
  record_ends& operator=(const record_ends&) = delete;

  /// Size of a record; a record_size.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Writes the words by which records first … first + count − 1 are sorted, upwards. If two calls
  /// give different words for a record, the order is unspecified.
  virtual void words(std::size_t first, std::size_t count, std::uint64_t* to) const = 0;
  /// These records: where they lie, or copied to `room`.
  virtual const std::byte* look(std::size_t first, std::size_t count, std::byte* room) const = 0;
  /// The words of records that were copied.
  virtual void words_of(std::byte* records, std::size_t count, std::uint64_t* to) const = 0;
  /// Records for places first … first + count − 1; past the caches with `stream`. Does not throw
  /// unless assigning a record does.
  virtual void put(std::size_t first, std::size_t count, const std::byte* records,
                   bool stream) const = 0;

 protected:
  explicit record_ends(std::size_t bytes) noexcept : bytes_(bytes) {}
  ~record_ends() = default;

 private:
  std::size_t bytes_;
};

/// Sorts n ≥ 1 records, stably.
PLEAT_API run_report sort_records(machine& on, const record_ends& records, std::size_t n,
                                  std::size_t vps);

/// Copies bytes; with `stream` past the caches, where they are whole lines.
PLEAT_API void store_bytes(const std::byte* from, std::size_t bytes, std::byte* to,
                           bool stream) noexcept;

}  // namespace pleat::detail::sorting
