// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <pleat/oblivious/kernels.hpp>

/// Tests of kernels run on every instruction set this processor has, the fallback included:
///
///     class some_kernels : public every_target {};
///     ON_EVERY_TARGET(some_kernels);
class every_target : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    static_cast<void>(pleat::kernel_choices());  // made once, by the targets there really are
    use(GetParam());
  }
  void TearDown() override { use(0); }

 private:
  static void use(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// Targets of this processor that kernels are compiled for (vector_targets.hpp).
inline std::vector<std::int64_t> targets_of_kernels() {
#ifdef PLEAT_STENCILS_WITHOUT_baseline  // a build for one instruction set
  std::int64_t compiled = 0;
#else
  std::int64_t compiled = HWY_STATIC_TARGET;
#endif
#if HWY_ARCH_X86
  compiled |= HWY_AVX2 | HWY_AVX3;
#endif
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  std::erase_if(targets, [&](std::int64_t target) { return !(target & compiled); });
  return targets;
}

#define ON_EVERY_TARGET(suite)                                 \
  INSTANTIATE_TEST_SUITE_P(                                    \
      targets, suite, testing::ValuesIn(targets_of_kernels()), \
      [](const auto& target) { return std::string(hwy::TargetName(target.param)); })
