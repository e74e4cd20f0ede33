// SPDX-License-Identifier: Apache-2.0
#include "processes/failure_record.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <pleat/channels/channel_status.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

enum class failure : std::uint64_t {
  vp,
  mismatch,
  out_of_cluster,
  modified,
  deadlocked,
  usage,
  environment,
  no_memory,
  no_such_place,
  capacity,
  other_error,
  other_run_error,
  other,
};

void write(byte_writer& to, failure what, const char* words,
           const std::array<std::uint64_t, 4>& fields = {}) {
  to.put(what);
  to.put(fields);
  to.put_bytes(words, std::char_traits<char>::length(words));
}

/// Others: type for exceptions of other types.
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
    case failure::deadlocked:
      return std::make_exception_ptr(deadlock(words));
    case failure::usage:
      return std::make_exception_ptr(usage_error(words));
    case failure::environment:
      return std::make_exception_ptr(environment_error(words));
    case failure::no_such_place:
      return std::make_exception_ptr(no_such_place(words));
    case failure::capacity:
      return std::make_exception_ptr(capacity_error(words));
    case failure::other_error:
      return std::make_exception_ptr(error(words));
    case failure::no_memory:
      return std::make_exception_ptr(std::bad_alloc());
    case failure::other_run_error:
      return std::make_exception_ptr(run_error(words));
    case failure::other:
      break;
  }
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
  } catch (const deadlock& e) {
    write(to, failure::deadlocked, e.what());
  } catch (const run_error& e) {
    write(to, failure::other_run_error, e.what());
  } catch (const capacity_error& e) {
    write(to, failure::capacity, e.what());
  } catch (const usage_error& e) {
    write(to, failure::usage, e.what());
  } catch (const no_such_place& e) {
    write(to, failure::no_such_place, e.what());
  } catch (const environment_error& e) {
    write(to, failure::environment, e.what());
  } catch (const error& e) {
    write(to, failure::other_error, e.what());
  } catch (const std::bad_alloc& e) {
    write(to, failure::no_memory, e.what());
  } catch (const std::exception& e) {
    write(to, failure::other, e.what());
  } catch (...) {
    write(to, failure::other, "an exception that is not a std::exception");
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
