// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/compaction.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, divisible_range O, class Is, class Projection>
std::ranges::borrowed_iterator_t<O> copy_if(executor&& where, R& in, O&& out, Is& is,
                                            Projection& given, const range_options& options) {
  auto& projection = detail::projection_in<range_options>(given);
  const auto from = everyday::begin_of(in);
  using shows = projection_type<Projection>;
  const std::size_t kept = everyday::compact(
      "copy_if", where, detail::options_in(given, options), everyday::size_of(in),
      plain_numbers<std::ranges::iterator_t<R>, shows>,
      pace_of<std::ranges::range_value_t<R>, Is, shows>, from, everyday::changeable_begin_of(out),
      everyday::size_of(out), everyday::of_places(from, is, projection));
  return everyday::place(std::forward<O>(out), kept);
}

template <divisible_range R, divisible_range Flags, divisible_range O>
std::ranges::borrowed_iterator_t<O> pack(executor&& where, R& in, Flags& flags, O&& out,
                                         const range_options& options) {
  const std::size_t n = everyday::size_of(in);
  if (everyday::size_of(flags) != n)
    throw usage_error("pack: " + std::to_string(everyday::size_of(flags)) + " flags for " +
                      std::to_string(n) + " elements; give one for each");
  const auto flag = everyday::begin_of(flags);
  const std::size_t kept = everyday::compact(
      "pack", where, options, n, true, pace_of<std::ranges::range_value_t<R>>,
      everyday::begin_of(in), everyday::changeable_begin_of(out), everyday::size_of(out),
      [flag](std::size_t i) { return static_cast<bool>(everyday::at(flag, i)); });
  return everyday::place(std::forward<O>(out), kept);
}

/// Requires that elements of R that have a flag can be copied to O.
template <class R, class Flags, class O>
concept packs_to = divisible_range<R> && divisible_range<Flags> && divisible_range<O> &&
    std::indirectly_copyable<std::ranges::iterator_t<R>, std::ranges::iterator_t<O>> &&
    std::constructible_from<bool, std::ranges::range_reference_t<Flags>>;

/// Requires that elements of R that Is chooses can be copied to O.
template <class R, class O, class Is, class Projection>
concept copies_if = divisible_range<R> && divisible_range<O> &&
    std::indirectly_copyable<std::ranges::iterator_t<R>, std::ranges::iterator_t<O>> &&
    tells<Is, R, projection_type<Projection>>;

}  // namespace detail::everyday

/// Copies the elements x for which is(projection(x)) is true to `out`, in order; returns the end of
/// the copied elements.
///
/// ```cpp
/// const auto end = pleat::copy_if(machine, keys, even, [](auto key) { return key % 2 == 0; });
/// even.erase(end, even.end());
/// const auto places = std::views::iota(std::size_t{0}, keys.size());       // where, not what
/// pleat::copy_if(machine, places, zeros, [&](std::size_t i) { return keys[i] == 0; });
/// ```
///
/// Requires: an output that is long enough for the chosen elements and shares no memory with the
/// input. The contract of all everyday algorithms: range_options.hpp.
///
/// Cost: n calls of `is`; memory is read once and written once, in pieces of 256 KiB for each VP.
/// Each piece takes a 0-superstep, in which all VPs send each other a number. Memory, taken from
/// the machine: as much as these pieces.
/// Throws: what `is`, the projection and copies throw; usage_error for an output that is too short;
/// std::bad_alloc.
template <class R, class O, class Is, class Projection = range_options>
requires detail::everyday::copies_if<R, O, Is, Projection> std::ranges::borrowed_iterator_t<O>
copy_if(machine& on, R&& in, O&& out, Is is, Projection projection = {},
        const range_options& options = {}) {
  return detail::everyday::copy_if({on}, in, std::forward<O>(out), is, projection, options);
}
template <class R, class O, class Is, class Projection = range_options>
requires detail::everyday::copies_if<R, O, Is, Projection> std::ranges::borrowed_iterator_t<O>
copy_if(R&& in, O&& out, Is is, Projection projection = {}, const range_options& options = {}) {
  return detail::everyday::copy_if({}, in, std::forward<O>(out), is, projection, options);
}

/// Copies the elements whose flag is true to `out`, in order; returns the end of the copied
/// elements. It is copy_if for a choice that has already been made.
///
/// ```cpp
/// const auto end = pleat::pack(machine, keys, wanted, chosen);    // std::vector<bool> wanted
/// ```
///
/// Requires: as many flags as elements, else as copy_if. Cost: as copy_if, and the flags are read
/// once. Throws: usage_error if the numbers of flags and elements differ; else as copy_if.
template <class R, class Flags, class O>
requires detail::everyday::packs_to<R, Flags, O> std::ranges::borrowed_iterator_t<O> pack(
    machine& on, R&& in, Flags&& flags, O&& out, const range_options& options = {}) {
  return detail::everyday::pack({on}, in, flags, std::forward<O>(out), options);
}
template <class R, class Flags, class O>
requires detail::everyday::packs_to<R, Flags, O> std::ranges::borrowed_iterator_t<O> pack(
    R&& in, Flags&& flags, O&& out, const range_options& options = {}) {
  return detail::everyday::pack({}, in, flags, std::forward<O>(out), options);
}

/// Copies the elements x for which is(projection(x)) is true, in order, into new data. The blocks
/// are balanced even if the ranks choose different numbers of elements.
///
/// ```cpp
/// const pleat::distributed<int> even = pleat::copy_if(machine, distributed_keys,
///                                                     [](int key) { return key % 2 == 0; });
/// ```
///
/// Collective, see distributed. Cost: as copy_if of a block; each element that is chosen travels at
/// most once; four 0-supersteps. Memory of each rank besides the result: as much as its block, and
/// the sent and received elements. Throws: what `is` and the projection throw on any rank;
/// std::bad_alloc; usage_error (see distributed).
template <class T, class Is, class Projection = std::identity>
requires(std::copyable<T>&& std::indirect_unary_predicate<Is, std::projected<const T*, Projection>>)
    [[nodiscard]] distributed<T> copy_if(machine& on, const distributed<T>& data, Is is,
                                         Projection projection = {}) {
  auto call = data.collective(on, "copy_if");
  const T* const block = data.local().data();
  return detail::distribution::select_elements<T>(
      on, call, block, data.local().size(), detail::everyday::of_places(block, is, projection));
}

/// Copies the elements whose flag is true, in order. It is copy_if for a choice that has already
/// been made.
///
/// ```cpp
/// const auto wanted = pleat::pack(machine, distributed_keys, distributed_flags);
/// ```
///
/// Requires: as many flags as elements. Throws: usage_error if the numbers of flags and elements
/// differ; else as copy_if.
template <class T, class Flag>
requires(std::copyable<T>&& std::constructible_from<bool, const Flag&>)
    [[nodiscard]] distributed<T> pack(machine& on, const distributed<T>& data,
                                      const distributed<Flag>& flags) {
  auto call = data.collective(on, "pack", sizeof(Flag));
  call.check([&] { detail::distribution::require_partner(on, "pack", data, flags); });
  const Flag* const flags_here = flags.local().data();
  return detail::distribution::select_elements<T>(
      on, call, data.local().data(), data.local().size(),
      [flags_here](std::size_t j) { return static_cast<bool>(flags_here[j]); });
}

}  // namespace pleat
