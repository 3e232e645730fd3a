// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "training_saver.hpp"

#include <utility>

#include <fmt/format.h>

namespace train {

namespace {

/// Gradients are not among them: each step makes them anew.
std::vector<hocket::named_buffer> learned_buffers(const model& network) {
  std::vector<hocket::named_buffer> made;
  const auto add = [&made](const auto& learned) {
    for (const auto& each : {learned.value, learned.velocity}) {
      made.emplace_back(each.label(), each);
    }
  };
  for (const dense& each : network.layers) {
    add(each.weights);
    add(each.bias);
  }
  return made;
}

}  // namespace

training_saver::training_saver(hocket::runtime& rt, const model& network, saving_plan plan,
                               position_texts identity, output say)
    : plan_(std::move(plan)),
      identity_(std::move(identity)),
      say_(std::move(say)),
      buffers_(learned_buffers(network)),
      saved_(rt, plan_.folder) {}

training_position training_saver::begin() {
  const std::optional<hocket::saved_checkpoint> found = saved_.newest();
  if (found && !plan_.resume) {
    throw hocket::usage_error(
        fmt::format("--checkpoint is \"{}\", which has checkpoints of a training; it must be a "
                    "folder without, or be given with --resume, which continues that training.",
                    plan_.folder.string()));
  }
  if (found) return resume(*found);
  if (plan_.resume) {
    say_(fmt::format("There is no checkpoint in \"{}\": the training begins anew.",
                     plan_.folder.string()));
  }
  return {};
}

training_position training_saver::resume(const hocket::saved_checkpoint& from) {
  for (const hocket::unusable_checkpoint& each : from.newer) {
    say_(fmt::format("\"{}\" is not used. {}", each.file.string(), each.why));
  }
  training_position at = position_in(from.position, identity_, from.file.string());
  if (at.steps > plan_.last_step) {
    throw hocket::usage_error(fmt::format(
        "The checkpoint \"{}\" was made after {} steps, and --epochs allows {}; it must "
        "allow as many at least.",
        from.file.string(), at.steps, plan_.last_step));
  }
  hocket::restore(from, buffers_);
  say_(fmt::format("The training goes on after {} of {} steps, from \"{}\".", at.steps,
                   plan_.last_step, from.file.string()));
  return at;
}

void training_saver::after_step(const training_position& at) {
  if (at.steps % plan_.steps_between != 0 && at.steps != plan_.last_step) return;
  if (last_.valid()) {
    if (const hocket::failure why = last_.error()) {
      say_(fmt::format("{} The training goes on.", why.message()));
    }
  }
  last_ = saved_.save(to_texts(identity_, at), buffers_);
}

void training_saver::finish() {
  if (last_.valid()) (void)last_.get();
}

}  // namespace train
