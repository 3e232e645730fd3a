// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Both libraries are linked to the program.
#include "uses.hpp"

extern "C" {
double sum_in_one(int n);
double sum_in_two(int n);
void fail_in_one();
void fail_in_two();
}

int main() {
  const bool right = uses({&sum_in_one, &fail_in_one}, {&sum_in_two, &fail_in_two});
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
