// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "bounds.hpp"
#include "measure/clock.hpp"

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

}  // namespace pleat::bench
