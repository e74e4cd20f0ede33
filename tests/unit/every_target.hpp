// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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

#define ON_EVERY_TARGET(suite)                                                \
  INSTANTIATE_TEST_SUITE_P(                                                   \
      targets, suite, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), \
      [](const auto& target) { return std::string(hwy::TargetName(target.param)); })
