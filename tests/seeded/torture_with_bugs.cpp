// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// torture_with_bugs BUG torture ARGUMENTS...: `hocket torture ARGUMENTS...` where the scheduler has
// a bug.

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

#include "data/seeded_bug.hpp"
#include "torture.hpp"

int main(int count, char** values) {
  constexpr int wrong_use = 2;
  try {
    const char* const number = count > 1 ? values[1] : "";
    hocket::detail::seed_bug(static_cast<int>(hocket::parse_number("BUG", number, 0, 99)));
    CLI::App app;
    tools::torture_request asked;
    (void)tools::add_torture(app, asked);
    values[1] = values[0];
    app.parse(count - 1, values + 1);
    return tools::torture(asked);
  } catch (const CLI::ParseError& problem) {
    std::fprintf(stderr, "torture_with_bugs: %s\n", problem.what());
  } catch (const hocket::usage_error& why) {
    std::fprintf(stderr, "torture_with_bugs: %s\n", why.what());
  }
  return wrong_use;
}
