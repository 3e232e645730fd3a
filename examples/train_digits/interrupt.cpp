// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "interrupt.hpp"

#include <pthread.h>
#include <unistd.h>

namespace train {

// A thread that waits for signals may do whatever it likes, unlike a signal handler, and needs no
// global variable.
interrupt::interrupt() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waiter_ = std::thread([this] { wait_for_signals(); });
}

interrupt::~interrupt() {
  closing_ = true;
  pthread_kill(waiter_.native_handle(), SIGTERM);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void interrupt::wait_for_signals() {
  while (true) {
    int received = 0;
    if (sigwait(&signals_, &received) != 0) continue;
    if (closing_) return;
    if (!source_.request_stop()) ::_exit(exit_code_of_interrupt);
  }
}

}  // namespace train
