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

// Distributed data and the programs of everyday functions for them, as far as headers of functions
// need them: those who have no such data do not compile them. distributed.hpp brings all of this.
namespace pleat {

template <class T>
requires(std::is_object_v<T> && !std::is_const_v<T> &&
         std::default_initializable<T>) class distributed;

namespace detail::distribution {

class collective_call;
template <class T> class new_block;

// outputs.hpp
template <class T, class U>
void require_output(const machine& on, const char* name, const distributed<T>& in,
                    const distributed<U>& out);
template <class A, class B>
void require_partner(const machine& on, const char* name, const distributed<A>& a,
                     const distributed<B>& b);

// select_elements.hpp
template <class T, class In, class Keep, class Before>
distributed<T> select_elements(machine& on, collective_call& call, In from, std::size_t n,
                               const Keep& keep, const Before& before);
template <class T, class In, class Keep>
distributed<T> select_elements(machine& on, collective_call& call, In from, std::size_t n,
                               const Keep& keep);
template <class T, class Places, class Use>
task<> tell_element_before(vp& me, const Places& places, const distributed<T>& data, Use use);

// rearrange_blocks.hpp
template <class T> void reverse_blocks(machine& on, collective_call& call, distributed<T>& data);
template <class T>
void rotate_blocks(machine& on, collective_call& call, distributed<T>& data, std::size_t middle);
template <class T>
void shuffle_blocks(machine& on, collective_call& call, distributed<T>& data, std::uint64_t seed);

// sum_blocks.hpp
template <class T, class Op, class Get>
T sum_blocks(collective_call& call, std::size_t n, bool cheap, const T& init, Op& op,
             const Get& get);
template <class T, class E, class O, class Op>
void scan_blocks(collective_call& call, const distributed<E>& in, distributed<O>& out, Op& op,
                 bool exclusive, std::optional<T> init);

}  // namespace detail::distribution

}  // namespace pleat
