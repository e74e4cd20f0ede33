// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Distributed data and the programs for them, as far as headers of functions need them: those who
// have no such data do not compile them. distributed.hpp brings all of this.
namespace pleat {

template <class T>
requires(std::is_object_v<T> && !std::is_const_v<T> &&
         std::default_initializable<T>) class distributed;

namespace detail::distribution {

/// The type of indices in distributed data. It is a parameter of the templates that return such
/// data, because a function cannot be defined whose result is of an incomplete type.
template <class Index>
concept index_type = std::same_as<Index, std::uint64_t>;

class collective_call;
template <class T> class new_block;

template <class Work> void in_parts_or_alone(machine& on, std::size_t n, const Work& work);

// merge_program.hpp, sort_blocks.hpp
template <class T, class Merge> class merge_program;
template <class T, class Order> class chain_merge;

// rearrange_blocks.hpp
template <class T, class U>
void require_output(const machine& on, const char* name, const distributed<T>& in,
                    const distributed<U>& out);
template <class A, class B>
void require_partner(const machine& on, const char* name, const distributed<A>& a,
                     const distributed<B>& b);
template <class T, class In, class Keep, class Before>
distributed<T> select_elements(machine& on, collective_call& call, In from, std::size_t n,
                               const Keep& keep, const Before& before);
template <class T, class In, class Keep>
distributed<T> select_elements(machine& on, collective_call& call, In from, std::size_t n,
                               const Keep& keep);
template <class T, class Places, class Use>
task<> tell_element_before(vp& me, const Places& places, const distributed<T>& data, Use use);
template <class T> void reverse_blocks(machine& on, collective_call& call, distributed<T>& data);
template <class T>
void rotate_blocks(machine& on, collective_call& call, distributed<T>& data, std::size_t middle);
template <class T>
void shuffle_blocks(machine& on, collective_call& call, distributed<T>& data, std::uint64_t seed);

// selection_program.hpp
template <class T, class Order, class Projection> class selection_program;

// sort_blocks.hpp
template <class T, class Compare, class Projection>
run_report sort_blocks(machine& on, const char* name, distributed<T>& data, Compare& less,
                       Projection& projection);

// sum_blocks.hpp
template <class T, class Op, class Get>
T sum_blocks(collective_call& call, std::size_t n, bool cheap, const T& init, Op& op,
             const Get& get);
template <class T, class E, class O, class Op>
void scan_blocks(collective_call& call, const distributed<E>& in, distributed<O>& out, Op& op,
                 bool exclusive, std::optional<T> init);

}  // namespace detail::distribution

namespace detail::everyday {

/// Element i of distributed data, where this rank has it.
template <class T> struct held_elements {
  explicit held_elements(const distributed<T>& data) noexcept
      : block(data.local().data()), first(data.block().first) {}
  const T& operator()(std::size_t i) const noexcept { return block[i - first]; }

  const T* block;
  std::size_t first;
};

}  // namespace detail::everyday

}  // namespace pleat
