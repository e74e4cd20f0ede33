// SPDX-License-Identifier: Apache-2.0
#include "processes/wire.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/channel_status.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

/// Alignment for a copy: the original's, as its type may need it; a cache line to a page.
std::size_t alignment_of(const void* memory) {
  constexpr std::uintptr_t page = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(memory) | page;
  return std::max<std::size_t>(cache_line, address & (~address + 1));
}

/// Description of memory that replaces its address in a sent record: its alignment, and whether the
/// memory is sent beside the record.
class place {
 public:
  place(std::size_t alignment, bool beside) noexcept : bits_(alignment | (beside ? 1 : 0)) {}
  explicit place(const void* in_record) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(in_record)) {}
  [[nodiscard]] std::byte* in_record() const noexcept {
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(bits_));
  }
  [[nodiscard]] std::size_t alignment() const noexcept { return bits_ & ~std::size_t{1}; }
  [[nodiscard]] bool beside() const noexcept { return (bits_ & 1) != 0; }

 private:
  std::size_t bits_;
};

/// Appends a copy of a record with this kind and payload.
template <class Payload>
void append_record(const record& r, record_kind kind, const Payload& payload, byte_buffer& to) {
  auto* const copy = reinterpret_cast<record*>(to.append(r.extent()));
  std::memcpy(static_cast<void*>(copy), &r, r.extent());
  copy->kind = kind;
  std::memcpy(copy->payload(), &payload, sizeof payload);
}

/// Replaces the `place` in a received record by the address `memory`.
void refer_to(std::byte* memory, record& r) {
  if (r.kind == record_kind::block) {
    auto block = load_payload<payload_block>(r.payload());
    block.data = memory;
    std::memcpy(r.payload(), &block, sizeof block);
  } else {
    auto view = load_payload<lent_block>(r.payload());
    view.data = memory;
    std::memcpy(r.payload(), &view, sizeof view);
  }
}

void pack_block(const record& r, byte_buffer& to, std::vector<link::enclosure>& beside) {
  auto block = load_payload<payload_block>(r.payload());
  const bool as_it_is = block.bytes >= travels_beside;
  if (as_it_is) beside.reserve(beside.size() + 1);
  to.reserve(r.extent() + (as_it_is ? 0 : padded(block.bytes)));
  std::byte* const data = block.data;
  const std::size_t alignment = alignment_of(data);
  block.data = place(alignment, as_it_is).in_record();
  append_record(r, record_kind::block, block, to);
  if (as_it_is) {
    beside.push_back({byte_buffer::of(data, block.bytes), {}, alignment});
  } else {
    std::memcpy(to.append(padded(block.bytes)), data, block.bytes);
    give_back_memory(data);
  }
}

bool can_be_enclosed(const lent_block& view, std::size_t bytes) {
  // The alignment of a type divides its size and the addresses of its objects.
  const std::uintptr_t alignment = view.element_size | reinterpret_cast<std::uintptr_t>(view.data);
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  return bytes <= most_enclosed && view.rows <= most && view.columns <= most &&
         alignment % (2 * alignof(record)) != 0;
}

void pack_enclosed(const record& r, const lent_block& view, std::size_t bytes, byte_buffer& to) {
  const enclosed_shape shape{static_cast<std::uint16_t>(view.rows),
                             static_cast<std::uint16_t>(view.columns), view.element_size};
  record head = r;
  head.kind = record_kind::enclosed;
  head.size = static_cast<std::uint16_t>(sizeof shape + bytes);
  std::byte* const at = to.append(head.extent());
  std::memcpy(at, &head, sizeof head);
  std::memcpy(at + sizeof head, &shape, sizeof shape);
  copy_rows(view, at + sizeof head + sizeof shape);
}

void unpack_enclosed(const record& r, outbox& to) {
  const auto shape = load_payload<enclosed_shape>(r.payload());
  const std::size_t bytes = r.size - sizeof shape;
  record head = r;
  head.size = static_cast<std::uint16_t>(sizeof(lent_block) + bytes);
  std::byte* const at = to.append_head(head);
  const lent_block view{nullptr,  shape.rows, shape.columns, shape.columns, shape.element_size,
                        r.source, false};
  std::memcpy(at, &view, sizeof view);
  std::memcpy(at + sizeof view, r.payload() + sizeof shape, bytes);
}

void pack_lent(const record& r, packed_loans loans, byte_buffer& to,
               std::vector<link::enclosure>& beside) {
  const auto view = load_payload<lent_block>(r.payload());
  const std::size_t bytes = view.count() * view.element_size;
  if (can_be_enclosed(view, bytes)) return pack_enclosed(r, view, bytes, to);
  const std::size_t alignment = alignment_of(view.data);
  const bool apart = bytes >= travels_beside;
  lent_block copied = view;
  copied.stride = view.columns;
  copied.data = place(alignment, apart).in_record();
  if (apart) {
    beside.reserve(beside.size() + 1);
    to.reserve(r.extent());
    link::enclosure content{{}, view, alignment};
    const std::size_t row_bytes = view.contiguous() ? bytes : view.columns * view.element_size;
    if (loans == packed_loans::copied || row_bytes < long_row) {
      content.memory =
          byte_buffer::of(static_cast<std::byte*>(take_memory(bytes, alignment)), bytes);
      copy_rows(view, content.memory.begin());
    }
    append_record(r, record_kind::carried, copied, to);
    beside.push_back(std::move(content));
  } else {
    to.reserve(r.extent() + padded(bytes));
    append_record(r, record_kind::carried, copied, to);
    copy_rows(view, to.append(padded(bytes)));
  }
}

}  // namespace

void copy_rows(const lent_block& view, std::byte* to) {
  const std::size_t rows = view.contiguous() ? 1 : view.rows;
  const std::size_t row_bytes = view.count() * view.element_size / std::max<std::size_t>(rows, 1);
  if (row_bytes == 0) return;
  const auto* row = static_cast<const std::byte*>(view.data);
  const std::size_t step = view.stride * view.element_size;
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * row_bytes, row + i * step, row_bytes);
}

void pack_record(const record& r, packed_loans loans, byte_buffer& to,
                 std::vector<link::enclosure>& beside) {
  if (r.kind == record_kind::block)
    pack_block(r, to, beside);
  else if (r.kind == record_kind::lent)
    pack_lent(r, loans, to, beside);
  else
    std::memcpy(to.append(r.extent()), &r, r.extent());
}

void unpack_records(const std::byte* first, const std::byte* last, byte_buffer* beside,
                    outbox& to) {
  for (const std::byte* at = first; at != last;) {
    const auto& r = *reinterpret_cast<const record*>(at);
    at += r.extent();
    if (r.kind == record_kind::enclosed) {
      unpack_enclosed(r, to);
      continue;
    }
    if (!has_memory(r.kind)) {
      to.append(r);
      continue;
    }
    payload_block block{};
    if (r.kind == record_kind::block) {
      block = load_payload<payload_block>(r.payload());
    } else {
      const auto view = load_payload<lent_block>(r.payload());
      block = {static_cast<std::byte*>(view.data), view.count() * view.element_size};
    }
    const std::size_t bytes = block.bytes;
    const place where(block.data);
    byte_buffer copy;
    if (where.beside()) {
      copy = std::move(*beside++);
    } else if (bytes != 0) {
      copy = byte_buffer::of(static_cast<std::byte*>(take_memory(bytes, where.alignment())), bytes);
      std::memcpy(copy.begin(), at, bytes);
      at += padded(bytes);
    }
    to.append(r);
    refer_to(copy.surrender(), *reinterpret_cast<record*>(to.bytes().end() - r.extent()));
  }
}

namespace {

enum class failure : std::uint64_t {
  vp,
  mismatch,
  out_of_cluster,
  modified,
  no_memory,
  worded,  // plus the index in worded_errors; its size for all other types
};

/// Exception type whose objects hold only a text.
struct worded_error {
  bool (*is_type_of)(const std::exception& e);
  std::exception_ptr (*make)(const std::string& words);
};
template <class Error>
constexpr worded_error worded{
    [](const std::exception& e) { return dynamic_cast<const Error*>(&e) != nullptr; },
    [](const std::string& words) { return std::make_exception_ptr(Error(words)); }};
constexpr std::array worded_errors{
    worded<deadlock>,      worded<run_error>,         worded<capacity_error>, worded<usage_error>,
    worded<no_such_place>, worded<environment_error>, worded<error>};  // derived types first

failure worded_at(std::size_t place) noexcept {
  return static_cast<failure>(static_cast<std::uint64_t>(failure::worded) + place);
}

void write(byte_writer& to, failure what, const char* words,
           const std::array<std::uint64_t, 4>& fields = {}) {
  to.put(what);
  to.put(fields);
  to.put_bytes(words, std::char_traits<char>::length(words));
}

/// Reads what `write_failure` wrote. `Others`: type for exceptions of other types.
template <class Others> std::exception_ptr read_as(byte_reader& from) {
  const auto what = from.take<failure>();
  const auto fields = from.take<std::array<std::uint64_t, 4>>();
  std::size_t length = 0;
  const auto* const first = reinterpret_cast<const char*>(from.take_bytes(length));
  const std::string words(first, length);
  const auto label = [&](std::size_t i) { return static_cast<unsigned>(fields[i]); };
  switch (what) {
    case failure::vp:
      return std::make_exception_ptr(
          vp_failed(fields[0], words, read_as<std::runtime_error>(from)));
    case failure::mismatch:
      return std::make_exception_ptr(label_mismatch(fields[0], label(1), fields[2], label(3)));
    case failure::out_of_cluster:
      return std::make_exception_ptr(out_of_cluster(fields[0], fields[1], label(2), label(3)));
    case failure::modified:
      return std::make_exception_ptr(lent_memory_modified(fields[0], fields[1]));
    case failure::no_memory:
      return std::make_exception_ptr(std::bad_alloc());
    case failure::worded:
      break;
  }
  const std::size_t place =
      static_cast<std::size_t>(what) - static_cast<std::size_t>(failure::worded);
  if (place < worded_errors.size()) return worded_errors[place].make(words);
  return std::make_exception_ptr(Others(words));
}

}  // namespace

void write_failure(const std::exception_ptr& cause, byte_writer& to) {
  try {
    std::rethrow_exception(cause);
  } catch (const vp_failed& e) {
    write(to, failure::vp, e.what(), {e.rank});
    write_failure(e.cause(), to);
  } catch (const label_mismatch& e) {
    write(to, failure::mismatch, e.what(), {e.rank, e.label, e.other_rank, e.other_label});
  } catch (const out_of_cluster& e) {
    write(to, failure::out_of_cluster, e.what(), {e.source, e.destination, e.label, e.shared});
  } catch (const lent_memory_modified& e) {
    write(to, failure::modified, e.what(), {e.owner, e.borrower});
  } catch (const std::bad_alloc& e) {
    write(to, failure::no_memory, e.what());
  } catch (const std::exception& e) {
    const auto type = std::ranges::find_if(
        worded_errors, [&](const worded_error& one) { return one.is_type_of(e); });
    write(to, worded_at(static_cast<std::size_t>(type - worded_errors.begin())), e.what());
  } catch (...) {
    write(to, worded_at(worded_errors.size()), "an exception that is not a std::exception");
  }
}

std::exception_ptr read_failure(byte_reader& from) noexcept {
  try {
    return read_as<run_error>(from);
  } catch (...) {  // no memory for its text
    return std::current_exception();
  }
}

}  // namespace pleat::detail
