// SPDX-License-Identifier: Apache-2.0
#include "kernels/all.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/oblivious/kernels.hpp>
#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/error.hpp>

#include "kernels/choice.hpp"
#include "kernels/stencil.hpp"
#include "kernels/vectors.hpp"
#include "sort/bucket.hpp"

namespace pleat {
namespace detail::kernels {
namespace {

/// Lists all pieces of work whose kernels race.
std::array<choice*, 2> all_choices() {
  return {&sorting::bucket_choice<std::uint32_t>(), &sorting::bucket_choice<std::uint64_t>()};
}

forced_kernels read_forced() {
  std::vector<names_of_work> all{vector_names(), stencil_names()};
  for (const choice* c : all_choices()) all.push_back(c->names());
  const char* const text = std::getenv("PLEAT_KERNELS");
  if (text == nullptr) return {};
  try {
    return {text, all};
  } catch (const usage_error& e) {
    throw usage_error(std::string("PLEAT_KERNELS: ") + e.what());
  }
}

}  // namespace

const forced_kernels& apply_forced() {
  static constinit made_once<forced_kernels> once;
  static constinit each_process<std::mutex> alone;  // the vectors are Highway's, of all threads
  const std::lock_guard lock(alone.get());
  const forced_kernels& forced = once.get([] {
    forced_kernels read = read_forced();
    use_vectors(read);
    return read;
  });
  kernels_ready.store(true, std::memory_order_release);  // pairs with the load of ready_kernels()
  return forced;
}

std::atomic<bool> kernels_ready{false};

}  // namespace detail::kernels

void detail::make_kernels_ready() { kernels::apply_forced(); }

std::string_view to_string(kernel_reason why) noexcept {
  constexpr std::array<std::string_view, 4> names{"measured", "known", "forced", "only one"};
  return names[static_cast<std::size_t>(why)];
}

std::vector<kernel_choice> kernel_choices() {
  using namespace detail::kernels;
  const forced_kernels& forced = apply_forced();
  std::vector<kernel_choice> all{vectors_described(forced), stencil_described(forced)};
  for (choice* c : all_choices()) all.push_back(c->described());
  return all;
}

}  // namespace pleat
