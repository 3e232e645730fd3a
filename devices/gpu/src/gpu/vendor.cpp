// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/vendor.hpp"

#include <algorithm>
#include <utility>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/execution/executor.hpp>

#include "gpu/device.hpp"
#include "gpu/errors.hpp"

namespace hocket::gpu {

namespace {

/// The answers of a driver that starts.
struct driver_answers {
  code why = success;  ///< why it does not start
  int version = 0;
  int devices = 0;
};

driver_answers ask(const api& functions) {
  constexpr int most = 4096;
  driver_answers made;
  made.why = functions.initialize(0);
  if (made.why == success) made.why = functions.driver_version(&made.version);
  if (made.why == success) made.why = functions.device_count(&made.devices);
  if (made.why == no_device) made = {success, made.version, 0};
  made.devices = made.why == success ? std::clamp(made.devices, 0, most) : 0;
  return made;
}

class vendor_backend final : public backend {
 public:
  explicit vendor_backend(std::unique_ptr<const vendor> who) : who_(std::move(who)) {}

  [[nodiscard]] std::string name() const override { return who_->backend(); }
  [[nodiscard]] found_devices find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& adopted) const override;
  [[nodiscard]] std::string why_none() const override;

 private:
  /// The state of a search for devices.
  struct search {
    options given;
    std::shared_ptr<driver> of;
    std::map<device_number, context_handle> adopted;  ///< by device
    bool has_peers = false;
    found_devices made = {};
  };

  void add_device(search& in, int ordinal) const;
  /// The sentence that says why devices are left out. Throws usage_error where a context of the
  /// program was to be used.
  void leave_out(found_devices& made, bool adopts, std::string why) const;

  std::unique_ptr<const vendor> who_;
};

void vendor_backend::leave_out(found_devices& made, bool adopts, std::string why) const {
  if (adopts) throw usage_error("A context in runtime_options::adopted cannot be used. " + why);
  made.left_out.push_back(std::move(why));
}

/// A device that is listed, or the sentence that says why it is left out.
void vendor_backend::add_device(search& in, int ordinal) const {
  const api& functions = in.of->functions();
  found_devices& made = in.made;
  device_number number = 0;
  const code listed = functions.device_get(&number, ordinal);
  if (listed != success) {
    made.left_out.push_back("The " + who_->title() + " device " + std::to_string(ordinal) +
                            " is left out: asked for it, its driver says " +
                            functions.name_of(listed) + ".");
    return;
  }
  const auto adopted = in.adopted.find(number);
  const bool is_adopted = adopted != in.adopted.end();
  std::string why;
  described found = who_->describe(*in.of, number, why);
  if (!why.empty()) {
    leave_out(made, is_adopted,
              "The " + who_->title() + " device \"" + name_of(functions, number) +
                  "\" is left out: it " + why + ".");
    return;
  }
  device_info info = found.info;
  info.name = who_->title() + std::to_string(made.usable.size());
  info.peer_copies = in.has_peers;
  if (in.given.memory) info.memory_bytes = std::min(info.memory_bytes, *in.given.memory);
  info.largest_binding = info.memory_bytes;
  const context_place at{in.of, number, found.architecture, found.machine_code,
                         is_adopted ? adopted->second : nullptr};
  made.usable.push_back(std::make_unique<device_candidate>(
      info,
      [=, limits = found.limits](const device_numbers& numbers, executor& where,
                                 completion_sink& sink) {
        return connect_device(info, limits, at, numbers, where, sink);
      },
      is_adopted));
}

found_devices vendor_backend::find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& adopted) const {
  const options given = who_->parse(configuration);
  const bool adopts = any_of_backend(adopted, name());
  if (where.is_virtual()) {  // what drivers do takes real time
    if (adopts) {
      throw usage_error("A context of " + who_->title() + " cannot be adopted on a virtual clock.");
    }
    return {};
  }
  found_devices made;
  const auto functions = who_->load_driver(given.driver);
  if (!functions) {
    if (given.driver || adopts) leave_out(made, adopts, functions.error().message());
    return made;
  }
  const driver_answers answers = ask(*functions.value());
  if (answers.why != success) {
    leave_out(made, adopts,
              who_->title() + " is left out: asked for its devices, its driver says " +
                  functions.value()->name_of(answers.why) + ".");
  }
  auto contexts = who_->adopted(*functions.value(), adopted);
  if (answers.devices == 0) return made;
  const auto compiles = who_->load_compiler(given.compiler, answers.version);
  if (!compiles) {
    leave_out(made, adopts,
              who_->title() + " is left out: its kernels cannot be compiled. " +
                  compiles.error().message());
    return made;
  }
  search in{
      given,
      std::make_shared<driver>(functions.value(), functions.value()->version_text(answers.version),
                               compiles.value(), who_->products(given, answers.version)),
      std::move(contexts), answers.devices > 1, std::move(made)};
  for (int d = 0; d < answers.devices; ++d) add_device(in, d);
  return std::move(in.made);
}

std::string vendor_backend::why_none() const {
  const auto functions = who_->load_driver(std::nullopt);
  if (!functions) return functions.error().message();
  const driver_answers answers = ask(*functions.value());
  const std::string driver = "The driver of " + who_->title();
  if (answers.why != success) {
    return driver + " is there, and does not start: it says " +
           functions.value()->name_of(answers.why) + "; " + who_->when_it_does_not_start() + ".";
  }
  if (answers.devices == 0) {
    return driver + " is there, and finds no device; " + who_->when_there_are_none() + ".";
  }
  const auto compiles = who_->load_compiler(std::nullopt, answers.version);
  if (!compiles) return compiles.error().message();
  return driver + " has no device that can be used.";
}

}  // namespace

std::optional<std::string> file_of(configuration_reader& reader, const std::string& backend,
                                   const char* key) {
  auto made = reader.text(key);
  if (made && made->empty()) {
    throw usage_error(in_quotes(key) + " in the configuration of " + backend +
                      " is \"\"; it must be the name or the path of a library.");
  }
  return made;
}

std::unique_ptr<const backend> backend_of(std::unique_ptr<const vendor> who) {
  return std::make_unique<vendor_backend>(std::move(who));
}

}  // namespace hocket::gpu
