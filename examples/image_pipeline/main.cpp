// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <filesystem>
#include <stdexcept>
#include <stop_token>

#include <fmt/format.h>

#include "common/command_line.hpp"
#include "common/device_work.hpp"
#include "common/ending.hpp"
#include "common/files.hpp"
#include "common/interrupt.hpp"
#include "common/machine_choice.hpp"
#include "common/standard_streams.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"

namespace image_pipeline {

namespace {

using namespace hocket;

struct options {
  std::size_t frames = 60;
  std::size_t rows = 480;
  std::size_t columns = 640;
  std::size_t in_flight = 4;
  std::string folder;
  bool without_check = false;
  examples::machine_choice on;
  std::string json;
};

struct outcome {
  double seconds = 0;
  std::size_t submitted = 0;  ///< fewer frames than asked for if the run was interrupted
  bool checked = false;
  std::vector<device_report> work;
};

/// Runs the pipeline until all frames are through, or until those that are under way when a stop is
/// requested are.
outcome process(const options& given, frame_log& log, const std::stop_token& stop) {
  runtime_options machine = examples::options_for(given.on);
  // A thread that submits waits here, before it has gone far ahead of the frames in flight.
  machine.max_pending = pipeline::tasks_of_frame * (given.in_flight + 1);
  runtime rt(machine);
  pipeline stages(rt, {given.rows, given.columns, given.folder}, given.in_flight, log);
  const runtime_report begin = rt.report();
  outcome made;
  progress_line shown(given.frames);
  while (made.submitted < given.frames && !stop.stop_requested()) {
    stages.submit(made.submitted++);
    shown.show(log.finished());
  }
  rt.wait();
  const runtime_report end = rt.report();
  made.seconds = examples::seconds_of(end.now - begin.now);
  made.work = examples::work_between(begin, end);
  return made;
}

void compare_with_serial_run(const options& given, const frame_log& log) {
  for (std::size_t frame = 0; frame < given.frames; ++frame) {
    if (log.hashes()[frame] == serial_hash(frame, given.rows, given.columns)) continue;
    throw std::runtime_error(fmt::format(
        "Frame {} differs from that of a serial run; all pixels must be equal.", frame));
  }
}

std::string text_of(const options& given, const frame_log& log, const outcome& made) {
  std::string text =
      fmt::format("{} frames of {} x {}: {:.4g} s, {:.4g} frames/s", made.submitted, given.columns,
                  given.rows, made.seconds, static_cast<double>(made.submitted) / made.seconds);
  if (given.on.simulated()) text += " on the virtual clock of " + given.on.machine;
  if (!given.on.simulated()) text += fmt::format("; at most {} in flight", log.most_in_flight());
  if (made.checked) text += "; all pixels are those of a serial run";
  return text + "\n\n" + examples::table_of(made.work, made.seconds);
}

void report(const options& given, const frame_log& log, const outcome& made) {
  boost::json::object json{
      {"frames", made.submitted},
      {"rows", given.rows},
      {"columns", given.columns},
      {"machine", given.on.name()},
      {"checked", made.checked},
      {"seconds", made.seconds},
      {"frames_per_second", static_cast<double>(made.submitted) / made.seconds},
      {"devices", examples::json_of(made.work)}};
  if (!given.on.simulated()) json["most_in_flight"] = log.most_in_flight();
  examples::publish(text_of(given, log, made), boost::json::serialize(json), given.json);
}

void add_options(CLI::App& line, options& into) {
  constexpr std::size_t longest = 65536;
  examples::add_number(line, "--frames", into.frames, 1, 1'000'000, "How many frames there are");
  examples::add_number(line, "--rows", into.rows, 1, longest, "Rows of a frame");
  examples::add_number(line, "--columns", into.columns, 1, longest, "Columns of a frame");
  examples::add_number(line, "--in-flight", into.in_flight, 1, 1000,
                       "How many frames are between the first and the last stage at most");
  examples::add_text(line, "--output", into.folder, "Write the results into this folder, as PGM")
      ->type_name("DIR");
  line.add_flag("--no-check", into.without_check, "Do not compare with a serial run");
  examples::add_machine_options(line, into.on);
  examples::add_json_option(line, into.json);
}

void run(const options& given, const std::stop_token& stop) {
  if (!given.folder.empty()) examples::make_folders(given.folder);
  frame_log log(given.frames);
  outcome made = process(given, log, stop);
  const bool interrupted = made.submitted < given.frames;
  made.checked = !given.on.simulated() && !given.without_check && !interrupted;
  if (made.checked) compare_with_serial_run(given, log);
  report(given, log, made);
  if (interrupted) throw std::runtime_error("Interrupted.");
}

}  // namespace

}  // namespace image_pipeline

int main(int argc, char** argv) {
  examples::reserve_standard_streams();
  examples::interrupt interrupted;  // before any other thread there is
  try {
    CLI::App line{"Finds the edges in a stream of images, on all devices.", "image_pipeline"};
    image_pipeline::options given;
    image_pipeline::add_options(line, given);
    if (examples::read_command_line(line, argc, argv)) {
      image_pipeline::run(given, interrupted.token());
    }
    return 0;
  } catch (...) {
    return examples::end_of_program("image_pipeline", interrupted.requested());
  }
}
