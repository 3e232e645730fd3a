// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "doctor.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "checks.hpp"
#include "output.hpp"

namespace tools {

namespace {

std::string_view to_string(verdict how) {
  switch (how) {
    case verdict::ok:
      return "ok";
    case verdict::warning:
      return "warning";
    case verdict::problem:
      return "problem";
  }
  return "problem";
}

colour colour_of(verdict how) {
  switch (how) {
    case verdict::ok:
      return colour::green;
    case verdict::warning:
      return colour::yellow;
    case verdict::problem:
      return colour::red;
  }
  return colour::red;
}

boost::json::value to_json(const std::vector<finding>& findings, bool usable) {
  boost::json::array list;
  for (const finding& each : findings) {
    list.push_back(
        {{"subject", each.subject}, {"status", to_string(each.how)}, {"text", each.text}});
  }
  return boost::json::object{{"usable", usable}, {"checks", std::move(list)}};
}

std::string to_text(const std::vector<finding>& findings, bool usable) {
  constexpr std::size_t width = 9;
  std::string text;
  for (const finding& each : findings) {
    const std::string_view name = to_string(each.how);
    text += painted(name, colour_of(each.how)) + std::string(width - name.size(), ' ') +
            each.subject + ": " + each.text + "\n";
  }
  return text + (usable ? "Hocket is usable.\n" : "Hocket is not usable as it is.\n");
}

}  // namespace

bool examine(const request& asked) {
  const auto host = std::make_shared<const hocket::host_topology>();
  std::vector<finding> findings = check_host(*host);
  for (auto& more :
       {check_backends(host, asked), check_devices(host, asked), check_surroundings()}) {
    findings.insert(findings.end(), more.begin(), more.end());
  }
  const bool usable = std::none_of(findings.begin(), findings.end(), [](const finding& each) {
    return each.how == verdict::problem;
  });
  if (asked.json) {
    print(to_json(findings, usable));
  } else {
    print(to_text(findings, usable));
  }
  return usable;
}

}  // namespace tools
