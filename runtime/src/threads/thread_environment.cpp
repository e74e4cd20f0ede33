// SPDX-License-Identifier: Apache-2.0
#include "threads/thread_environment.hpp"

#include <cfenv>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace pleat::detail {

namespace {

#if defined(__SSE__)

constexpr std::uint32_t sse_control = 0xffc0;  // the rest are exceptions raised
constexpr int sse_exceptions = 0x3f;           // numbered as those of <cfenv>

std::uint32_t control() noexcept {
  std::uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & sse_control) | std::uint32_t{x87} << 16;
}
void set(std::uint32_t control, int raised) noexcept {
  const std::uint32_t wanted = (control & sse_control) | static_cast<std::uint32_t>(raised);
  if (_mm_getcsr() != wanted) _mm_setcsr(wanted);
  std::uint16_t now = 0;
  asm volatile("fnstcw %0" : "=m"(now));
  const auto x87 = static_cast<std::uint16_t>(control >> 16);
  if (now == x87) return;
  asm volatile("fnclex");  // earlier exceptions must not trap now
  asm volatile("fldcw %0" : : "m"(x87));
}

#elif defined(__aarch64__)

std::uint32_t control() noexcept {
  std::uint64_t fpcr = 0;  // its upper half is reserved
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return static_cast<std::uint32_t>(fpcr);
}
std::uint64_t status() noexcept {
  std::uint64_t fpsr = 0;
  asm volatile("mrs %0, fpsr" : "=r"(fpsr));
  return fpsr;
}
void set_status(std::uint64_t now, std::uint64_t wanted) noexcept {
  if (now != wanted) asm volatile("msr fpsr, %0" : : "r"(wanted));
}
void set(std::uint32_t wanted, int raised) noexcept {
  if (control() != wanted) asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{wanted}));
  const std::uint64_t now = status();
  set_status(now, (now & ~std::uint64_t{FE_ALL_EXCEPT}) | static_cast<std::uint64_t>(raised));
}

#else

std::uint32_t control() noexcept { return static_cast<std::uint32_t>(std::fegetround()); }
void set(std::uint32_t control, int raised) noexcept {
  if (std::fegetround() != static_cast<int>(control)) std::fesetround(static_cast<int>(control));
  std::feclearexcept(FE_ALL_EXCEPT);
  mark_raised(raised);
}

#endif

void use(locale_t locale) noexcept {
  if (::uselocale(nullptr) != locale) ::uselocale(locale);
}

}  // namespace

thread_environment thread_environment::current() noexcept {
  return {control(), ::uselocale(nullptr)};
}

void thread_environment::restore() const noexcept {
  if (control() != numbers) set(numbers, raised_exceptions());
  use(locale);
}

#if defined(__SSE__)
int raised_exceptions() noexcept { return static_cast<int>(_mm_getcsr()) & sse_exceptions; }
void mark_raised(int exceptions) noexcept {
  const std::uint32_t now = _mm_getcsr();
  const std::uint32_t all = now | static_cast<std::uint32_t>(exceptions);
  if (all != now) _mm_setcsr(all);
}
#elif defined(__aarch64__)
int raised_exceptions() noexcept { return static_cast<int>(status() & FE_ALL_EXCEPT); }
void mark_raised(int exceptions) noexcept {
  const std::uint64_t now = status();
  set_status(now, now | static_cast<std::uint64_t>(exceptions));
}
#else
int raised_exceptions() noexcept { return std::fetestexcept(FE_ALL_EXCEPT); }
void mark_raised(int exceptions) noexcept { std::feraiseexcept(exceptions); }
#endif

environment_scope::environment_scope(const thread_environment& wanted) noexcept
    : own_(thread_environment::current()), raised_(raised_exceptions()) {
  set(wanted.numbers, 0);
  use(wanted.locale);
}

environment_scope::~environment_scope() {
  set(own_.numbers, raised_);
  use(own_.locale);
}

}  // namespace pleat::detail
