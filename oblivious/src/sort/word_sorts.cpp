// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/program.hpp>
#include <pleat/oblivious/detail/sort/run.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>

#include "sort/word_spread.hpp"

namespace pleat::detail::sorting {
namespace {

/// The sort of many words of 32 or 64 bits: spread over buckets where their leading digits allow
/// it, else as columns.
template <sort_word U> class spread_program {
 public:
  spread_program(const word_source<U>& keys, std::size_t n, std::size_t vps)
      : keys_(keys), n_(n), columns_(keys, n), spread_(keys, n, vps) {}

  [[nodiscard]] bool pays() const noexcept { return spread_.pays(); }

  void plan(std::size_t vps, memory_layout& layout) {
    if (vps == 1)
      sorted_ = layout.add<U>(n_);
    else
      columns_.plan(vps, layout);
    alone_ = vps == 1;
    spread_.plan(layout);
  }
  void lie_in(std::byte* memory) noexcept {
    if (!alone_) columns_.lie_in(memory);
    spread_.lie_in(memory, alone_ ? sorted_.in(memory) : columns_.sorted());
  }

  bool sort_alone() {
    if (word_column<U>::is_sorted(keys_, 0, n_)) return false;
    spread_.alone();
    return true;
  }
  task<bool> program(vp& me) {
    const bool in_order = co_await columns_.sorted_already(me);
    if (in_order) co_return false;
    const bool spread = co_await spread_.together(me);
    if (!spread) co_await columns_.sort(me);
    co_return true;
  }

  void restore() noexcept {
    if (!spread_.restore() && !alone_) columns_.restore();
  }

 private:
  word_source<U> keys_;
  std::size_t n_;
  bool alone_ = false;
  columnsort_program<word_column<U>> columns_;
  word_spread<U> spread_;
  placed_arrays<U> sorted_;
};

}  // namespace

template <class U>
run_report sort_words(machine& on, const word_source<U>& keys, std::size_t n, std::size_t vps) {
  if constexpr (sizeof(U) >= 4) {
    if (word_spread<U>::fits(n, vps)) {
      spread_program<U> program(keys, n, vps);
      if (program.pays()) return sort_with(on, program, vps);
    }
  }
  columnsort_program<word_column<U>> program(keys, n);
  return sort_with(on, program, vps);
}

template run_report sort_words(machine&, const word_source<std::uint8_t>&, std::size_t,
                               std::size_t);
template run_report sort_words(machine&, const word_source<std::uint16_t>&, std::size_t,
                               std::size_t);
template run_report sort_words(machine&, const word_source<std::uint32_t>&, std::size_t,
                               std::size_t);
template run_report sort_words(machine&, const word_source<std::uint64_t>&, std::size_t,
                               std::size_t);

}  // namespace pleat::detail::sorting
