// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include <hocket/core/error.hpp>
#include <hocket/core/exact_text.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/core/text_file.hpp>

#include "options.hpp"

namespace hocket {

namespace {

namespace json = boost::json;

struct built_in {
  std::string_view name;
  std::string_view text;
};

// One entry for each file in devices/sim/machines.
constexpr built_in built_ins[] = {
#include <hocket/machines.inc>
};

/// The end of the text in quotes that begins there, behind the second quote.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

/// A key that an object has twice, and where; `at` is 0 if there is none. The parser would
/// take the last of them. The text is that of a JSON document.
struct repeated_key {
  std::string key;
  std::size_t at = 0;
};
repeated_key find_repeated_key(std::string_view text) {
  std::vector<std::set<std::string>> open;  // the keys of each object or list that is open
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') open.emplace_back();
    if (c == '}' || c == ']') open.pop_back();
    if (c != '"') continue;
    const std::size_t begin = at, end = end_of_quoted(text, begin);
    at = end - 1;
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next == std::string_view::npos || text[next] != ':') continue;
    std::string key(json::parse(text.substr(begin, end - begin)).get_string());
    if (!open.back().insert(key).second) return {std::move(key), begin};
  }
  return {};
}

/// Reads one machine file.
class machine_reader {
 public:
  explicit machine_reader(const std::string& source) : source_("machine " + in_quotes(source)) {}

  [[nodiscard]] sim_machine read(std::string_view text) {
    const json::object all = object_of(parsed(text), source_);
    sim_machine made;
    made.name = text_of(all, "machine", source_);
    for (const auto& [key, value] : all) {
      if (key == "buses") read_buses(value, made);
    }
    for (const auto& [key, value] : all) {
      if (key == "devices") {
        read_devices(value, made);
      } else if (key != "machine" && key != "source" && key != "buses") {
        refuse(source_,
               "has the key " + in_quotes(key) + "; the keys are: machine, source, buses, devices");
      } else if (key == "source") {
        (void)text_of(all, "source", source_);
      }
    }
    if (made.devices.empty()) refuse(source_, "has no \"devices\"; there must be at least one");
    return made;
  }

 private:
  [[noreturn]] static void refuse(const std::string& where, const std::string& why) {
    throw usage_error("The " + where + " " + why + ".");
  }

  [[nodiscard]] json::value parsed(std::string_view text) const {
    json::parser parser;
    json::error_code problem;
    const std::size_t read = parser.write(text.data(), text.size(), problem);
    if (problem) refuse(source_, "is no JSON: " + line_of(text, read) + ": " + problem.message());
    const repeated_key twice = find_repeated_key(text);
    if (twice.at == 0) return parser.release();
    refuse(source_, "has the key " + in_quotes(twice.key) + " twice: " + line_of(text, twice.at) +
                        ". An object has each key once");
  }

  [[nodiscard]] static std::string line_of(std::string_view text, std::size_t at) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
    return "line " + std::to_string(1 + std::count(text.begin(), end, '\n'));
  }

  [[nodiscard]] static json::object object_of(const json::value& value, const std::string& where) {
    if (!value.is_object()) refuse(where, "must be an object in braces");
    return value.get_object();
  }

  [[nodiscard]] static std::string text_of(const json::object& in, const char* key,
                                           const std::string& where) {
    const json::value* const found = in.if_contains(key);
    if (found == nullptr || !found->is_string()) {
      refuse(where, std::string("needs the key \"") + key + "\", with a text");
    }
    return std::string(found->get_string());
  }

  void read_buses(const json::value& from, sim_machine& to) const {
    for (const auto& [name, value] : object_of(from, source_ + ", buses")) {
      const std::string where = source_ + ", bus " + in_quotes(name);
      configuration_reader reader = reader_of(object_of(value, where), where);
      sim_bus made;
      made.name = name;
      made.bytes_per_second = reader.rate("bandwidth").value_or(0);
      made.duplex = reader.flag("duplex").value_or(true);
      reader.finish();
      if (made.bytes_per_second <= 0) refuse(where, "needs a \"bandwidth\" above 0");
      to.buses.push_back(std::move(made));
    }
  }

  void read_devices(const json::value& from, sim_machine& to) const {
    if (!from.is_array()) refuse(source_ + ", devices", "must be a list in brackets");
    for (std::size_t i = 0; i < from.get_array().size(); ++i) {
      const std::string where = source_ + ", devices[" + std::to_string(i) + "]";
      json::object given = object_of(from.get_array()[i], where);
      const std::size_t count = count_of(given, where);
      const sim_options made = read_device(std::move(given), to, where);
      sim::add_devices(to, made, count, source_);
    }
  }

  [[nodiscard]] static std::size_t count_of(json::object& from, const std::string& where) {
    const json::value* const count = from.if_contains("count");
    if (count == nullptr) return 1;
    if (!count->is_int64() || count->get_int64() < 1 ||
        count->get_int64() > static_cast<std::int64_t>(sim::max_devices)) {
      refuse(where, "has the count " + printable(json::serialize(*count)) + "; it must be 1 to " +
                        std::to_string(sim::max_devices));
    }
    const auto made = static_cast<std::size_t>(count->get_int64());
    from.erase("count");
    return made;
  }

  [[nodiscard]] static sim_options read_device(json::object from, const sim_machine& in,
                                               const std::string& where) {
    std::string model;
    std::optional<std::size_t> bus;
    std::vector<kernel_rate> rates;
    if (from.contains("model")) model = text_of(from, "model", where);
    if (from.contains("bus")) bus = find_bus(text_of(from, "bus", where), in, where);
    if (from.contains("kernels")) rates = rates_of(from.at("kernels"), where);
    for (const char* const taken : {"model", "bus", "kernels"}) from.erase(taken);
    sim_options made = sim::read_device(reader_of(from, where));
    made.model = std::move(model);
    made.bus = bus;
    made.kernel_rates = std::move(rates);
    return made;
  }

  [[nodiscard]] static std::size_t find_bus(const std::string& name, const sim_machine& in,
                                            const std::string& where) {
    const auto at = std::ranges::find(in.buses, name, &sim_bus::name);
    if (at == in.buses.end())
      refuse(where, "has the bus " + in_quotes(name) + ", which \"buses\" lacks");
    return static_cast<std::size_t>(at - in.buses.begin());
  }

  [[nodiscard]] static std::vector<kernel_rate> rates_of(const json::value& from,
                                                         const std::string& where) {
    constexpr std::size_t max_kernels = 1000;
    const std::string in_kernels = where + ", kernels";
    const json::object given = object_of(from, in_kernels);
    if (given.size() > max_kernels) {
      refuse(in_kernels, "has " + std::to_string(given.size()) + " entries; there may be at most " +
                             std::to_string(max_kernels));
    }
    configuration_reader reader = reader_of(given, in_kernels);
    std::vector<kernel_rate> made;
    for (const auto& [name, value] : given) {
      const std::string kernel(name);
      made.push_back({kernel, reader.rate(kernel.c_str()).value_or(0)});
      if (made.back().of_rate <= 0) {
        refuse(where, "has " + printable(json::serialize(value)) + " for the kernel " +
                          in_quotes(kernel) + "; it must be above 0, times \"flops\"");
      }
    }
    return made;
  }

  /// The entries as they would stand in the configuration of the backend.
  [[nodiscard]] static configuration_reader reader_of(const json::object& from,
                                                      const std::string& where) {
    std::vector<configuration_reader::entry> entries;
    for (const auto& [key, value] : from) entries.push_back({key, written(value, where, key)});
    return {where, std::move(entries)};
  }

  [[nodiscard]] static std::string written(const json::value& value, const std::string& where,
                                           std::string_view key) {
    if (value.is_string()) return std::string(value.get_string());
    if (value.is_bool()) return value.get_bool() ? "yes" : "no";
    if (!value.is_number()) {
      refuse(where, std::string("has ") + (value.is_null() ? "null" : "a list or an object") +
                        " for " + in_quotes(key) + "; it must be a text or a number");
    }
    return value.is_double() ? exact_text(value.get_double()) : json::serialize(value);
  }

  const std::string source_;
};

}  // namespace

sim_machine parse_machine(std::string_view text, const std::string& source) {
  return machine_reader(source).read(text);
}

std::vector<std::string> built_in_machines() {
  std::vector<std::string> names;
  for (const built_in& each : built_ins) names.emplace_back(each.name);
  return names;
}

sim_machine find_machine(const std::string& name_or_file) {
  for (const built_in& each : built_ins) {
    if (each.name == name_or_file) return parse_machine(each.text, name_or_file);
  }
  constexpr std::uint64_t largest_file = std::uint64_t{64} << 20U;
  const result<std::string> text = read_text_file(name_or_file, largest_file);
  if (!text) {
    std::string known;
    for (const built_in& each : built_ins)
      known.append(known.empty() ? "" : ", ").append(each.name);
    throw usage_error("The machine " + in_quotes(name_or_file) +
                      " is neither a file that can be read (" + text.error().message() +
                      ") nor one of: " + known + ".");
  }
  return parse_machine(text.value(), name_or_file);
}

}  // namespace hocket
