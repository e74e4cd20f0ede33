// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/sort/array_sort.hpp>
#include <pleat/oblivious/detail/sort/program.hpp>

namespace pleat::detail::sorting {

/// columnsort_program as an array_sort.
template <class Column> class erased : public array_sort {
 public:
  erased(const typename Column::source& keys, std::size_t n) : sort_(keys, n) {}

  [[nodiscard]] bool is_sorted() const override { return sort_.is_sorted(); }
  [[nodiscard]] std::size_t alone_bytes() const noexcept override { return sort_.alone_bytes(); }
  void sort_alone(std::byte* memory) override { sort_.sort_alone(memory); }
  void prepare(machine& on, std::size_t vps, const memory_range& where) override {
    sort_.prepare(on, vps, where);
  }
  task<bool> program(vp& me) override { return sort_.program(me); }
  void restore() noexcept override { sort_.restore(); }

 private:
  columnsort_program<Column> sort_;
};

}  // namespace pleat::detail::sorting
