// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <pleat/runtime/detail/crew.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>
#include <pleat/runtime/detail/worker.hpp>

namespace pleat::detail {

crew::crew(machine& m, std::size_t size)
    : owner(m), channels(std::make_unique<vp_channels>()), sleepers(size) {
  for (std::size_t i = 0; i < size; ++i) workers.push_back(std::make_unique<worker>(*this, i));
}

crew::~crew() = default;

void crew::poison(std::exception_ptr cause) noexcept {
  {
    const std::scoped_lock lock(cause_mutex_);
    if (!cause_) cause_ = std::move(cause);
  }
  poisoned_.flag.store(true, std::memory_order_release);  // pairs with the acquire in poisoned
  sleepers.wake(0, workers.size(), workers.size());
}

std::exception_ptr crew::take_cause() noexcept {
  poisoned_.flag.store(false, std::memory_order_relaxed);  // no worker is running
  return std::exchange(cause_, nullptr);
}

}  // namespace pleat::detail
