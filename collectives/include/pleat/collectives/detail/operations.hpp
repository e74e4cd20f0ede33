// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/detail/combiner.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

/// The operations with types and sizes given in bytes and elements: they check what they are given
/// and choose how to carry it out.
namespace pleat::detail {

/// A span of elements of `size` bytes each, whatever their type.
template <class Byte> struct elements_of {
  Byte* data;
  std::size_t count;
  std::size_t size;

  [[nodiscard]] std::size_t bytes() const noexcept { return count * size; }
};
using elements = elements_of<std::byte>;
using const_elements = elements_of<const std::byte>;

template <class T> [[nodiscard]] elements writable(std::span<T> values) noexcept {
  return {reinterpret_cast<std::byte*>(values.data()), values.size(), sizeof(T)};
}
template <class T> [[nodiscard]] const_elements readable(std::span<const T> values) noexcept {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size(), sizeof(T)};
}

/// Counts of each rank; all the same if there is no list of them.
using counts = std::span<const std::size_t>;

/// Whether the operator commutes, with what the options say of it.
struct reduction {
  combiner op;
  bool commutes;
};

/// `op` stays where it is till the operation is over.
template <class T, reduction_operator<T> Op>
[[nodiscard]] reduction reduction_by(const Op& op, const collective_options& options) noexcept {
  return {combiner_of<T>(op), options.commutative.value_or(commutes<Op, T>::value)};
}

task<> run_broadcast(vp& me, elements data, collective_options options);
task<> run_all_gather(vp& me, const_elements mine, elements all, collective_options options);
task<> run_all_gather_v(vp& me, const_elements mine, elements all, counts of_ranks,
                        collective_options options);
task<> run_reduce(vp& me, const_elements in, elements out, reduction by,
                  collective_options options);
task<> run_all_reduce(vp& me, const_elements in, elements out, reduction by,
                      collective_options options);
task<> run_reduce_scatter(vp& me, const_elements in, elements out, reduction by,
                          collective_options options);
task<> run_reduce_scatter_v(vp& me, const_elements in, elements out, counts of_ranks, reduction by,
                            collective_options options);
task<> run_scan(vp& me, const_elements in, elements out, reduction by, bool exclusive,
                collective_options options);
task<> run_all_to_all(vp& me, const_elements in, elements out, collective_options options);
task<> run_all_to_all_v(vp& me, const_elements in, elements out, counts sent, counts received,
                        collective_options options);
task<> run_scatter(vp& me, const_elements all, elements mine, collective_options options);
task<> run_scatter_v(vp& me, const_elements all, elements mine, counts of_ranks,
                     collective_options options);
task<> run_gather(vp& me, const_elements mine, elements all, collective_options options);
task<> run_gather_v(vp& me, const_elements mine, elements all, counts of_ranks,
                    collective_options options);

}  // namespace pleat::detail
