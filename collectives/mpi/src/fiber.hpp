// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ucontext.h>

namespace pleat::preloaded {

/// Function that runs on a stack of its own, so that it can wait in the middle and go on later,
/// even on another thread. It must not throw.
class fiber {
 public:
  /// Throws: std::bad_alloc.
  explicit fiber(std::function<void()> body);
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber();

  /// Runs until the function waits or ends.
  void resume();
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  /// Tells whether what the function waits for is true.
  [[nodiscard]] bool may_resume() const { return condition_.test(condition_.what); }

  /// Stops, inside the function, until `done()` is true, which whoever resumes finds out: it runs
  /// on the other stack and must not throw.
  template <class Done> void wait_until(const Done& done) {
    if (done()) return;
    condition_ = {[](const void* what) { return (*static_cast<const Done*>(what))(); }, &done};
    suspend();
  }

 private:
  struct condition {
    bool (*test)(const void*) = nullptr;
    const void* what = nullptr;
  };

  static void run(unsigned high, unsigned low);
  void suspend();

  std::function<void()> body_;
  condition condition_;
  void* stack_;
  ucontext_t own_{}, outside_{};
  struct {
    void* caught = nullptr;
    unsigned uncaught = 0;
  } exceptions_;  // those that the function is handling, as the C++ run time keeps them
  bool ended_ = false;
};

}  // namespace pleat::preloaded
