// SPDX-License-Identifier: Apache-2.0
#include "bounds.hpp"

#include <limits>

#define HWY_COMPILE_ONLY_STATIC  // the compiler's target: what it is told this processor has
#include <hwy/highway.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace pleat::bench {
namespace {

using line [[gnu::vector_size(64), gnu::may_alias]] = std::uint64_t;

void store_past_caches(line* to, const line& x) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<const __m512i&>(x));
#elif defined(__SSE2__)
  for (std::size_t i = 0; i < 4; ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, reinterpret_cast<const __m128i*>(&x)[i]);
#else
  *to = x;
#endif
}

/// Cache lines to read and to write; those of `besides` are read, too.
struct lines {
  const line* read;
  const line* besides;
  line* written;
  std::size_t reads, more_reads, writes;
};

/// Reads and writes share `me` of `of` equal shares of the lines.
template <bool past_caches> line move_share(const lines& all, std::size_t me, std::size_t of) {
  const auto part = [=](std::size_t n, std::size_t i) { return n / of * i + n % of * i / of; };
  line seen[4] = {};
  std::size_t w = part(all.writes, me);
  const std::size_t writes = part(all.writes, me + 1);
  std::size_t r = part(all.reads, me);
  const std::size_t reads = part(all.reads, me + 1);
  // Four lines at a time; a line is written right after it was read, as a copy does.
  const auto step = [&](std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) seen[k] ^= all.read[r + k];
    if (w + count <= writes) {
      for (std::size_t k = 0; k < count; ++k) {
        if constexpr (past_caches)
          store_past_caches(all.written + w + k, seen[k]);
        else
          all.written[w + k] = seen[k];
      }
      w += count;
    }
    r += count;
  };
  while (r + 4 <= reads) step(4);
  while (r < reads) step(1);
  for (std::size_t b = part(all.more_reads, me); b < part(all.more_reads, me + 1); ++b)
    seen[b % 4] ^= all.besides[b];
  return seen[0] ^ seen[1] ^ seen[2] ^ seen[3];
}

}  // namespace

bandwidth::bandwidth(std::span<const std::byte> read, std::span<const std::byte> read_besides,
                     std::span<std::byte> written, unsigned threads)
    : read_(read), besides_(read_besides), written_(written), threads_(threads) {}

std::uint64_t bandwidth::move() const {
  const lines all{reinterpret_cast<const line*>(read_.data()),
                  reinterpret_cast<const line*>(besides_.data()),
                  reinterpret_cast<line*>(written_.data()),
                  read_.size() / sizeof(line),
                  besides_.size() / sizeof(line),
                  written_.size() / sizeof(line)};
  const auto share = [&](std::size_t me) {
    return past_caches_ ? move_share<true>(all, me, threads_)
                        : move_share<false>(all, me, threads_);
  };
  std::uint64_t seen = 0;
  if (threads_ == 1) return share(0)[0];
#pragma omp parallel for schedule(static, 1) num_threads(threads_) reduction(^ : seen)
  for (std::size_t me = 0; me < threads_; ++me) seen ^= share(me)[0];
  return seen;
}

double bandwidth::seconds_of(std::size_t times) const {
  volatile std::uint64_t seen = 0;
  const auto start = benchmark_clock::now();
  for (std::size_t i = 0; i < times; ++i) seen = move();
  static_cast<void>(seen);
  return seconds_since(start) / static_cast<double>(times);
}

double bandwidth::sample() const {
  double seconds = 0;
  for (std::size_t times = 1; seconds * static_cast<double>(times) < 2e-3; times *= 2)
    seconds = seconds_of(times);
  return seconds;
}

void bandwidth::choose() {
  bandwidth best = *this;
  double least = std::numeric_limits<double>::max();
  for (const unsigned threads : {1U, threads_}) {
    for (const bool past_caches : {false, true}) {
      bandwidth tried = *this;
      tried.threads_ = threads;
      tried.past_caches_ = past_caches;
      static_cast<void>(tried.sample());
      const double seconds = tried.sample();
      if (seconds >= least) continue;
      least = seconds;
      best = tried;
    }
  }
  *this = best;
}

namespace {

// Steps of the kernels on vectors, in the instructions of the processor this is compiled on.
namespace hn = hwy::HWY_NAMESPACE;

template <class Semiring, class V> HWY_INLINE V step(V a, V b, V acc) {
  using T = hn::TFromV<V>;
  if constexpr (std::is_same_v<Semiring, min_plus>) return hn::Min(hn::Add(a, b), acc);
  if constexpr (std::is_same_v<Semiring, max_min>) return hn::Max(hn::Min(a, b), acc);
  if constexpr (std::is_floating_point_v<T>) return hn::MulAdd(a, b, acc);
  return hn::Add(acc, hn::Mul(a, b));
}

/// The compiler must not know what is in a register, so that it computes every step.
template <class V> HWY_INLINE void opaque(V& v) {
#if HWY_ARCH_X86
  __asm__ volatile("" : "+v"(v.raw));
#else
  __asm__ volatile("" : "+w"(v.raw));
#endif
}

}  // namespace

template <class Semiring, class T> T register_steps(double steps, unsigned threads) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t together = 12;  // more than the latency of a step hides
  const double each = static_cast<double>(together * hn::Lanes(d) * threads);
  const auto rounds = static_cast<std::size_t>(steps / each) + 1;
  T result{};
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    V a = hn::Set(d, T(2));
    V b = hn::Set(d, T(3));
    opaque(b);
    const V zero = hn::Set(d, Semiring::template zero<T>());
    V s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero;
    V s6 = zero, s7 = zero, s8 = zero, s9 = zero, s10 = zero, s11 = zero;
    const auto look_at = [](auto&... sums) { (opaque(sums), ...); };
    const auto step_all = [&](auto&... sums) {
      ((opaque(a), sums = step<Semiring>(a, b, sums)), ...);
    };
    look_at(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11);
    for (std::size_t i = 0; i < rounds; ++i)
      step_all(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11);
    look_at(s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11);
#pragma omp masked
    result = hn::GetLane(s0);
  }
  return result;
}

template float register_steps<plus_times>(double, unsigned);
template double register_steps<plus_times>(double, unsigned);
template float register_steps<min_plus>(double, unsigned);
template double register_steps<min_plus>(double, unsigned);
template std::int32_t register_steps<min_plus>(double, unsigned);
template std::int64_t register_steps<min_plus>(double, unsigned);
template float register_steps<max_min>(double, unsigned);
template double register_steps<max_min>(double, unsigned);
template std::int32_t register_steps<max_min>(double, unsigned);
template std::int64_t register_steps<max_min>(double, unsigned);

}  // namespace pleat::bench
