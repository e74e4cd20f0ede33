// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pleat::bench {

/// Forecast of a model for a measured program on a machine that is not there.
struct forecast {
  unsigned processors = 0;
  double seconds = 0;        ///< the run
  double communication = 0;  ///< the part of it that is supersteps and messages, in seconds
  double inflation = 0;      ///< time of all processors together, over that of the measured run
};

struct forecasts {
  std::string model;       ///< its name
  std::string assumption;  ///< what has to hold for them, in a sentence
  std::vector<forecast> of;
  std::string missing = {};  ///< why there are none, in a line; else empty
};

}  // namespace pleat::bench
