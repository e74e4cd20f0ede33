// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::c {
namespace {

// Without allocation: memory may have run out.
thread_local constinit std::array<char, 1024> last_failure{};

constexpr const char* out_of_memory =
    "out of memory: take smaller arrays, or allow the process more";

int keep(int status, const char* text) noexcept {
  std::size_t n = 0;
  for (; text[n] != 0 && n + 1 < last_failure.size(); ++n)
    last_failure[n] = text[n] == '\n' ? ' ' : text[n];
  // No half of a UTF-8 sequence at the end.
  if (text[n] != 0)
    while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0U) == 0x80) --n;
  last_failure[n] = 0;
  return status;
}

using arrays::number_kind, arrays::number_type;
constexpr std::array<number_type, 12> number_types{{{number_kind::signed_integer, 1},
                                                    {number_kind::signed_integer, 2},
                                                    {number_kind::signed_integer, 4},
                                                    {number_kind::signed_integer, 8},
                                                    {number_kind::unsigned_integer, 1},
                                                    {number_kind::unsigned_integer, 2},
                                                    {number_kind::unsigned_integer, 4},
                                                    {number_kind::unsigned_integer, 8},
                                                    {number_kind::floating, 4},
                                                    {number_kind::floating, 8},
                                                    {number_kind::complex, 8},
                                                    {number_kind::complex, 16}}};

}  // namespace

int keep_failure() noexcept {
  try {
    throw;
  } catch (const vp_failed& e) {
    try {
      e.rethrow_cause();
    } catch (...) {
      return keep_failure();
    }
  } catch (const usage_error& e) {
    return keep(PLEAT_USAGE, e.what());
  } catch (const environment_error& e) {
    return keep(PLEAT_ENVIRONMENT, e.what());
  } catch (const run_error& e) {
    return keep(PLEAT_RUN, e.what());
  } catch (const std::bad_alloc&) {
    return keep(PLEAT_MEMORY, out_of_memory);
  } catch (const std::length_error&) {  // of a vector
    return keep(PLEAT_MEMORY, out_of_memory);
  } catch (const std::exception& e) {
    return keep(PLEAT_INTERNAL, e.what());
  } catch (...) {
    return keep(PLEAT_INTERNAL, "an exception of a type that the library does not know");
  }
}

arrays::number_type number_type_of(const char* caller, pleat_type type) {
  if (type >= PLEAT_I8 && type <= PLEAT_C128)
    return number_types[static_cast<std::size_t>(type - PLEAT_I8)];
  throw usage_error(std::string(caller) + ": there is no type " + std::to_string(type) +
                    "; take one of PLEAT_I8 to PLEAT_C128");
}

arrays::number_type number_type_of(const char* caller, pleat_type type,
                                   std::initializer_list<pleat_type> accepted, const char* names) {
  const number_type found = number_type_of(caller, type);
  if (std::ranges::find(accepted, type) != accepted.end()) return found;
  throw usage_error(std::string(caller) + ": not for numbers of type " + std::to_string(type) +
                    "; take " + names);
}

void require(const char* caller, const char* what, const void* pointer) {
  if (pointer == nullptr)
    throw usage_error(std::string(caller) + ": " + what + " is NULL; give it memory");
}

void require(const char* caller, const char* what, const void* array, std::size_t n,
             std::size_t bytes) {
  if (product_of(caller, {n}, bytes) != 0) require(caller, what, array);
}

void require_counts(const char* caller, std::initializer_list<std::size_t> counts) {
  for (const std::size_t count : counts)
    if (const auto value = static_cast<std::ptrdiff_t>(count); value < 0)
      throw usage_error(std::string(caller) + ": a count is " + std::to_string(value) +
                        "; take 0 or more");
}

std::vector<std::size_t> counts_of(const char* caller, const char* name, const std::size_t* counts,
                                   std::size_t n) {
  require(caller, name, counts, n, sizeof *counts);
  for (std::size_t i = 0; i < n; ++i) require_counts(caller, {counts[i]});
  return n == 0 ? std::vector<std::size_t>() : std::vector(counts, counts + n);
}

std::size_t product_of(const char* caller, std::initializer_list<std::size_t> sizes,
                       std::size_t bytes) {
  if (std::ranges::find(sizes, std::size_t{0}) != sizes.end()) return 0;
  std::size_t product = 1;
  for (const std::size_t size : sizes) {
    if (size > (std::size_t{1} << 48) / bytes / product)
      throw usage_error(std::string(caller) +
                        ": an array of more than 2^48 bytes; no memory has so "
                        "many");
    product *= size;
  }
  return product;
}

}  // namespace pleat::c

const char* pleat_version() { return PLEAT_VERSION; }

const char* pleat_error() { return pleat::c::last_failure.data(); }

const char* pleat_status_name(int status) {
  constexpr std::array names{"PLEAT_OK",     "PLEAT_USAGE", "PLEAT_ENVIRONMENT",
                             "PLEAT_MEMORY", "PLEAT_RUN",   "PLEAT_INTERNAL"};
  const bool known = status >= 0 && status < static_cast<int>(names.size());
  return known ? names[static_cast<std::size_t>(status)] : "unknown status";
}

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

int pleat_machine_create(unsigned processors, const char* place, const char* memory,
                         pleat_machine** machine) {
  return guarded("pleat_machine_create", {}, [&](const char* caller) {
    require(caller, "machine", machine);
    *machine = nullptr;
    pleat::machine_options options;
    if (processors != 0) options.processors = processors;
    if (place != nullptr) pleat::set_place(options, place);
    if (memory != nullptr) options.memory = pleat::parse_memory_policy(memory);
    *machine = new pleat_machine{pleat::machine(std::move(options))};
  });
}

void pleat_machine_destroy(pleat_machine* machine) { delete machine; }

int pleat_machine_processors(pleat_machine* on, unsigned* processors) {
  return guarded("pleat_machine_processors", {}, [&](const char* caller) {
    require(caller, "processors", processors);
    *processors = on != nullptr ? on->on.processors() : machine_of(nullptr)->processors();
  });
}

int pleat_available_processors(unsigned* processors) {
  return guarded("pleat_available_processors", {}, [&](const char* caller) {
    require(caller, "processors", processors);
    *processors = pleat::topology::host().available();
  });
}

int pleat_topology_text(char* buffer, size_t size, size_t* needed) {
  return guarded("pleat_topology_text", {size}, [&](const char* caller) {
    require(caller, "buffer", buffer, size, 1);
    const std::string text = pleat::topology::host().summary();
    if (needed != nullptr) *needed = text.size() + 1;
    if (size == 0) return;
    const std::size_t copied = std::min(text.size(), size - 1);
    std::copy_n(text.data(), copied, buffer);
    buffer[copied] = 0;
  });
}
