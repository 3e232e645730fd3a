// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <utility>
#include <vector>

#include "element_types.hpp"
#include "function_call.hpp"
#include "futures.hpp"
#include "targets.hpp"

namespace hocket::python {

std::shared_ptr<recorder> open_recording::take() {
  if (recorder_ == nullptr) throw usage_error("The recording of \"" + label_ + "\" has ended.");
  return std::exchange(recorder_, nullptr);
}

std::shared_ptr<submitter> open_recording::get() const {
  if (recorder_ == nullptr) throw usage_error("The recording of \"" + label_ + "\" has ended.");
  return recorder_;
}

graph open_recording::finish() {
  const std::shared_ptr<recorder> ended = take();
  const without_gil released;
  return std::move(*ended).finish();
}

void open_recording::drop() { (void)take(); }

namespace {

settings settings_of(const nb::list& given) {
  settings made;
  for (const nb::handle each : given) {
    const auto pair = nb::cast<nb::tuple>(each);
    const auto& which = nb::cast<const parameter_handle&>(pair[0]).which;
    made.push_back(
        {which, number_of(pair[1], which->initial.type, "Parameter \"" + which->label + "\"")});
  }
  return made;
}

task_future run_graph(const nb::handle& into, const recorded_graph& what, const nb::list& set,
                      const nb::dict& options) {
  const task_target target = target_of(into);
  const run_options how = run_options_of(options);
  settings with = settings_of(set);
  return target.submit([&](submitter& to) -> task_future {
    return {target.home, to.run(how, what.what, std::move(with)).state()};
  });
}

detail::choice_rule rule_named(const std::string& name) {
  if (name == "one of") return detail::choice_rule::by_number;
  return name == "until" ? detail::choice_rule::if_false : detail::choice_rule::if_true;
}

/// The question: a function, or nothing, which is always true.
detail::question question_about(const task_target& target, const run_options& how,
                                const nb::object& function, const std::string& name,
                                const nb::list& accesses) {
  if (function.is_none()) return detail::question_of(how, [] { return true; });
  const described_call made =
      describe_call(target, function, function_keeper::python, name, accesses, nb::list());
  const auto call = made.call;
  if (made.arguments.empty()) {
    return detail::question_of(how, [call] { return call->run({}, {}); });
  }
  made.kernel->result = element_type::i64;
  made.kernel->host = [call](const host_launch& launch) {
    *static_cast<std::int64_t*>(launch.buffers.back().base) =
        call->run(launch.buffers, launch.scalars);
  };
  return detail::untyped_submitter::ask(how, made.kernel, made.arguments);
}

task_future choose_graph(const nb::handle& into, const std::string& rule,
                         const nb::object& function, const std::string& name,
                         const nb::list& accesses, const nb::list& bodies, std::uint64_t at_most,
                         const nb::dict& options) {
  const task_target target = target_of(into);
  const run_options how = run_options_of(options);
  detail::question asked = question_about(target, how, function, name, accesses);
  std::vector<graph> graphs;
  for (const nb::handle each : bodies) {
    graphs.push_back(nb::cast<const recorded_graph&>(each).what);
  }
  return target.submit([&](submitter& to) -> task_future {
    return {target.home, detail::untyped_submitter(to).choose(how, rule_named(rule),
                                                              std::move(asked), graphs, at_most)};
  });
}

parameter_handle make_parameter_of(const nb::handle& initial, const nb::handle& dtype,
                                   const std::string& label) {
  const element_type type = element_type_of_dtype(dtype);
  return {std::make_shared<const detail::parameter_state>(
      detail::parameter_state{label, number_of(initial, type, "Parameter \"" + label + "\"")})};
}

}  // namespace

void bind_graphs(nb::module_& to) {
  nb::class_<open_recording>(to, "OpenRecording", "A recording that is not finished.")
      .def(
          "__init__",
          [](open_recording* self, const open_runtime_ref& home, const nb::dict& options,
             const std::string& label) {
            new (self) open_recording(home, record_options_of(options), label);
          },
          nb::arg("runtime"), nb::arg("options"), nb::arg("label"))
      .def(
          "finish",
          [](open_recording& self) {
            return recorded_graph{self.home(), self.finish()};
          },
          "Ends the recording.")
      .def("drop", &open_recording::drop, "Ends the recording, which leaves nothing.");
  nb::class_<recorded_graph>(to, "GraphHandle", "The tasks behind hocket.Graph.")
      .def_prop_ro(
          "size", [](const recorded_graph& g) { return g.what.size(); }, "How many tasks it has.");
  nb::class_<parameter_handle>(to, "ParameterHandle", "The number behind hocket.Parameter.")
      .def(nb::new_(&make_parameter_of), nb::arg("initial"), nb::arg("dtype"), nb::arg("label"))
      .def_prop_ro(
          "initial",
          [](const parameter_handle& p) {
            return to_python(p.which->initial.bytes, p.which->initial.type);
          },
          "The number that it was made with.")
      .def_prop_ro(
          "dtype_name", [](const parameter_handle& p) { return name_of(p.which->initial.type); },
          "What numpy calls its type.");
  to.def("run_graph", &run_graph, nb::arg("into"), nb::arg("graph"), nb::arg("settings"),
         nb::arg("options"),
         "Submits the tasks of a graph. A setting is (ParameterHandle, number).");
  to.def("choose_graph", &choose_graph, nb::arg("into"), nb::arg("rule"),
         nb::arg("function").none(), nb::arg("name"), nb::arg("accesses"), nb::arg("bodies"),
         nb::arg("at_most"), nb::arg("options"),
         "Submits a choice, \"if\" or \"one of\", or a loop, \"while\" or \"until\", with a weak "
         "reference to the function that is asked; None: the answer is yes.");
}

}  // namespace hocket::python
