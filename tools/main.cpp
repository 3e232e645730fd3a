// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include <hocket/core/error.hpp>

#include "calibrate.hpp"
#include "command_line.hpp"
#include "devices.hpp"
#include "doctor.hpp"
#include "explain.hpp"
#include "output.hpp"
#include "simulate.hpp"
#include "top.hpp"
#include "torture.hpp"

namespace {

constexpr int failed = 1, wrong_use = 2;

int carry_out(const tools::request& asked) {
  if (asked.what == tools::request::command::doctor) return tools::examine(asked) ? 0 : failed;
  if (asked.what == tools::request::command::calibrate) return tools::calibrate(asked);
  if (asked.what == tools::request::command::simulate) return tools::simulate(asked.simulated);
  if (asked.what == tools::request::command::top) return tools::top(asked.shown);
  if (asked.what == tools::request::command::torture) return tools::torture(asked.tried);
  if (asked.what == tools::request::command::explain) {
    tools::explain(asked.explained);
  } else {
    tools::list_devices(asked);
  }
  return 0;
}

int complain(const std::exception& why, int code) {
  fmt::print(stderr, "hocket: {}\n", why.what());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto said = tools::parse({argv + 1, argv + argc}, HOCKET_VERSION);
    if (const auto* text = std::get_if<tools::text_to_print>(&said)) {
      tools::print(text->text);
      return 0;
    }
    return carry_out(std::get<tools::request>(said));
  } catch (const hocket::usage_error& why) {
    return complain(why, wrong_use);
  } catch (const std::exception& why) {
    return complain(why, failed);
  }
}
