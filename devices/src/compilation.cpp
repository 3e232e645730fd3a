// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/compilation.hpp>

#include <algorithm>
#include <mutex>

namespace hocket {
namespace {

struct all_compilations {
  std::mutex guard;  // for what follows
  std::vector<const compilation*> under_way;
};

/// For ever: a compiler may run on while the process ends.
all_compilations& of_process() {
  static all_compilations& all = *new all_compilations;
  return all;
}

}  // namespace

compilation_note::compilation_note(const std::string& device, const std::string& kernel)
    : of_{device, kernel} {
  all_compilations& all = of_process();
  const std::lock_guard lock(all.guard);
  all.under_way.push_back(&of_);
}

compilation_note::~compilation_note() {
  all_compilations& all = of_process();
  const std::lock_guard lock(all.guard);
  std::erase(all.under_way, &of_);
}

std::vector<compilation> compilations_under_way() {
  all_compilations& all = of_process();
  const std::lock_guard lock(all.guard);
  std::vector<compilation> made;
  for (const compilation* each : all.under_way) made.push_back(*each);
  return made;
}

}  // namespace hocket
