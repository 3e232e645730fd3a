// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "start_thread.hpp"

#include <pthread.h>

#include <system_error>
#include <utility>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace hocket {

std::thread start_thread(const std::string& name, std::function<void()> body) {
  try {
    return std::thread([title = name.substr(0, 15), run = std::move(body)] {
      pthread_setname_np(pthread_self(), title.c_str());
      run();
    });
  } catch (const std::system_error& refused) {
    throw error(failure(failure_code::internal,
                        "The thread " + in_quotes(name) + " cannot be started (" +
                            refused.code().message() +
                            "); the number of processes and threads may be limited (ulimit -u)."));
  }
}

}  // namespace hocket
