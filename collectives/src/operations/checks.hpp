// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/collectives/detail/layout.hpp>
#include <pleat/collectives/detail/operations.hpp>
#include <pleat/collectives/detail/tree_rounds.hpp>
#include <pleat/runtime/error.hpp>

#include "../engines/received.hpp"

/// Checks of arguments: bad ones are refused with a line that says what is wrong.
namespace pleat::detail {

[[nodiscard]] inline segment members(const vp& me, const collective_options& options) {
  return options.within ? *options.within : me.all();
}

[[noreturn]] inline void refuse(std::string_view operation, const std::string& why) {
  throw usage_error(std::string(operation) + ": " + why);
}

inline void check_count(std::string_view operation, std::string_view what, std::size_t given,
                        std::size_t needed) {
  if (given == needed) return;
  refuse(operation, std::string(what) + " has " + std::to_string(given) + " elements, not the " +
                        std::to_string(needed) + " that are needed");
}

inline std::uint32_t checked_root(std::string_view operation, const endpoint& on,
                                  const collective_options& options) {
  if (options.root >= on.size())
    refuse(operation, "there is no rank " + std::to_string(options.root) + " to be the root; the " +
                          "segment has " + std::to_string(on.size()));
  return static_cast<std::uint32_t>(options.root);
}

/// Schedule that the options ask for between processes.
inline schedule_form checked_form(std::string_view operation, const collective_options& options) {
  const schedule_form form{options.schedule, options.groups};
  const auto [size, place] = options.groups;
  if (options.schedule > collective_schedule::automatic)
    refuse(operation, "there is no schedule " +
                          std::to_string(static_cast<unsigned>(options.schedule)) +
                          "; give one that collective_schedule names");
  if (place != 0 && place >= size)
    refuse(operation, "there is no place " + std::to_string(place) + " in groups of " +
                          std::to_string(size) + "; give one from 0 to the last");
  if (size != 0 && !form.has_trees())
    refuse(operation, "only trees have groups; give one in collective_options::schedule too");
  return form;
}

/// Refuses buffers that overlap, unless `a` is `in_place`: the operation is then in place.
inline void check_apart(std::string_view operation, const std::byte* a, std::size_t a_bytes,
                        const std::byte* b, std::size_t b_bytes, const std::byte* in_place) {
  if (a_bytes == 0 || b_bytes == 0 || a == in_place) return;
  const std::less<> before;
  if (before(a, b + b_bytes) && before(b, a + a_bytes))
    refuse(operation,
           "input and output overlap, but not in place: give separate memory, or the "
           "same");
}

/// Returns the greatest number of elements of `element` bytes that memory can hold.
inline std::size_t most_elements(std::size_t element) noexcept {
  return static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / element;
}

/// Layout of one part of `each` elements for each rank.
inline layout same_parts_of(std::string_view operation, std::size_t each, std::size_t element,
                            const endpoint& on) {
  if (each > most_elements(element) / on.size())
    refuse(operation, std::to_string(each) + " elements for each of " + std::to_string(on.size()) +
                          " ranks are more than memory can hold: give fewer");
  return {element, each};
}

/// Layout of `total` elements in equal parts. Throws: usage_error if p does not divide `total`.
inline layout equal_parts_of(std::string_view operation, std::size_t total, std::size_t element,
                             const endpoint& on) {
  if (total % on.size() != 0)
    refuse(operation, std::to_string(total) + " elements have no equal parts for " +
                          std::to_string(on.size()) + " ranks; use " + std::string(operation) +
                          "_v");
  return {element, total / on.size()};
}

/// Layout of parts of given counts. It refers to `ends`, which gets the end of each part.
inline layout parts_of(std::string_view operation, counts of_ranks, std::size_t element,
                       const endpoint& on, std::vector<std::size_t>& ends) {
  if (of_ranks.size() != on.size())
    refuse(operation, "counts for " + std::to_string(of_ranks.size()) + " ranks were given; the " +
                          "segment has " + std::to_string(on.size()));
  ends.clear();
  const std::size_t most = most_elements(element);
  std::size_t end = 0;
  for (const std::size_t count : of_ranks) {
    if (count > most - end)
      refuse(operation, "the count of rank " + std::to_string(ends.size()) + ", " +
                            std::to_string(count) +
                            ", makes more elements than memory can hold: give what each rank has "
                            "(counts are unsigned: a negative number becomes a huge one)");
    ends.push_back(end += count);
  }
  return {element, 0, ends};
}

}  // namespace pleat::detail
