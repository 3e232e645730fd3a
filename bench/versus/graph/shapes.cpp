// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "shapes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace hocket::bench {

namespace {

shape made_of(std::string name, std::size_t tasks,
              const std::function<std::vector<std::uint32_t>(std::uint32_t)>& followed_by) {
  shape made{std::move(name), {0}, {}};
  for (std::uint32_t i = 0; i < tasks; ++i) {
    const auto list = followed_by(i);
    made.follows.insert(made.follows.end(), list.begin(), list.end());
    made.first.push_back(static_cast<std::uint32_t>(made.follows.size()));
  }
  return made;
}

shape wavefront(std::size_t tasks) {
  const auto side = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(tasks)));
  return made_of("wavefront", std::size_t{side} * side, [side](std::uint32_t i) {
    std::vector<std::uint32_t> list;
    if (i >= side) list.push_back(i - side);
    if (i % side != 0) list.push_back(i - 1);
    return list;
  });
}

shape random_graph(std::size_t tasks) {
  std::mt19937 engine(1);
  const auto below = [&engine](std::uint32_t limit) {
    return static_cast<std::uint32_t>(engine() % limit);
  };
  return made_of("random", tasks, [&below](std::uint32_t i) {
    std::vector<std::uint32_t> list;
    const std::uint32_t window = std::min<std::uint32_t>(i, 100);
    const std::uint32_t wanted = std::min<std::uint32_t>(1 + below(4), window);
    while (list.size() < wanted) {
      const std::uint32_t one = i - 1 - below(window);
      if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
    }
    return list;
  });
}

}  // namespace

std::vector<shape> all_shapes(std::size_t tasks) {
  using list = std::vector<std::uint32_t>;
  return {
      made_of("independent", tasks, [](std::uint32_t) { return list{}; }),
      made_of("chain", tasks, [](std::uint32_t i) { return i == 0 ? list{} : list{i - 1}; }),
      made_of("tree", tasks, [](std::uint32_t i) { return i == 0 ? list{} : list{(i - 1) / 2}; }),
      wavefront(tasks), random_graph(tasks)};
}

}  // namespace hocket::bench
