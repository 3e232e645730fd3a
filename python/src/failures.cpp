// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "failures.hpp"

#include <string_view>

namespace hocket::python {

namespace {

/// The name of the class in hocket.errors.
const char* class_of(failure_code code) {
  switch (code) {
    case failure_code::task_failed:
      return "TaskFailed";
    case failure_code::dependency_failed:
      return "DependencyFailed";
    case failure_code::cancelled:
      return "Cancelled";
    case failure_code::timed_out:
      return "TimedOut";
    case failure_code::device_lost:
      return "DeviceLost";
    case failure_code::data_lost:
      return "DataLost";
    case failure_code::data_corrupted:
      return "DataCorrupted";
    case failure_code::out_of_memory:
      return "OutOfMemory";
    case failure_code::compile_failed:
      return "CompileFailed";
    case failure_code::no_device:
      return "NoDevice";
    case failure_code::overloaded:
      return "Overloaded";
    case failure_code::io:
      return "FileError";
    case failure_code::internal:
      break;
  }
  return "InternalError";
}

nb::object made(const char* name, const std::string& message) {
  return nb::module_::import_("hocket.errors").attr(name)(message);
}

/// The exception that the function raised from which the failure comes; none if no function did.
nb::object raised_by_function(const failure& why) {
  const std::exception_ptr thrown = why.thrown();
  if (thrown == nullptr) return nb::none();
  try {
    std::rethrow_exception(thrown);
  } catch (const python_failure& e) {
    return e.raised();
  } catch (...) {
    return nb::none();
  }
}

void set_error(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const usage_error& e) {
    set_error(made("UsageError", e.what()));
  } catch (const error& e) {
    set_error(exception_of(e.reason()));
  } catch (const python_failure& e) {
    const nb::object raised = e.raised();
    set_error(raised.is_none() ? made("TaskFailed", e.what()) : raised);
  }
}

/// A text in UTF-8, also one with halves of characters. If there is none, because making it has
/// failed, the error of Python is dropped.
std::string encoded(const nb::object& text) {
  nb::object bytes;
  if (text.is_valid()) {
    bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  }
  if (!bytes.is_valid()) {
    PyErr_Clear();
    return "(its text cannot be had)";
  }
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}

}  // namespace

python_failure failure_of(const nb::object& outcome, const threads_ref& threads) {
  const nb::object raised = outcome.attr("raised");
  const std::string type =
      encoded(nb::steal(PyObject_GetAttrString(raised.type().ptr(), "__name__")));
  const std::string text = encoded(nb::steal(PyObject_Str(raised.ptr())));
  return {text.empty() ? type : type + ": " + text, outcome, threads};
}

nb::object exception_of(const failure& why) {
  const nb::object raised = raised_by_function(why);
  const bool is_its_own = why.code() != failure_code::dependency_failed;
  if (!raised.is_none() && is_its_own) return raised;
  const nb::object exception = made(class_of(why.code()), why.message());
  if (!raised.is_none()) nb::setattr(exception, "__cause__", raised);
  return exception;
}

void raise_failure(const failure& why) {
  set_error(exception_of(why));
  throw nb::python_error();
}

void translate_exceptions() { nb::register_exception_translator(&translate); }

}  // namespace hocket::python
