// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/duration.hpp>

namespace hocket::detail {

class host_task;
class timer;

/// A timer that is cancelled when the task ends; task.time_out() is called when it expires. To be
/// called before the task is started, and set after it.
[[nodiscard]] boost::intrusive_ptr<timer> attach_timer(host_task& task);
void set_timer(const host_task& task, const boost::intrusive_ptr<timer>& rings, time_stamp time);

}  // namespace hocket::detail
