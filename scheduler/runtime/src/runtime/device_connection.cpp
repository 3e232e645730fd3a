// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/device_connection.hpp"

#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include <hocket/core/environment.hpp>
#include <hocket/core/printable.hpp>

#include "runtime/run_report.hpp"

namespace hocket::detail {

namespace {

/// True if nothing is to be placed: the host is the only device, with all its cores and its memory.
bool is_host_alone(const device_set& machine, const executor& where) {
  const placement::machine& all = machine.description();
  if (all.memories.size() != 1 || all.devices.size() != 1) return false;
  const device_info& only = machine.infos().front();
  return only.shares_host_memory && only.formats == std::vector{kernel_format::host} &&
         only.lanes == where.workers(only.arena);
}

in_place_runtime::host_part host_part_of(device_set& machine) {
  const device_info& host = machine.infos().front();
  return {.arena = host.arena,
          .memory = machine.blocks().host_memory(),
          .alignment = machine.blocks().host_alignment(),
          .device_name = host.name,
          .capacity = machine.description().memories.front().capacity};
}

std::unique_ptr<placement::device_chooser> chooser_for(const runtime_options& options) {
  if (options.own_policy != nullptr) {
    if (options.policy.empty()) return placement::make_chooser(options.own_policy);
    throw usage_error("runtime_options::policy is " + in_quotes(options.policy) +
                      ", and own_policy is given as well; only one of them can choose.");
  }
  if (!options.policy.empty()) {
    return placement::make_chooser(options.policy, "runtime_options::policy");
  }
  return placement::make_chooser(environment_variable("HOCKET_POLICY").value_or(""),
                                 "HOCKET_POLICY");
}

void warn_of_faults(const fault_plan& plan) {
  const std::size_t rules = plan.rules().size();
  std::fprintf(stderr, "hocket: faults are injected by %zu rule%s of %s.\n", rules,
               rules == 1 ? "" : "s", plan.source().c_str());
}

}  // namespace

device_connection::device_connection(const runtime_options& options, data_runtime& home,
                                     event_pump& events, std::function<void()> when_opened)
    : options_(options),
      names_(options.devices.text()),
      source_of_names_("runtime_options::devices"),
      home_(home),
      events_(events),
      when_opened_(std::move(when_opened)),
      chooser_(chooser_for(options)),
      faults_(options.faults.empty() ? nullptr : std::make_unique<fault_injector>(options.faults)),
      checks_(options.integrity == integrity_kind::none ? nullptr
                                                        : std::make_unique<copy_checker>()) {
  if (!names_.empty()) return;
  names_ = environment_variable("HOCKET_VISIBLE_DEVICES").value_or("");
  source_of_names_ = "HOCKET_VISIBLE_DEVICES";
}

void device_connection::connect() {
  // Not std::call_once, which uses thread-local variables around the call.
  const std::scoped_lock lock(connecting_);
  // The lock orders this: relaxed.
  if (is_connected_.load(std::memory_order_relaxed)) return;
  const device_set::between in_between{faults_.get(), checks_.get()};
  machine_ =
      std::make_unique<device_set>(names_, source_of_names_, options_.backends, options_.adopted,
                                   options_.private_memory, in_between, home_.where(), events_);
  if (faults_ != nullptr) warn_of_faults(options_.faults);
  if (runs_in_place()) {
    in_place_ = std::make_unique<in_place_runtime>(home_, host_part_of(*machine_));
  } else {
    // Devices with faults take other times than they do without.
    const std::string costs = faults_ == nullptr ? options_.costs : "off";
    costs_ = cost_keeper::make(costs, *machine_, home_.where());
    const std::size_t decisions = options_.trace_decisions ? options_.trace_capacity : 0;
    events_.open(
        *machine_,
        {.spans = options_.trace_capacity, .decisions = decisions, .notes = wants_summary()},
        std::move(chooser_), costs_.get(), recovery());
  }
  if (machine_->have_drivers()) when_opened_();
  // Pairs with the acquire in in_place().
  is_connected_.store(true, std::memory_order_release);
}

placement::recovery_limits device_connection::recovery() const {
  placement::recovery_limits made;
  // A second run needs a memory of its own.
  if (machine_->description().memories.size() > 1) made.speculation = options_.speculation;
  if (!std::ranges::any_of(machine_->infos(), &device_info::can_be_lost)) return made;
  made.hang_timeout = options_.hang_timeout;
  if (options_.resilience == resilience_kind::survive) {
    made.max_logged = options_.max_repeated;
    made.max_attempts = options_.max_attempts;
    made.quarantine = options_.quarantine;
  }
  return made;
}

bool device_connection::runs_in_place() const {
  const executor& where = home_.where();
  const bool possible = is_host_alone(*machine_, where) && faults_ == nullptr;
  switch (options_.data_tasks) {
    case data_path::placed:
      return false;
    case data_path::in_place:
      if (possible) return true;
      throw usage_error(
          "runtime_options::data_tasks is data_path::in_place, for which there has to be one "
          "device only, with all cores of the host and its memory, and no plan of faults.");
    case data_path::automatic:
      break;
  }
  // The trace, and time that is modelled, are the engine's.
  return possible && !where.is_virtual() && options_.trace_capacity == 0;
}

device_handle device_connection::device(std::string_view name) {
  const std::vector<device_info>& infos = machine().infos();
  std::string known;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return {device_id{i}, home_.number()};
    known += (known.empty() ? "" : ", ") + infos[i].name;
  }
  throw usage_error("There is no device " + in_quotes(name) + "; this runtime uses " + known + ".");
}

std::size_t device_connection::arena_of(device_id device, const std::string& name) {
  const device_info& info = machine().infos()[device.value];
  if (machine().description().devices[device.value].runs_host_tasks) return info.arena;
  throw usage_error(name + " is a function without accesses and cannot run on " + info.name + ".");
}

void device_connection::keep_costs() noexcept {
  if (!is_connected() || costs_ == nullptr) return;
  placement::measured_costs measured;
  try {
    events_.inspect([&](const placement::engine& e) { measured = e.state().costs.learned(); });
    costs_->keep(measured);
  } catch (const std::exception&) {
    // There is no memory for them: later processes measure again.
  }
}

void device_connection::tell_unmet_faults() const noexcept {
  if (!is_connected() || faults_ == nullptr) return;
  for (const std::string& sentence : faults_->unmet()) {
    std::fprintf(stderr, "hocket: %s\n", sentence.c_str());
  }
}

void device_connection::end() noexcept {
  in_place_.reset();
  machine_.reset();
}

void device_connection::leave_behind() noexcept {
  (void)in_place_.release();
  (void)costs_.release();
  (void)faults_.release();
  (void)checks_.release();
  (void)machine_.release();
}

}  // namespace hocket::detail
