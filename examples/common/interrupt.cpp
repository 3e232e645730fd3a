// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "interrupt.hpp"

#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>

namespace examples {

namespace {

sigset_t signals_of_interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

/// Libraries have threads before main begins, OpenBLAS for one. When such a thread is given a
/// signal it blocks the signals from then on, and sends this one on to the threads that are left.
void send_on(int number, siginfo_t*, void* context) {
  const int error = errno;
  const sigset_t signals = signals_of_interrupt();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, SIGINT);
  sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, SIGTERM);
  ::kill(::getpid(), number);
  errno = error;
}

}  // namespace

// A thread that waits for signals may do whatever it likes, unlike a signal handler, and needs no
// global variable.
interrupt::interrupt() : signals_(signals_of_interrupt()) {
  struct sigaction other_threads {};
  other_threads.sa_sigaction = send_on;
  other_threads.sa_flags = SA_SIGINFO | SA_RESTART;
  other_threads.sa_mask = signals_;
  sigaction(SIGINT, &other_threads, &interrupt_before_);
  sigaction(SIGTERM, &other_threads, &termination_before_);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waiter_ = std::thread([this] { wait_for_signals(); });
}

interrupt::~interrupt() {
  closing_ = true;
  pthread_kill(waiter_.native_handle(), SIGTERM);
  waiter_.join();
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &termination_before_, nullptr);
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

}  // namespace examples
