// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <chrono>
#include <exception>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hocket/hocket.hpp>

#include "batches.hpp"
#include "common/ending.hpp"
#include "common/files.hpp"
#include "common/interrupt.hpp"
#include "common/standard_streams.hpp"
#include "download.hpp"
#include "machine.hpp"
#include "model.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "timing.hpp"
#include "training.hpp"
#include "training_saver.hpp"

namespace train {

namespace {

void say(std::string_view line) { examples::say(fmt::format("{}\n", line)); }

data_source choose_data(options& given, const std::stop_token& stop) {
  const data_places places = data_places::from_environment();
  if (given.download) {
    const std::filesystem::path folder = download_folder(places);
    download(mnist_source(), folder, say, stop);
    given.data = folder;
    given.dataset = dataset_kind::mnist;
  }
  return find_data(places, given.data, given.dataset);
}

/// What the trace must hold: the last steps, whose tasks and copies are fewer than this.
std::size_t trace_capacity(const options& given, const hyperparameters& how) {
  constexpr std::size_t records_of_layer = 16;
  constexpr std::size_t records_of_file = 65536;
  const std::size_t steps =
      steps_of_log * how.micro_batches * (how.hidden.size() + 1) * records_of_layer;
  return given.trace ? std::max(steps, records_of_file) : steps;
}

std::string header(const options& given, clock_kind clock, const hyperparameters& how,
                   const split& data, const std::vector<layer>& layers,
                   const std::vector<stage_device>& devices, const model& network) {
  std::vector<std::size_t> sizes{layers.front().inputs};
  std::size_t parameters = 0;
  for (const layer& each : layers) {
    sizes.push_back(each.outputs);
    parameters += (each.inputs + 1) * each.outputs;
  }
  std::vector<std::size_t> cut;
  for (const stage& each : network.stages) cut.push_back(each.layers.end - each.layers.begin);
  return fmt::format(
      "{}\n"
      "network   {}: {} parameters; layers of the stages: {}\n"
      "training  {} epochs, batch {} = {} micro-batches of {}, learning rate {}, momentum {}, seed "
      "{}\n"
      "pipeline  schedule {}, {} clock, {}",
      data.description, fmt::join(sizes, "-"), parameters, fmt::join(cut, " + "), how.epochs,
      how.batch, how.micro_batches, how.micro_batch_rows(), how.learning_rate, how.momentum,
      given.seed, to_string(given.pipeline), to_string(clock), to_string(devices, clock));
}

std::vector<device_report> reports_of(const hocket::runtime_report& report,
                                      const std::vector<stage_device>& stages) {
  double flops = 0;
  for (const hocket::device_report& each : report.devices) flops += each.flops;
  const double time = std::chrono::duration<double>(report.now).count();
  std::vector<device_report> made;
  for (const stage_device& stage : stages) {
    const hocket::device_report& each = report.devices[stage.handle.id.value];
    const double busy = std::chrono::duration<double>(each.busy).count();
    const double span = time * static_cast<double>(each.lanes);
    // A training that is resumed at its end runs no kernel.
    made.push_back({each.name, each.backend, each.kernels, span > 0 ? busy / span : 0,
                    each.bytes_in, each.bytes_out, each.peak_bytes,
                    flops > 0 ? each.flops / flops : 0});
  }
  return made;
}

/// Messages of the program that are no progress: they come in quiet runs too.
void tell(std::string_view line) { say(fmt::format("train_digits: {}", line)); }

/// Runs the training, from its checkpoint and into new ones if the command line asks for that.
training_log run(hocket::runtime& rt, const model& network, const dataset& data, training_plan plan,
                 training_saver* saver, progress& shown) {
  if (saver == nullptr) return run_training(rt, network, data, plan, shown);
  plan.begin = saver->begin();
  plan.after_step = [saver](const training_position& at) { saver->after_step(at); };
  return run_training(rt, network, data, plan, shown);
}

std::optional<training_saver> saver_for(hocket::runtime& rt, const model& network,
                                        const options& given, const hyperparameters& how,
                                        dataset_kind kind, const dataset& data) {
  if (!given.checkpoint) return std::nullopt;
  const std::size_t steps = steps_of_epoch(data, how);
  return std::optional<training_saver>(
      std::in_place, rt, network,
      saving_plan{*given.checkpoint, given.resume, given.steps_between_checkpoints.value_or(steps),
                  steps * how.epochs},
      identity_of(how, kind, given.seed, data), tell);
}

void train_and_report(options given, const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  const data_source source = choose_data(given, stop);
  if (!given.quiet) say(to_string(source));
  const split data = load(source);
  const hyperparameters how = choose(given, source.kind, data.train.rows);
  const std::vector<layer> layers = make_layers(data.train.columns, how.hidden, data.train.classes);

  const clock_kind clock = clock_for(given);
  hocket::runtime rt(machine_for(given, clock, trace_capacity(given, how)));
  const std::vector<stage_device> devices = devices_of_stages(rt, given, clock);
  const model network = make_model(rt, layers, devices, how, given.pipeline, given.seed);
  if (!given.quiet) say(header(given, clock, how, data, layers, devices, network));

  std::optional<training_saver> saver = saver_for(rt, network, given, how, source.kind, data.train);
  progress shown(progress_view::of_standard_error(given.quiet));
  const training_log log = run(rt, network, data.train, {how, given.pipeline, given.seed, stop},
                               saver ? &*saver : nullptr, shown);
  const hocket::trace_snapshot trace = rt.trace();
  const pipeline_timing timing =
      measure(trace, log.steps, given.pipeline, network.stages.size(), how.micro_batches);

  run_report report;
  report.devices = reports_of(rt.report(), devices);
  report.test_accuracy = test_accuracy(rt, network, data.test);
  report.weights_hash = hash_of_weights(network);
  report.bubble = timing.bubble;
  report.bubble_theory = timing.bubble_theory;
  report.transfers_hidden = timing.transfers_hidden;
  report.epochs = how.epochs;
  report.loss = log.loss;
  report.seed = given.seed;
  report.schedule = to_string(given.pipeline);
  report.clock = to_string(clock);
  report.dataset = to_string(source.kind);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  publish(report, given.json);
  if (given.trace) hocket::write_trace(trace, given.trace->string());
  if (saver) saver->finish();
}

}  // namespace

}  // namespace train

int main(int argc, char** argv) {
  examples::reserve_standard_streams();
  examples::interrupt interrupted;  // before any other thread there is
  try {
    const auto said = train::parse_options({argv + 1, argv + argc}, HOCKET_VERSION);
    if (const auto* text = std::get_if<train::text_to_print>(&said)) {
      examples::write_file("-", text->text);
      return 0;
    }
    train::train_and_report(std::get<train::options>(said), interrupted.token());
    return 0;
  } catch (...) {
    return examples::end_of_program("train_digits", interrupted.requested());
  }
}
