// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "element_types.hpp"
#include "futures.hpp"
#include "runtimes.hpp"

namespace hocket::python {

namespace {

std::string text_of(const nb::handle& object) { return nb::cast<std::string>(nb::repr(object)); }

std::string quoted(const std::string& name) { return "The option \"" + name + "\""; }

/// The text, which may have halves of characters that UTF-8 does not. `what` begins the message
/// then.
std::string utf8_of(const nb::handle& text, const std::string& what) {
  Py_ssize_t bytes = 0;
  const char* const found = PyUnicode_AsUTF8AndSize(text.ptr(), &bytes);
  if (found != nullptr) return {found, static_cast<std::size_t>(bytes)};
  PyErr_Clear();
  raise_value_error(what + " is " + text_of(text) + "; it has to be of whole characters.");
}

template <class Number>
Number number_option(const nb::handle& value, const std::string& name) {
  return number_of(value, element_type_of<Number>, quoted(name)).template as<Number>();
}

bool truth_option(const nb::handle& value, const std::string& name) {
  if (!nb::isinstance<nb::bool_>(value)) {
    raise_type_error(quoted(name) + " is " + text_of(value) + "; it has to be True or False.");
  }
  return nb::cast<bool>(value);
}

/// One of the values, by its name.
template <class Value>
Value choice_option(const nb::handle& value, const std::string& name,
                    const std::map<std::string, Value>& known) {
  std::string names;
  for (const auto& [each, meaning] : known) {
    names += std::string(names.empty() ? "" : ", ") + '"' + each + '"';
  }
  const auto found =
      nb::isinstance<nb::str>(value) ? known.find(utf8_of(value, quoted(name))) : known.end();
  if (found == known.end()) {
    raise_value_error(quoted(name) + " is " + text_of(value) + "; it has to be one of " + names +
                      ".");
  }
  return found->second;
}

/// A text, or a list of texts, which is written with commas.
std::string names_option(const nb::handle& value, const std::string& name) {
  if (nb::isinstance<nb::str>(value)) return utf8_of(value, quoted(name));
  if (!nb::isinstance<nb::sequence>(value)) {
    raise_type_error(quoted(name) + " is " + text_of(value) +
                     "; it has to be a text or a list of texts.");
  }
  std::string made;
  for (const nb::handle each : value) made += (made.empty() ? "" : ",") + text_option(each, name);
  return made;
}

std::map<std::string, std::string> backends_option(const nb::handle& value,
                                                   const std::string& name) {
  if (!nb::isinstance<nb::dict>(value)) {
    raise_type_error(quoted(name) + " is " + text_of(value) +
                     "; it has to be a dict from the names of backends to what they are told, as "
                     "in {\"sim\": \"2,flops=10G\"}.");
  }
  std::map<std::string, std::string> made;
  for (const auto& [key, told] : nb::cast<nb::dict>(value)) {
    made[text_option(key, name)] = text_option(told, name);
  }
  return made;
}

/// How many spans a trace keeps that is asked for by True.
constexpr std::size_t usual_trace = 100'000;

using setter = std::function<void(const nb::handle&, const std::string&)>;
using setters = std::map<std::string, setter>;

/// Sets what is in the dict. `what` begins the message about a name that there is not.
void set_all(const nb::dict& options, const setters& known, const std::string& what) {
  for (const auto& [key, value] : options) {
    const std::string name = utf8_of(key, "The name of an option");
    const auto found = known.find(name);
    if (found == known.end()) {
      std::string names;
      for (const auto& [each, set] : known) names += (names.empty() ? "" : ", ") + each;
      raise_type_error(what + " has no option \"" + name + "\"; there are " + names + ".");
    }
    if (!value.is_none()) found->second(value, name);
  }
}

void add_places(setters& to, runtime_options& made) {
  to["devices"] = [&](const auto& v, const auto& n) { made.devices = names_option(v, n); };
  to["backends"] = [&](const auto& v, const auto& n) { made.backends = backends_option(v, n); };
  to["clock"] = [&](const auto& v, const auto& n) {
    made.clock = choice_option<clock_kind>(
        v, n, {{"real", clock_kind::real}, {"simulated", clock_kind::simulated}});
  };
  to["seed"] = [&](const auto& v, const auto& n) {
    made.seed = number_option<std::uint64_t>(v, n);
  };
  to["private_memory"] = [&](const auto& v, const auto& n) {
    made.private_memory = truth_option(v, n);
  };
  to["data_tasks"] = [&](const auto& v, const auto& n) {
    made.data_tasks = choice_option<data_path>(v, n,
                                               {{"automatic", data_path::automatic},
                                                {"placed", data_path::placed},
                                                {"in_place", data_path::in_place}});
  };
  to["policy"] = [&](const auto& v, const auto& n) { made.policy = text_option(v, n); };
  to["costs"] = [&](const auto& v, const auto& n) { made.costs = text_option(v, n); };
}

void add_limits(setters& to, runtime_options& made) {
  to["max_pending"] = [&](const auto& v, const auto& n) {
    made.max_pending = number_option<std::uint64_t>(v, n);
  };
  to["max_pending_bytes"] = [&](const auto& v, const auto& n) {
    made.max_pending_bytes = number_option<std::uint64_t>(v, n);
  };
  to["overload"] = [&](const auto& v, const auto& n) {
    made.overload = choice_option<overload_kind>(
        v, n, {{"block", overload_kind::block}, {"refuse", overload_kind::refuse}});
  };
  to["watchdog"] = [&](const auto& v, const auto& n) { made.watchdog = duration_of(v, quoted(n)); };
  to["hang_timeout"] = [&](const auto& v, const auto& n) {
    made.hang_timeout = duration_of(v, quoted(n));
  };
  to["speculation"] = [&](const auto& v, const auto& n) {
    made.speculation = number_option<double>(v, n);
  };
}

void add_reliability(setters& to, runtime_options& made) {
  to["resilience"] = [&](const auto& v, const auto& n) {
    made.resilience = choice_option<resilience_kind>(
        v, n, {{"none", resilience_kind::none}, {"survive", resilience_kind::survive}});
  };
  to["max_repeated"] = [&](const auto& v, const auto& n) {
    made.max_repeated = number_option<std::uint64_t>(v, n);
  };
  to["max_attempts"] = [&](const auto& v, const auto& n) {
    made.max_attempts = number_option<std::uint64_t>(v, n);
  };
  to["quarantine"] = [&](const auto& v, const auto& n) {
    made.quarantine = duration_of(v, quoted(n));
  };
  to["integrity"] = [&](const auto& v, const auto& n) {
    made.integrity = choice_option<integrity_kind>(
        v, n, {{"none", integrity_kind::none}, {"copies", integrity_kind::copies}});
  };
  to["faults"] = [&](const auto& v, const auto& n) { made.faults = fault_plan(text_option(v, n)); };
}

void add_tracing(setters& to, runtime_options& made) {
  to["trace"] = [&](const auto& v, const auto& n) {
    if (nb::isinstance<nb::bool_>(v)) {
      made.trace_capacity = nb::cast<bool>(v) ? usual_trace : 0;
    } else {
      made.trace_capacity = number_option<std::uint64_t>(v, n);
    }
  };
  to["trace_decisions"] = [&](const auto& v, const auto& n) {
    made.trace_decisions = truth_option(v, n);
  };
  to["export_counters"] = [&](const auto& v, const auto& n) {
    made.export_counters = truth_option(v, n);
  };
}

future_list futures_option(const nb::handle& value, const std::string& name) {
  if (!nb::isinstance<nb::sequence>(value)) {
    raise_type_error(quoted(name) + " is " + text_of(value) +
                     "; it has to be a list of hocket.Future.");
  }
  future_list made;
  for (const nb::handle each : value) {
    if (!nb::isinstance<task_future>(each)) {
      raise_type_error(quoted(name) + " has " + text_of(each) +
                       " in its list; it has to be a list of hocket.Future.");
    }
    made.emplace_back(future<void>(nb::cast<const task_future&>(each).task));
  }
  return made;
}

/// The options that tasks and runs of graphs have in common.
template <class Options>
void add_order(setters& to, Options& made) {
  to["priority"] = [&](const auto& v, const auto& n) {
    made.priority = number_option<std::int64_t>(v, n);
  };
  to["label"] = [&](const auto& v, const auto& n) { made.label = task_label(text_option(v, n)); };
  to["after"] = [&](const auto& v, const auto& n) { made.after = futures_option(v, n); };
}

}  // namespace

std::string text_option(const nb::handle& value, const std::string& name) {
  if (!nb::isinstance<nb::str>(value)) {
    raise_type_error(quoted(name) + " is " + text_of(value) + "; it has to be a text.");
  }
  return utf8_of(value, quoted(name));
}

nanoseconds duration_of(const nb::handle& seconds, const std::string& what) {
  const double given = number_of(seconds, element_type::f64, what).as<double>();
  if (!(given >= 0)) {
    raise_value_error(what + " is " + text_of(seconds) + " seconds; it has to be 0 or more.");
  }
  constexpr double longest = 9e9;  // about what nanoseconds of 64 bits can hold
  if (given >= longest) return nanoseconds::max();
  return nanoseconds(static_cast<nanoseconds::rep>(std::ceil(given * 1e9)));
}

runtime_options runtime_options_of(const nb::dict& options) {
  runtime_options made;
  setters known;
  add_places(known, made);
  add_limits(known, made);
  add_reliability(known, made);
  add_tracing(known, made);
  set_all(options, known, "A Runtime");
  return made;
}

task_options task_options_of(const nb::dict& options, runtime& in) {
  task_options made;
  setters known;
  add_order(known, made);
  known["on"] = [&](const auto& v, const auto& n) { made.on = in.device(text_option(v, n)); };
  known["in_order"] = [&](const auto& v, const auto& n) { made.in_order = truth_option(v, n); };
  known["timeout"] = [&](const auto& v, const auto& n) {
    made.timeout = duration_of(v, quoted(n));
  };
  set_all(options, known, "A task");
  return made;
}

run_options run_options_of(const nb::dict& options) {
  run_options made;
  setters known;
  add_order(known, made);
  set_all(options, known, "A run of a graph");
  return made;
}

record_options record_options_of(const nb::dict& options) {
  record_options made;
  setters known;
  known["fuse"] = [&](const auto& v, const auto& n) { made.fuse = truth_option(v, n); };
  known["batch"] = [&](const auto& v, const auto& n) { made.batch = truth_option(v, n); };
  known["tasks"] = [&](const auto& v, const auto& n) {
    made.tasks = number_option<std::uint64_t>(v, n);
  };
  set_all(options, known, "A recording");
  return made;
}

scope_options scope_options_of(const nb::dict& options) {
  scope_options made;
  setters known;
  known["label"] = [&](const auto& v, const auto& n) {
    made.label = task_label(text_option(v, n));
  };
  known["cancel_on_failure"] = [&](const auto& v, const auto& n) {
    made.cancel_on_failure = truth_option(v, n);
  };
  known["timeout"] = [&](const auto& v, const auto& n) {
    made.timeout = duration_of(v, quoted(n));
  };
  set_all(options, known, "A scope");
  return made;
}

}  // namespace hocket::python
