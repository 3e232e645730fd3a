// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "hub.hpp"

#include "fault_stream.hpp"

namespace hocket::faults {

void hub::add(stream_id number, std::shared_ptr<fault_stream> made) {
  const std::lock_guard lock(guard_);
  streams_.insert_or_assign(number, std::move(made));
}

void hub::close() {
  for (const std::shared_ptr<fault_stream>& each : all()) each->close();
  const std::lock_guard lock(guard_);
  streams_.clear();
}

std::shared_ptr<fault_stream> hub::find(stream_id number) const {
  const std::lock_guard lock(guard_);
  const auto at = streams_.find(number);
  return at == streams_.end() ? nullptr : at->second;
}

hub::stream_list hub::all() const {
  stream_list made;
  const std::lock_guard lock(guard_);
  for (const auto& [number, each] : streams_) made.push_back(each);
  return made;
}

void hub::step_all() {
  for (const std::shared_ptr<fault_stream>& each : all()) each->step();
}

}  // namespace hocket::faults
