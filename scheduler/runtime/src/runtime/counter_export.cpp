// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/counter_export.hpp"

#include <errno.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include <hocket/core/environment.hpp>

namespace hocket::detail {

namespace {

namespace json = boost::json;

/// The name of the program. Names of files may have any bytes, JSON and terminals take few.
std::string name_of_program() {
  std::string name = program_invocation_short_name;
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

json::object to_json(const device_report& of) {
  return {{"name", of.name},
          {"backend", of.backend},
          {"lanes", of.lanes},
          {"alive", of.alive},
          {"state", to_string(of.state)},
          {"kernels", of.kernels},
          {"busy_ns", of.busy.count()},
          {"bytes_in", of.bytes_in},
          {"bytes_out", of.bytes_out},
          {"used_bytes", of.used_bytes},
          {"memory_bytes", of.memory_bytes},
          {"queued", of.queued},
          {"in_flight", of.in_flight}};
}

std::string to_text(const runtime_counters& of) {
  json::array devices;
  for (const device_report& each : of.devices) devices.push_back(to_json(each));
  return json::serialize(json::object{{"hocket_counters", 1},
                                      {"program", name_of_program()},
                                      {"now_ns", of.now.count()},
                                      {"ended", of.ended},
                                      {"pending", of.pending},
                                      {"placed", of.are_placed},
                                      {"devices", std::move(devices)}});
}

}  // namespace

counter_export::counter_export(std::uint64_t runtime, read_counters read) : read_(std::move(read)) {
  file_.emplace(counter_folder(), runtime);
  thread_.emplace("hocket counters");
  thread_->post([this, &thread = *thread_] {
    write();
    write_later(thread);
  });
}

// thread_ is not looked at here: stop() may be about to empty it.
void counter_export::write_later(pump& thread) {
  constexpr std::chrono::milliseconds interval{250};
  thread.post_at(pump::clock::now() + interval, [this, &thread] {
    write();
    write_later(thread);
  });
}

void counter_export::write() {
  try {
    file_->write(to_text(read_()));
  } catch (const std::exception&) {
    // Memory is short now; the next write comes soon.
  }
}

void counter_export::stop() noexcept {
  const std::scoped_lock lock(stopping_);
  thread_.reset();
  file_.reset();
}

bool wants_counters() {
  const std::string asked = environment_variable("HOCKET_TOP").value_or("");
  return !asked.empty() && asked != "0";
}

}  // namespace hocket::detail
