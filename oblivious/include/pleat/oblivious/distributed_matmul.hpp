// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/panel_products.hpp>
#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// C ← alpha·op(A)·op(B) + beta·C over a semiring, of distributed matrices: options and meaning are
/// those of matmul of views.
///
/// ```cpp
/// pleat::distributed_matrix<double> da(machine, 300, 100), db(machine, 100, 200);
/// pleat::distributed_matrix<double> dc(machine, 300, 200);                   // zeros
/// pleat::matmul(machine, da, db, dc);                                        // on all ranks
/// pleat::matmul(machine, da, db, dc, {.alpha = 2.0, .accumulate = true});
/// pleat::matmul<pleat::min_plus>(machine, da, db, dc);
/// ```
///
/// Each rank computes its rectangle of C, on its own workers by the library's product, from panels
/// of A and B that the ranks that hold them send in supersteps. A panel that a rank holds alone is
/// used where it lies.
///
/// Requires: A and B may be the same matrix, C is another. The same sizes and options on all ranks;
/// `options.vps` are those of each rank. Collective, see distributed.
///
/// Guarantees: every element of C is the sum of its products, in an order that depends on the
/// sizes, the ranks and those of matmul of views: integers and semirings whose plus does not round
/// give the same result on any number of ranks. Whatever is thrown on several ranks, C stays as it
/// was; on one, as matmul of views leaves it.
///
/// Cost, of each of R ranks that form a grid of P × Q: m·n·k/R multiplications. It receives
/// (1 − 1/Q)·m·k/P elements of A and (1 − 1/P)·k·n/Q of B, if the matrices have the same grid: n²/2
/// for square ones on two ranks. Supersteps: three, and one for each 1024 indices of the longest
/// part of k that lies together on one rank. Memory of each rank besides the matrices: a rectangle
/// of C; the panels of one step that it does not hold alone, and as much again twice where they are
/// sent and where they arrive.
///
/// Throws: usage_error for sizes that do not fit, a C that is A or B, alpha or beta with another
/// semiring than plus_times, ranks that ask for different things; std::bad_alloc; what the semiring
/// throws on any rank. Thread safety: calls on one machine take turns.
///
/// Source: as for matmul of views; van de Geijn, Watts, SUMMA: Scalable Universal Matrix
/// Multiplication Algorithm, 1997.
template <class Semiring = plus_times, class T>
requires semiring<Semiring, T>
void matmul(machine& on, const distributed_matrix<T>& a, const distributed_matrix<T>& b,
            distributed_matrix<T>& c, const matmul_options<T>& options = {}) {
  detail::distribution::collective_call call = c.collective(on, "matmul");
  call.check([&] {
    a.require_machine(on, "matmul");
    b.require_machine(on, "matmul");
  });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::matmul<Semiring>(on, a.local(), b.local(), c.local(), options);
  } else {
    detail::distribution::multiply_on_ranks(on, call, a, b, c, options,
                                            detail::distribution::product_over<Semiring>{on});
  }
}

}  // namespace pleat
