// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "built_commit.hpp"

namespace hocket::bench {

namespace {

/// What follows the separator in the first line of the file that begins with key; else "unknown".
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t found = line.find(separator, key.size());
    if (found == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \"", found + 1);
    const std::size_t last = line.find_last_not_of(" \"");
    if (first != std::string::npos) return line.substr(first, last + 1 - first);
  }
  return "unknown";
}

std::string operating_system() {
  utsname kernel{};
  uname(&kernel);
  return fmt::format("{}, {} {}", value_in("/etc/os-release", "PRETTY_NAME", '='), kernel.sysname,
                     kernel.release);
}

cpu_set_t cores_of_this_thread() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) {
    throw std::system_error(errno, std::generic_category(), "The cores could not be asked for");
  }
  return cores;
}

}  // namespace

machine_facts this_machine() {
  machine_facts facts;
  facts.cpu = value_in("/proc/cpuinfo", "model name", ':');
  facts.cores = std::thread::hardware_concurrency();
  facts.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  facts.os = operating_system();
#ifdef __clang__
  facts.compiler = __VERSION__;
#else
  facts.compiler = "g++ " __VERSION__;
#endif
  getloadavg(&facts.load, 1);
  return facts;
}

std::size_t allowed_cores() {
  const cpu_set_t cores = cores_of_this_thread();
  return static_cast<std::size_t>(CPU_COUNT(&cores));
}

void keep_on_cores(std::size_t count) {
  cpu_set_t cores = cores_of_this_thread();
  std::size_t kept = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores) && ++kept > count) CPU_CLR(core, &cores);
  }
  if (sched_setaffinity(0, sizeof(cores), &cores) != 0) {
    throw std::system_error(errno, std::generic_category(), "The cores could not be chosen");
  }
}

std::string built_commit() { return built_commit_text; }

}  // namespace hocket::bench
