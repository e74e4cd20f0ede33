// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/vp.hpp>

// Tiling: cuts the matrix of a plan into strips of VPs, and its intermediate results into tiles.
namespace pleat::detail::fourier {

/// Numbers are kept in multiples of this many bytes: no two VPs write one pair of lines.
inline constexpr std::size_t line_bytes = 128;
template <class T> constexpr std::size_t whole_lines(std::size_t numbers) noexcept {
  constexpr std::size_t line = line_bytes / sizeof(T);
  return (numbers + line - 1) / line * line;
}

/// Tells whether that many complex numbers, made of as many others, are written past the caches.
template <class T> bool is_streamed(std::size_t points) noexcept {
  return passes_caches(4 * points * sizeof(T));
}

/// Columns [first, last) of a matrix of `columns` columns: what a VP has of its numbers.
struct strip {
  std::size_t columns, first, last;
  [[nodiscard]] constexpr std::size_t size() const noexcept { return last - first; }
  /// Index in the matrix of the i-th number of the strip, row by row.
  [[nodiscard]] constexpr std::size_t number(std::size_t i) const noexcept {
    return i / size() * columns + first + i % size();
  }
};
/// Columns of a strip in the memory of the whole matrix, and in memory of its own.
template <class T> column_block<T> strip_of_matrix(T* matrix, const strip& s) noexcept {
  return {matrix + 2 * s.first, s.columns, s.size()};
}
template <class T> column_block<T> strip_alone(T* memory, const strip& s) noexcept {
  return {memory, s.size(), s.size()};
}

/// The matrix of a plan, n1 rows of n2 points each, for w VPs. Point i·n2 + j is in row i, column
/// j; result k + n1·l comes from number k of the columns' transforms, number l of the rows'.
///
/// Columns, and rows, are shared by groups of as many as a vector has lanes. The first pass leaves
/// tiles in the VPs' slabs, by groups of rows, so that what one VP needs of another's slab is
/// contiguous; all slabs together are the matrix.
template <class T> struct tiling {
  const transform_plan<T>& plan;
  std::size_t vps;
  bool over_ranks = false;  ///< chunks that are copied on their way are cut, see rows_at_once

  [[nodiscard]] std::size_t column_groups() const noexcept {
    return (plan.width() + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t row_groups() const noexcept {
    return (plan.rows + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t tile() const noexcept { return 2 * plan.lanes * plan.lanes; }
  /// Numbers in all slabs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    return fourier::whole_lines<T>(column_groups() * row_groups() * tile());
  }
  [[nodiscard]] interval<> columns_of(std::size_t q) const noexcept {
    return interval<>{0, column_groups()}.share(q, vps);
  }
  [[nodiscard]] interval<> rows_of(std::size_t q) const noexcept {
    return interval<>{0, row_groups()}.share(q, vps);
  }
  /// The points that VP q takes, and the results that it leaves.
  [[nodiscard]] strip taken_by(std::size_t q) const noexcept {
    return strip_of(columns_of(q), plan.width());
  }
  [[nodiscard]] strip left_by(std::size_t q) const noexcept {
    return strip_of(rows_of(q), plan.rows);
  }
  /// Begin of the slab of VP q in the memory of all slabs.
  [[nodiscard]] std::size_t slab(std::size_t q) const noexcept {
    return columns_of(q).first * row_groups() * tile();
  }
  [[nodiscard]] std::size_t slab_numbers(std::size_t q) const noexcept {
    return columns_of(q).size() * row_groups() * tile();
  }
  /// Begin of the chunk that VP r reads in the slab of VP q.
  [[nodiscard]] std::size_t chunk(std::size_t q, std::size_t r) const noexcept {
    return rows_of(r).first * columns_of(q).size() * tile();
  }
  /// Groups of rows whose tiles a VP lends another one as a piece: the same for all lenders.
  [[nodiscard]] std::size_t rows_at_once() const noexcept {
    if (!over_ranks) return row_groups();
    return distribution::lent_at_once((column_groups() + vps - 1) / vps * tile() * sizeof(T));
  }
  /// The most pieces of a chunk.
  [[nodiscard]] std::size_t parts_of_chunk() const noexcept {
    const std::size_t each = (row_groups() + vps - 1) / vps, most = rows_at_once();
    return (each + most - 1) / most;
  }

 private:
  [[nodiscard]] strip strip_of(const interval<>& groups, std::size_t columns) const noexcept {
    return {columns, std::min(groups.first * plan.lanes, columns),
            std::min(groups.last * plan.lanes, columns)};
  }
};

/// View of one VP on the slabs: tiles of its columns, which are its own slab, and of its rows, a
/// chunk of every VP's slab, as it has been lent.
template <class T> class slab_share {
 public:
  using complex = std::complex<T>;

  /// Numbers of memory for what is used here and by the passes: work, then pointers.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return work_size(tiles.plan) + pointer_size(tiles);
  }
  [[nodiscard]] static std::size_t pointer_size(const tiling<T>& tiles) noexcept {
    return fourier::whole_lines<T>(tiles.parts_of_chunk() * tiles.column_groups() * sizeof(T*) /
                                   sizeof(T));
  }

  /// `slab`: that of VP `index`. Requires: `memory` of numbers(tiles).
  slab_share(const tiling<T>& tiles, std::size_t index, T* slab, T* memory) noexcept
      : tiles_(tiles),
        index_(index),
        slab_(slab),
        work_(memory),
        rows_(reinterpret_cast<const T**>(memory + work_size(tiles.plan))) {}

  [[nodiscard]] const tiling<T>& tiles() const noexcept { return tiles_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  /// Work memory for the kernels.
  [[nodiscard]] T* work() const noexcept { return work_; }

  /// pass(columns, g, tiles), for each group g of my columns, in their order: `tiles` is its first
  /// one. from(c) brings together the next columns from c on: as many as a vector has lanes, or a
  /// multiple of that, or what is left; all are `count`.
  template <class From, class Pass>
  void for_each_group(std::size_t count, const From& from, const Pass& pass) const noexcept {
    const std::size_t lanes = tiles_.plan.lanes;
    std::size_t g = tiles_.columns_of(index_).first;
    T* tile = slab_;
    for (std::size_t c = 0; c < count;) {
      const auto columns = from(c);
      for (std::size_t i = 0; i < columns.count; i += lanes, ++g, tile += tiles_.tile())
        pass(columns.part(i, lanes), g, tile);
      c += columns.count;
    }
  }
  /// Distance from a tile of a column to its next one.
  [[nodiscard]] std::size_t column_step() const noexcept {
    return tiles_.columns_of(index_).size() * tiles_.tile();
  }

  /// Lends each VP of the segment its chunk of my slab, to read or, if Number is not const, to
  /// change.
  template <class Number> void lend(vp& me, const segment& seg) const {
    using lent = std::conditional_t<std::is_const_v<Number>, const complex, complex>;
    for (std::size_t r = 0; r < tiles_.vps; ++r)
      for_each_part(index_, r, [&](std::size_t, std::size_t first, std::size_t count) {
        me.lend(seg.first + r, std::span<lent>(chunk(r) + first, count));
      });
  }
  /// Takes the chunks that everybody has lent me. `changed`: null, or where the pointers go to
  /// those that I may change.
  void take(vp& me, T** changed = nullptr) {
    for (std::size_t q = 0; q < tiles_.vps; ++q)
      for_each_part(q, index_, [&](std::size_t piece, std::size_t, std::size_t) {
        const auto m = me.receive();
        if (changed != nullptr) take(q, 0, m->template view<complex>().data, changed);
        take(q, piece, m->template view<const complex>().data, rows_);
      });
  }
  /// Takes the chunk of a VP that is alone.
  void take_own(T** changed = nullptr) noexcept {
    if (changed != nullptr) take(0, 0, chunk(0), changed);
    take(0, 0, chunk(0), rows_);
  }

  /// The tiles of a group of rows, side by side; at first of my first one.
  [[nodiscard]] const T* const* row_tiles() const noexcept {
    return rows_ + row_ / tiles_.rows_at_once() * tiles_.column_groups();
  }
  void next_row_tiles() noexcept {
    advance(rows_ + row_ / tiles_.rows_at_once() * tiles_.column_groups());
    ++row_;
  }
  /// Moves pointers to tiles of a group of rows to those of the next one.
  template <class Number> void advance(Number** rows) const noexcept {
    for (std::size_t q = 0; q < tiles_.vps; ++q) {
      const interval<> columns = tiles_.columns_of(q);
      for (std::size_t g = columns.first; g < columns.last; ++g)
        rows[g] += columns.size() * tiles_.tile();
    }
  }

  /// Chunk of my slab that VP r reads.
  [[nodiscard]] complex* chunk(std::size_t r) const noexcept {
    return reinterpret_cast<complex*>(slab_ + tiles_.chunk(index_, r));
  }
  /// f(piece, first, count), for each piece of the chunk that VP r reads of q's slab: complex
  /// numbers of it.
  template <class F> void for_each_part(std::size_t q, std::size_t r, const F& f) const {
    const std::size_t each = tiles_.columns_of(q).size() * tiles_.tile() / 2;
    if (each == 0) return;
    const std::size_t rows = tiles_.rows_of(r).size(), most = tiles_.rows_at_once();
    for (std::size_t g = 0; g < rows; g += most)
      f(g / most, g * each, std::min(most, rows - g) * each);
  }

 private:
  /// Points to the tiles of a piece of VP q's chunk.
  template <class Number, class Chunk>
  void take(std::size_t q, std::size_t piece, Chunk* chunk, Number** rows) const noexcept {
    auto* tile = reinterpret_cast<Number*>(chunk);
    const interval<> columns = tiles_.columns_of(q);
    for (std::size_t g = columns.first; g < columns.last; ++g, tile += tiles_.tile())
      rows[piece * tiles_.column_groups() + g] = tile;
  }
  static std::size_t work_size(const transform_plan<T>& plan) noexcept {
    return fourier::whole_lines<T>(fourier::work_numbers<T>(
        std::max(plan.columns.work_rows(), plan.across.work_rows()), plan.lanes));
  }

  tiling<T> tiles_;
  std::size_t index_;
  T* slab_;
  T* work_;
  const T** rows_;
  std::size_t row_ = 0;
};

/// Panel of columns, which a pass reads or writes in a user's matrix as many at a time as a vector
/// has lanes: of each row two lines, rows a power of two apart, whose lines crowd in few sets of
/// the caches. Of many rows, the lines that were fetched for the next columns do not stay there. So
/// these are moved by panels: several such groups of columns, between the matrix and contiguous
/// memory row by row.
template <class T> class panel {
 public:
  /// Groups of columns in a panel, whose rows are as long as memory allows: a cache is filled the
  /// faster the more lines follow each other. 0: even short rows would take too much of it, more
  /// than an eighth of the matrix for all VPs, or a quarter for a VP alone.
  [[nodiscard]] static std::size_t groups_of(const tiling<T>& tiles) noexcept {
    constexpr std::size_t panel_most = std::size_t{1} << 19;  // bytes; of longer rows at least
    const std::size_t rows = longest(tiles.plan);
    const std::size_t matrix_bytes = 2 * tiles.plan.size * sizeof(T);
    const std::size_t allowed = matrix_bytes / (alone(tiles) ? 4 : 8) / tiles.vps;
    std::size_t row_bytes = rows * 1024 <= std::min(panel_most, allowed) ? 1024 : 512;
    if (rows * row_bytes > panel_most) row_bytes = 256;
    return rows * row_bytes <= allowed ? row_bytes / (2 * tiles.plan.lanes * sizeof(T)) : 0;
  }
  /// Numbers of memory of one VP's.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return fourier::whole_lines<T>(longest(tiles.plan) * groups_of(tiles) * 2 * tiles.plan.lanes);
  }

  panel(const tiling<T>& tiles, T* memory) noexcept
      : groups_(groups_of(tiles)), columns_(groups_ * tiles.plan.lanes), memory_(memory) {}

  /// Tells whether panels pay for columns of so many rows: if they are many (measured).
  [[nodiscard]] bool pays(std::size_t rows) const noexcept {
    constexpr std::size_t many = 1024;
    return groups_ != 0 && rows >= many;
  }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }

  /// The first columns of the panel.
  [[nodiscard]] column_block<T> block(std::size_t count) const noexcept {
    return {memory_, columns_, count};
  }
  /// Copies columns of a matrix, at most a panel's. Returns where they are now.
  [[nodiscard]] column_block<const T> gather(const column_block<const T>& from,
                                             std::size_t rows) const noexcept {
    fourier::copy_rows<T>(from, rows, false, block(from.count));
    return {memory_, columns_, from.count};
  }
  /// Copies the panel's columns to those of a matrix.
  void scatter(const column_block<T>& to, std::size_t rows, bool stream) const noexcept {
    fourier::copy_rows<T>({memory_, columns_, to.count}, rows, stream, to);
  }

 private:
  static bool alone(const tiling<T>& tiles) noexcept { return tiles.vps == 1; }
  static std::size_t longest(const transform_plan<T>& plan) noexcept {
    return std::max(plan.rows, plan.width());
  }

  std::size_t groups_;
  std::size_t columns_;
  T* memory_;
};

}  // namespace pleat::detail::fourier
