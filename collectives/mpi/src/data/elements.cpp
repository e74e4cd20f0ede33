// SPDX-License-Identifier: Apache-2.0
#include "data/elements.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "communicator/communicator.hpp"
#include "errors/errors.hpp"

namespace pleat::preloaded {

namespace {

constexpr std::size_t most_at_once = std::numeric_limits<int>::max();

/// Bounds of a type, in bytes.
struct bounds {
  MPI_Count bytes = 0;  // of data
  MPI_Count first = 0, extent = 0;
  MPI_Count true_first = 0, true_extent = 0;
};

bounds bounds_of(MPI_Datatype type) {
  bounds of;
  check(PMPI_Type_size_x(type, &of.bytes));
  check(PMPI_Type_get_extent_x(type, &of.first, &of.extent));
  check(PMPI_Type_get_true_extent_x(type, &of.true_first, &of.true_extent));
  return of;
}

bool lies_densely(MPI_Datatype type);

/// Tells whether the types of which a contiguous or duplicated type is made are dense.
bool lies_densely_inside(MPI_Datatype type, const type_envelope& made) {
  std::vector<int> i(static_cast<std::size_t>(made.integers));
  std::vector<MPI_Aint> a(static_cast<std::size_t>(made.addresses));
  std::vector<MPI_Datatype> inside(static_cast<std::size_t>(made.types));
#if MPI_VERSION >= 4
  std::vector<MPI_Count> c(static_cast<std::size_t>(made.large_counts));
  check(PMPI_Type_get_contents_c(type, made.integers, made.addresses, made.large_counts, made.types,
                                 i.data(), a.data(), c.data(), inside.data()));
#else
  check(PMPI_Type_get_contents(type, static_cast<int>(i.size()), static_cast<int>(a.size()),
                               static_cast<int>(inside.size()), i.data(), a.data(), inside.data()));
#endif
  bool result = true;
  for (MPI_Datatype& one : inside) {
    result = result && lies_densely(one);
    if (!type_envelope(one).is_named()) check(PMPI_Type_free(&one));
  }
  return result;
}

/// Tells whether the elements begin where they are, without holes, in the order of the type's map.
/// True for types that tell without a walk through their map, at every level of which there is
/// neither a shift nor an extent that differs from the data, say a negative one; the others are
/// packed.
bool lies_densely(MPI_Datatype type) {
  const bounds of = bounds_of(type);
  if (of.first != 0 || of.true_first != 0 || of.extent != of.bytes || of.true_extent != of.bytes)
    return false;
  const type_envelope made(type);
  if (made.is_named()) return true;
  if (made.combiner != MPI_COMBINER_DUP && made.combiner != MPI_COMBINER_CONTIGUOUS) return false;
  return lies_densely_inside(type, made);
}

/// Copies elements of one type to elements of another, by a message to this rank itself.
void copy(const void* from, const counted_type& from_type, void* to, const counted_type& to_type,
          const communicator& on) {
  const int here = on.place_of(on.rank());
  const int tag = on.own_tag();  // other messages to this rank come from others
  check(PMPI_Sendrecv(from, from_type.count(), from_type.type(), here, tag, to, to_type.count(),
                      to_type.type(), here, tag, on.own(), MPI_STATUS_IGNORE));
}

}  // namespace

type_envelope::type_envelope(MPI_Datatype type) {
#if MPI_VERSION >= 4  // only this one takes types that were made with large counts
  check(PMPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &combiner));
#else
  int i = 0, a = 0, t = 0;
  check(PMPI_Type_get_envelope(type, &i, &a, &t, &combiner));
  integers = i;
  addresses = a;
  types = t;
#endif
}

bool type_envelope::is_named() const noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER ||
         combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX;
}

counted_type::counted_type(std::size_t count, MPI_Datatype of)
    : count_(static_cast<int>(count)), type_(of) {
  if (count <= most_at_once) return;
  constexpr int piece = 1 << 30;
  MPI_Aint lower = 0, extent = 0;
  check(PMPI_Type_get_extent(of, &lower, &extent));
  check(PMPI_Type_contiguous(piece, of, &piece_));
  const auto pieces = static_cast<int>(count / piece);
  const int counts[] = {pieces, static_cast<int>(count % piece)};
  const MPI_Aint places[] = {0, pieces * (piece * extent)};
  const MPI_Datatype types[] = {piece_, of};
  check(PMPI_Type_create_struct(2, counts, places, types, &type_));
  check(PMPI_Type_commit(&type_));
  count_ = 1;
}

counted_type::~counted_type() {
  if (piece_ == MPI_DATATYPE_NULL) return;
  PMPI_Type_free(&type_);
  PMPI_Type_free(&piece_);
}

std::shared_ptr<const held_type> use_of(MPI_Datatype type) {
  return type_envelope(type).is_named() ? nullptr : std::make_shared<const held_type>(type);
}

element_type::element_type(MPI_Datatype of) : type(of), use(use_of(of)) {
  const bounds here = bounds_of(of);
  size = static_cast<std::size_t>(here.bytes);
  extent = static_cast<std::ptrdiff_t>(here.extent);
  first = static_cast<std::ptrdiff_t>(here.true_first);
  true_extent = static_cast<std::size_t>(here.true_extent);
  dense = lies_densely(of);
}

elements elements::of_bytes(const std::byte* first) {
  static const element_type byte(MPI_BYTE);
  return {first, byte};
}

void* elements::moved(std::ptrdiff_t bytes) const noexcept {
  return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
      reinterpret_cast<std::intptr_t>(buffer_) + bytes);
}

void elements::pack(std::size_t count, std::byte* to, const communicator& on) const {
  const std::size_t size = of_->size;
  if (size == 0 || count == 0) return;
  if (of_->dense) {
    if (bytes() != to) std::memmove(to, bytes(), count * size);
    return;
  }
  if (size > most_at_once || buffer_ == MPI_BOTTOM) {  // MPICH's MPI_Pack takes no MPI_BOTTOM
    const counted_type one(1, of_->type);
    const counted_type packed(size, MPI_BYTE);
    for (std::size_t i = 0; i < count; ++i)
      copy(from(static_cast<std::ptrdiff_t>(i)).buffer(), one, to + i * size, packed, on);
    return;
  }
  for (std::size_t i = 0; i < count;) {
    const std::size_t some = std::min(count - i, most_at_once / size);
    int place = 0;
    check(PMPI_Pack(from(static_cast<std::ptrdiff_t>(i)).buffer(), static_cast<int>(some),
                    of_->type, to + i * size, static_cast<int>(some * size), &place, on.own()));
    i += some;
  }
}

void elements::unpack(std::size_t count, const std::byte* data, const communicator& on) const {
  const std::size_t size = of_->size;
  if (size == 0 || count == 0) return;
  if (of_->dense) {
    if (bytes() != data) std::memmove(bytes(), data, count * size);
    return;
  }
  if (size > most_at_once || buffer_ == MPI_BOTTOM) {  // MPICH's MPI_Pack takes no MPI_BOTTOM
    const counted_type one(1, of_->type);
    const counted_type packed(size, MPI_BYTE);
    for (std::size_t i = 0; i < count; ++i)
      copy(data + i * size, packed, from(static_cast<std::ptrdiff_t>(i)).buffer(), one, on);
    return;
  }
  for (std::size_t i = 0; i < count;) {
    const std::size_t some = std::min(count - i, most_at_once / size);
    int place = 0;
    check(PMPI_Unpack(data + i * size, static_cast<int>(some * size), &place,
                      from(static_cast<std::ptrdiff_t>(i)).buffer(), static_cast<int>(some),
                      of_->type, on.own()));
    i += some;
  }
}

void elements::copy_to(std::size_t count, elements to, const communicator& on) const {
  if (of_->dense) return pack(count, to.bytes(), on);
  std::vector<std::byte> packed(count * of_->size);
  pack(count, packed.data(), on);
  to.unpack(count, packed.data(), on);
}

element_memory::element_memory(std::size_t count, const element_type& of) : of_(&of) {
  if (count == 0) return;
  constexpr std::ptrdiff_t alignment = alignof(std::max_align_t);
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * of.extent;
  const std::ptrdiff_t begin = std::min<std::ptrdiff_t>(last, 0) + of.first;  // of all data
  const std::ptrdiff_t skipped = (begin % alignment + alignment) % alignment;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(skipped + std::abs(last)) + of.true_extent);
  before_ = begin - skipped;
}

elements element_memory::get() const noexcept {
  return {reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
              reinterpret_cast<std::intptr_t>(memory_.get()) - before_),
          *of_};
}

}  // namespace pleat::preloaded
