// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

/// What a library has.
struct functions {
  double (*sum)(int);
  void (*fail)();
};

/// Calls both, from many threads at once. True if all is as it should be.
inline bool uses(functions one, functions two) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 1; n < 20; ++n) {
        if (one.sum(n) != 4.0 * n || two.sum(n) != 4.0 * n) ++wrong;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  if (wrong != 0) std::printf("%d sums are wrong\n", wrong.load());

  int caught = 0;
  for (const functions& library : {one, two}) {
    try {
      library.fail();
    } catch (const std::exception& thrown) {
      if (std::string(thrown.what()).find("A task of a library failed.") != std::string::npos) {
        ++caught;
      }
    }
  }
  if (caught != 2) std::printf("%d of 2 exceptions were caught\n", caught);
  return wrong == 0 && caught == 2;
}
