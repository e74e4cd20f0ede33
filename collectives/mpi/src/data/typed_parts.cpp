// SPDX-License-Identifier: Apache-2.0
#include "data/typed_parts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "communicator/communicator.hpp"
#include "errors/errors.hpp"

namespace pleat::preloaded {

bool side::is_valid() const {
  if (in_place()) return true;
  if (count < 0 || type == MPI_DATATYPE_NULL || !communicator::may_send(type)) return false;
  if (buffer != nullptr || count == 0) return true;
  MPI_Count size = 0;
  MPI_Count first = 0;
  MPI_Count extent = 0;
  return PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
         PMPI_Type_get_true_extent_x(type, &first, &extent) == MPI_SUCCESS &&
         (size == 0 || first != 0);
}

std::size_t side::bytes() const {
  MPI_Count size = 0;
  check(PMPI_Type_size_x(type, &size));
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

bool irregular_side::is_valid() const {
  const auto is_valid_part = [&](std::size_t count, MPI_Datatype type) {
    return side{buffer, static_cast<MPI_Count>(count), type}.is_valid();
  };
  if (buffer == MPI_IN_PLACE) return false;
  if (types.size() == 1) return is_valid_part(std::ranges::max(counts), types.front());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] != 0 && !is_valid_part(counts[r], types[r])) return false;
  }
  return true;
}

typed_parts::typed_parts(const side& each, std::size_t ranks, bool apart) {
  const elements first(each.buffer, known(each.type));
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto before = static_cast<std::ptrdiff_t>(r) * static_cast<std::ptrdiff_t>(each.count);
    typed_.push_back({first.from(before), static_cast<std::size_t>(each.count)});
  }
  lay_out(apart);
}

typed_parts::typed_parts(elements all, std::span<const std::size_t> counts) {
  std::ptrdiff_t before = 0;
  for (const std::size_t count : counts) {
    typed_.push_back({all.from(before), count});
    before += static_cast<std::ptrdiff_t>(count);
  }
  lay_out(false);
}

typed_parts::typed_parts(const irregular_side& all, bool apart) {
  const bool own_types = all.types.size() > 1;
  for (std::size_t r = 0; r < all.counts.size(); ++r) {
    // A part without elements may have no type.
    const MPI_Datatype type = all.counts[r] == 0 ? MPI_BYTE : all.types[own_types ? r : 0];
    const elements first(all.buffer, known(type));
    typed_.push_back(
        {own_types ? first.behind(all.places[r]) : first.from(all.places[r]), all.counts[r]});
  }
  lay_out(apart);
}

const element_type& typed_parts::known(MPI_Datatype type) {
  return types_.try_emplace(type, type).first->second;
}

void typed_parts::lay_out(bool apart) {
  const auto is_packed = [&](const typed& one) { return apart || !one.at.of().dense; };
  std::size_t total = 0;
  for (const typed& one : typed_) {
    if (is_packed(one)) total += one.count * one.at.of().size;
  }
  if (total != 0) packed_ = std::make_unique_for_overwrite<std::byte[]>(total);
  std::byte* next = packed_.get();
  for (const typed& one : typed_) {
    const std::size_t bytes = one.count * one.at.of().size;
    parts_.push_back({is_packed(one) ? next : one.at.bytes(), bytes});
    if (is_packed(one)) next += bytes;
  }
}

std::size_t typed_parts::bytes() const noexcept {
  return std::transform_reduce(parts_.begin(), parts_.end(), std::size_t{0}, std::plus{},
                               [](const part& one) { return one.bytes; });
}

std::size_t typed_parts::filled() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(parts_, [](const part& one) { return one.bytes != 0; }));
}

void typed_parts::pack(std::size_t r, const communicator& on) const {
  typed_[r].at.pack(typed_[r].count, parts_[r].data, on);
}

void typed_parts::pack(const communicator& on) const {
  for (std::size_t r = 0; r < typed_.size(); ++r) pack(r, on);
}

void typed_parts::unpack(const communicator& on) const {
  for (std::size_t r = 0; r < typed_.size(); ++r)
    typed_[r].at.unpack(typed_[r].count, parts_[r].data, on);
}

void typed_parts::put(std::size_t r, const side& from, const communicator& on) const {
  if (from.in_place()) return pack(r, on);
  if (from.bytes() != parts_[r].bytes) throw mpi_failure{MPI_ERR_TRUNCATE};
  const element_type of(from.type);
  elements(from.buffer, of).pack(static_cast<std::size_t>(from.count), parts_[r].data, on);
}

void typed_parts::take(std::size_t r, const side& to, const communicator& on) const {
  if (to.in_place()) return;
  if (to.bytes() != parts_[r].bytes) throw mpi_failure{MPI_ERR_TRUNCATE};
  const element_type of(to.type);
  elements(to.buffer, of).unpack(static_cast<std::size_t>(to.count), parts_[r].data, on);
}

}  // namespace pleat::preloaded
