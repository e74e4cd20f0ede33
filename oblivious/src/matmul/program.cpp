// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>

#include "matmul/matmul_program.hpp"

namespace pleat::detail::matmul {
namespace {

/// Below this many multiplications a VP, waking a second processor costs more than it saves.
constexpr std::size_t least_multiplications = std::size_t{1} << 17;

}  // namespace

std::size_t matmul_vps(machine& on, const char* caller, std::size_t m, std::size_t n, std::size_t k,
                       const std::optional<std::size_t>& vps) {
  const double multiplications =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const std::size_t chosen = choose_vps(
      caller, vps, multiplications / static_cast<double>(least_multiplications), on.default_vps());
  return vps ? chosen : std::bit_floor(chosen);
}

run_report multiply(machine& named, const char* caller, any_product& what, const window& a,
                    const window& b, const window& c, const request& asked) {
  check_product(caller, a, asked.op_a, b, asked.op_b, c);
  if (asked.wrong != nullptr) throw usage_error(asked.wrong);
  const factors of{operand(a, asked.op_a), operand(b, asked.op_b)};
  const std::size_t inner = asked.reads_factors ? of.a.columns : 0;
  const call_machine on(named);
  const std::size_t vps =
      std::bit_floor(matmul_vps(*on, caller, c.rows, c.columns, inner, asked.vps));
  if (c.empty()) return {};
  const machine::turn mine(*on, machine::use::scratch);
  matmul_program program(what, {c.rows, c.columns, inner, 0}, vps, asked.in_rounds);
  arena::take(*on, [&program](arena& in) { program.take_memory(in); });
  const part all{{{0, c.rows}, {0, c.columns}, {0, inner}},
                 &of,
                 of.a.data,
                 of.b.data,
                 what.result,
                 asked.kind};
  return run_program(
      *on, vps, [&] { program.multiply_alone(all); }, [&](vp& me) { return program(me, all); });
}

}  // namespace pleat::detail::matmul
