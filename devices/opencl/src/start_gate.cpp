// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "start_gate.hpp"

namespace hocket::opencl {

void start_gate::close() {
  cl_int code = CL_SUCCESS;
  cl_event made = in_.cl().clCreateUserEvent(in_.get(), &code);
  if (code == CL_SUCCESS) event_ = handle<cl_event>(in_.cl(), made);
}

void start_gate::open() {
  if (!event_) return;
  // It can only fail for an event that is open already.
  (void)in_.cl().clSetUserEventStatus(event_.get(), CL_COMPLETE);
  event_ = {};
}

}  // namespace hocket::opencl
