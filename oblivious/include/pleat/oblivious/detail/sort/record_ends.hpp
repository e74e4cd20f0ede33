// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/runtime/machine.hpp>

// Sort of records of a few bytes by a number. It is compiled with the library, and accesses the
// records through an interface, many a call.
namespace pleat::detail::sorting {

/// Tells whether the library can sort records of that size.
constexpr bool record_size(std::size_t bytes) noexcept {
  return bytes % 4 == 0 && bytes >= 4 && bytes <= 64;
}

/// Interface by which a sort reads records and writes its result. All VPs call it concurrently.
class record_ends {
 public:
  record_ends(const record_ends&) = delete;
  record_ends& operator=(const record_ends&) = delete;

  /// Size of a record; a record_size.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Writes the words by which records first … first + count − 1 are sorted, upwards. If two calls
  /// give different words for a record, the order is unspecified.
  virtual void words(std::size_t first, std::size_t count, std::uint64_t* to) const = 0;
  /// Returns records first … first + count − 1: where they lie, or copied to `room`.
  virtual const std::byte* look(std::size_t first, std::size_t count, std::byte* room) const = 0;
  /// Writes the words of records that were copied.
  virtual void words_of(std::byte* records, std::size_t count, std::uint64_t* to) const = 0;
  /// Puts records to places first … first + count − 1; past the caches with `stream`. Does not
  /// throw unless assigning a record does.
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

/// Copies bytes; with `stream`, whole cache lines are written past the caches.
PLEAT_API void store_bytes(const std::byte* from, std::size_t bytes, std::byte* to,
                           bool stream) noexcept;

}  // namespace pleat::detail::sorting
