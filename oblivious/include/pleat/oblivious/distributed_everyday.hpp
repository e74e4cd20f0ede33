// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/distributed/outputs.hpp>
#include <pleat/oblivious/detail/distributed/total_program.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/transform.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Calls f(projection(x)) for each element x of all ranks, in any order: each rank for its block,
/// on its own workers.
///
/// ```cpp
/// pleat::for_each(machine, distributed_samples, [](double& x) { x *= 2; });
/// ```
///
/// Collective, see distributed. Requires, cost: as for_each of a block; one 0-superstep. Throws:
/// what f and the projection throw on any rank, some elements are then not visited.
template <class T, class F, class Projection = std::identity>
requires std::indirectly_unary_invocable<F, std::projected<T*, Projection>>
void for_each(machine& on, distributed<T>& data, F f, Projection projection = {}) {
  detail::distribution::collective_call call = data.collective(on, "for_each");
  call.here([&] {
    detail::everyday::venue where(on);
    auto block = data.local();
    detail::everyday::for_each(where, block, f, projection, {});
  });
  call.only_meet();
}

/// Element i of `out` becomes f(element i of `in`). They may be the same.
///
/// ```cpp
/// pleat::transform(machine, distributed_samples, distributed_roots, [](double x) { return x; });
/// ```
///
/// Collective, see distributed. Cost: as transform of a block; one 0-superstep. Throws: what f
/// throws on any rank, the output is then unspecified; usage_error (different numbers of elements).
template <class T, class U, class F>
requires(std::regular_invocable<F&, const T&>&& std::assignable_from<
         U&, std::invoke_result_t<F&, const T&>>) void transform(machine& on,
                                                                 const distributed<T>& in,
                                                                 distributed<U>& out, F f) {
  detail::distribution::collective_call call = in.collective(on, "transform", sizeof(U));
  call.check([&] { detail::distribution::require_output(on, "transform", in, out); });
  call.here([&] { pleat::transform(on, in.local(), out.local(), std::ref(f)); });
  call.only_meet();
}

/// init ∘ x_0 ∘ … ∘ x_{n−1}, on all ranks, where op(a, b) is a ∘ b, and x_i is element i as a T.
///
/// ```cpp
/// const double sum = pleat::reduce(machine, distributed_samples, 0.0);
/// ```
///
/// Requires: op and T as for reduce of an array; init the same on all ranks; copies of a T's bytes
/// are T's, if there are several ranks.
///
/// Guarantees: the result of reduce of one array of these elements, bit for bit: the association
/// depends on n and T alone, not on ranks or workers.
///
/// Collective, see distributed. Cost: n/R calls of op on the workers of each of R ranks; four
/// 0-supersteps, in which each rank sends less than 2048 values to one before it, and each VP
/// O(log n) values to VP 0. Throws: what op throws on any rank; usage_error.
template <class E, byte_copyable T, class Op = std::plus<>>
requires(detail::everyday::combines<Op, T>&& std::constructible_from<T, const E&>) [[nodiscard]] T
    reduce(machine& on, const distributed<E>& data, T init, Op op = {}) {
  detail::distribution::collective_call call = data.collective(on, "reduce", sizeof(T));
  if (call.alone()) {
    const machine::rank_turn here(on);
    return pleat::reduce(on, data.local(), std::move(init), std::move(op));
  }
  const auto get = [block = data.local()](std::size_t j) -> const E& { return block[j]; };
  detail::distribution::total_program<T, Op, decltype(get)> program(
      data.size(), data.rank(), detail::everyday::in_lanes<T, Op>, init, op, get);
  call.run(program);
  return program.total();
}

/// init ∘ f(x_0) ∘ … ∘ f(x_{n−1}), on all ranks: as reduce, with f applied to each element.
///
/// ```cpp
/// const double squares = pleat::transform_reduce(machine, distributed_samples, 0.0,
///                                                std::plus<>(), [](double x) { return x * x; });
/// ```
///
/// Guarantees: the result of transform_reduce of one array, bit for bit. Else as reduce.
template <class E, byte_copyable T, class Op, class F>
requires(detail::everyday::combines<Op, T>&& std::regular_invocable<F&, const E&>&&
             std::constructible_from<T, std::invoke_result_t<F&, const E&>>) [[nodiscard]] T
    transform_reduce(machine& on, const distributed<E>& data, T init, Op op, F f) {
  detail::distribution::collective_call call = data.collective(on, "transform_reduce", sizeof(T));
  if (call.alone()) {
    const machine::rank_turn here(on);
    return pleat::transform_reduce(on, data.local(), std::move(init), std::move(op), std::ref(f));
  }
  const auto get = [block = data.local(), &f](std::size_t j) -> decltype(auto) {
    return std::invoke(f, block[j]);
  };
  constexpr bool cheap = detail::everyday::in_lanes<T, Op> && std::is_same_v<F, std::identity>;
  detail::distribution::total_program<T, Op, decltype(get)> program(data.size(), data.rank(), cheap,
                                                                    init, op, get);
  call.run(program);
  return program.total();
}

/// init ∘ f(a_0, b_0) ∘ … of two distributed arrays of as many elements, on all ranks; by default
/// the inner product.
///
/// ```cpp
/// const double product = pleat::transform_reduce(machine, distributed_samples,
///                                                distributed_weights, 0.0);
/// ```
///
/// Guarantees: the result of transform_reduce of two arrays, bit for bit. Throws: usage_error
/// (different numbers of elements). Else as reduce.
template <class A, class B, byte_copyable T, class Op = std::plus<>, class F = std::multiplies<>>
requires(detail::everyday::combines<Op, T>&& std::regular_invocable<F&, const A&, const B&>&&
             std::constructible_from<T, std::invoke_result_t<F&, const A&, const B&>>)
    [[nodiscard]] T transform_reduce(machine& on, const distributed<A>& a, const distributed<B>& b,
                                     T init, Op op = {}, F f = {}) {
  detail::distribution::collective_call call = a.collective(on, "transform_reduce", sizeof(B));
  call.check([&] { detail::distribution::require_partner(on, "transform_reduce", a, b); });
  if (call.alone()) {
    const machine::rank_turn here(on);
    return pleat::transform_reduce(on, a.local(), b.local(), std::move(init), std::move(op),
                                   std::move(f));
  }
  const auto get = [first = a.local(), second = b.local(), &f](std::size_t j) -> decltype(auto) {
    return std::invoke(f, first[j], second[j]);
  };
  constexpr bool cheap = detail::everyday::in_lanes<T, Op> && std::is_same_v<F, std::multiplies<>>;
  detail::distribution::total_program<T, Op, decltype(get)> program(a.size(), a.rank(), cheap, init,
                                                                    op, get);
  call.run(program);
  return program.total();
}

}  // namespace pleat
