// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/error.hpp>

namespace frame_arena_test {

using pleat::detail::frame_arena;

struct held {
  unsigned char* frame;
  std::size_t bytes;
  unsigned char mark;
};

held take(frame_arena& arena, std::size_t bytes, unsigned char mark) {
  auto* frame = static_cast<unsigned char*>(arena.allocate(bytes));
  const std::size_t granules = (bytes + 15) / 16 * 16;
  const std::size_t alignment = std::min(granules & -granules, frame_arena::most_aligned);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame) % alignment, 0u) << bytes;
  std::memset(frame, mark, bytes);
  return {frame, bytes, mark};
}

bool untouched(const held& h) {
  for (std::size_t i = 0; i < h.bytes; ++i) {
    if (h.frame[i] != h.mark) return false;
  }
  return true;
}

TEST(frame_arena, gives_aligned_frames_that_do_not_overlap) {
  std::mt19937_64 random(3);
  frame_arena arena;
  std::vector<held> all;
  for (int step = 0; step < 20000; ++step) {
    if (!all.empty() && random() % 5 < 2) {
      const std::size_t victim = random() % all.size();
      ASSERT_TRUE(untouched(all[victim]));
      arena.deallocate(all[victim].frame, all[victim].bytes);
      all[victim] = all.back();
      all.pop_back();
    } else {
      const std::size_t bytes = 1 + random() % (random() % 20 == 0 ? 5000 : 300);
      all.push_back(take(arena, bytes, static_cast<unsigned char>(random())));
    }
  }
  for (const held& h : all) {
    ASSERT_TRUE(untouched(h));
    arena.deallocate(h.frame, h.bytes);
  }
  EXPECT_EQ(arena.live_frames(), 0u);
}

TEST(frame_arena, uses_freed_frames_of_a_size_again) {
  frame_arena arena;
  void* a = arena.allocate(100);
  void* b = arena.allocate(100);
  arena.deallocate(a, 100);
  EXPECT_EQ(arena.allocate(104), a) << "both are rounded up to the same size";
  arena.deallocate(b, 100);
  arena.deallocate(a, 104);
  void* c = arena.allocate(300);
  EXPECT_NE(c, a);
  arena.deallocate(c, 300);
}

TEST(frame_arena, begins_at_its_front_again_after_a_rewind) {
  frame_arena arena;
  std::vector<void*> first, second;
  for (std::vector<void*>* run : {&first, &second}) {
    arena.rewind();
    for (int i = 0; i < 5000; ++i) run->push_back(arena.allocate(200));
    for (void* frame : *run) arena.deallocate(frame, 200);
  }
  EXPECT_EQ(first, second);
}

TEST(frame_arena, starts_again_after_it_gave_its_memory_back) {
  frame_arena arena;
  for (int round = 0; round < 3; ++round) {
    const held h = take(arena, 1000, 1);
    EXPECT_EQ(arena.live_frames(), 1u);
    arena.deallocate(h.frame, h.bytes);
    arena.release();
  }
}

TEST(frames, are_had_only_inside_a_run) {
  EXPECT_THROW((void)pleat::detail::allocate_frame(80), pleat::usage_error);
}

TEST(frames, come_from_the_run_of_their_thread_and_go_back_to_it) {
  pleat::detail::execution run;
  pleat::detail::current_execution = &run;
  for (const std::size_t bytes : {1, 40, 2000, 100000}) {
    void* frame = pleat::detail::allocate_frame(bytes);
    const std::size_t granules = (bytes + 15) / 16 * 16;
    const std::size_t alignment = std::min(granules & -granules, frame_arena::most_aligned);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame) % alignment, 0u) << bytes;
    std::memset(frame, 1, bytes);
    EXPECT_EQ(run.frames.live_frames(), bytes <= 2000 ? 1u : 0u)
        << "large ones are not the arena's";
    pleat::detail::deallocate_frame(frame, bytes);
    EXPECT_EQ(run.frames.live_frames(), 0u);
  }
  pleat::detail::current_execution = nullptr;
}

// Runs on three machines, whose memory is given back now and then. Frames are freed in their run,
// in a later run of any machine, or outside of runs.
TEST(frames, that_outlive_their_run_keep_their_memory_until_they_are_freed) {
  std::mt19937_64 random(5);
  pleat::detail::execution machines[3];
  std::vector<held> all;
  const auto free_some = [&](std::size_t most) {
    while (all.size() > random() % (most + 1)) {
      std::swap(all[random() % all.size()], all.back());
      ASSERT_TRUE(untouched(all.back()));
      pleat::detail::deallocate_frame(all.back().frame, all.back().bytes);
      all.pop_back();
    }
  };
  for (int step = 0; step < 300; ++step) {
    pleat::detail::execution& machine = machines[random() % 3];
    pleat::detail::current_execution = &machine;
    for (int i = 0; i < 200; ++i) {
      const std::size_t bytes = 1 + random() % (random() % 20 == 0 ? 5000 : 300);
      all.push_back(take(machine.frames, bytes, static_cast<unsigned char>(random())));
      if (random() % 4 == 0) free_some(all.size());
    }
    if (random() % 3 == 0) free_some(0);
    machine.frames.rewind();
    pleat::detail::current_execution = nullptr;
    EXPECT_EQ(machine.frames.live_frames(), 0u);
    EXPECT_EQ(pleat::detail::outlived_frames,
              std::ranges::count_if(all, [](const held& h) { return h.bytes <= 2048; }));
    if (random() % 3 == 0) machine.frames.release();
    free_some(10);
  }
  free_some(0);
  EXPECT_EQ(pleat::detail::outlived_frames, 0u);
}

}  // namespace frame_arena_test
