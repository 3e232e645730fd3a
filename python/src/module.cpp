// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>

#include "failures.hpp"
#include "runtimes.hpp"

NB_MODULE(_core, m) {
  using namespace hocket::python;
  m.doc() = "The C++ part of hocket; see the package.";
  // What variables of modules keep at the end of Python is given back by no one.
  nb::set_leak_warnings(false);
  translate_exceptions();
  bind_runtimes(m);
  bind_views(m);
  bind_buffers(m);
  bind_futures(m);
  bind_reports(m);
  bind_functions(m);
  bind_graphs(m);
  bind_scopes(m);
  bind_checkpoints(m);
  bind_operations(m);
  bind_expressions(m);
  bind_reductions(m);
}
