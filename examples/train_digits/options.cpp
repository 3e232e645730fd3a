// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "options.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace train {

namespace {

constexpr std::uint64_t max_of_anything = 1'000'000;

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view allowed) {
  throw hocket::usage_error(
      fmt::format("{} is {}; it must be {}.", name, hocket::in_quotes(value), allowed));
}

std::size_t parse_count(std::string_view name, std::string_view text) {
  return hocket::parse_number(name, text, 1, max_of_anything);
}

/// A number of [least, end), or of (least, end) where least itself is not allowed.
double parse_real(std::string_view name, std::string_view text, double least, bool with_least,
                  double end) {
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), last, value);
  const bool high_enough = with_least ? value >= least : value > least;
  if (problem != std::errc() || stop != last || !high_enough || !(value < end)) {
    refuse(name, text,
           fmt::format("a number {} {} and below {}", with_least ? "of at least" : "above", least,
                       end));
  }
  return value;
}

template <class Choice, std::size_t Count>
Choice parse_choice(std::string_view name, std::string_view text,
                    const std::array<Choice, Count>& choices) {
  std::vector<std::string_view> names;
  for (const Choice choice : choices) {
    names.push_back(to_string(choice));
    if (names.back() == text) return choice;
  }
  refuse(name, text, fmt::format("one of {}", fmt::join(names, ", ")));
}

std::vector<std::string> parse_list(std::string_view name, std::string_view text,
                                    std::string_view allowed) {
  std::vector<std::string> parts = hocket::split(text, ',');
  for (const std::string& part : parts) {
    if (part.empty()) refuse(name, text, allowed);
  }
  if (parts.empty()) refuse(name, text, allowed);
  return parts;
}

std::vector<std::size_t> parse_sizes(std::string_view name, std::string_view text) {
  std::vector<std::size_t> sizes;
  constexpr std::string_view allowed = "sizes of layers such as 256,256";
  for (const std::string& part : parse_list(name, text, allowed)) {
    sizes.push_back(hocket::parse_number(name, part, 1, 65536));
  }
  return sizes;
}

std::filesystem::path parse_path(std::string_view name, const std::string& text) {
  if (text.empty()) refuse(name, text, "the name of a file or folder");
  return text;
}

/// Options whose texts are turned into values by functions of this file, so that every message has
/// the same form.
class command_line {
 public:
  explicit command_line(options& into) : into_(into) {
    app_.get_formatter()->column_width(34);
    app_.set_help_flag("-h,--help", "Print this and end");
    add_data();
    add_network();
    add_pipeline();
    add_machine();
    add_checkpoints();
    add_output();
  }

  CLI::App& app() { return app_; }

 private:
  using use = std::function<void(const std::string& name, const std::string& text)>;

  void add(const std::string& name, const std::string& value, const std::string& what, use set) {
    app_.add_option_function<std::string>(
            name, [name, set](const std::string& text) { set(name, text); }, what)
        ->type_name(value)
        ->group(group_);
  }

  void add_data() {
    group_ = "Data";
    add("--data", "DIR",
        "Look for data in this folder only (default: HOCKET_DATA_DIR, then the "
        "user's data folder)",
        [this](const auto& name, const auto& text) { into_.data = parse_path(name, text); });
    add("--dataset", "NAME", "mnist, optdigits or digits (default: the first of them there is)",
        [this](const auto& name, const auto& text) {
          constexpr std::array all{dataset_kind::mnist, dataset_kind::optdigits,
                                   dataset_kind::digits};
          into_.dataset = parse_choice(name, text, all);
        });
    app_.add_flag("--download", into_.download,
                  "Fetch MNIST into the user's data folder first, and use it")
        ->group(group_);
  }

  void add_network() {
    group_ = "Network and training";
    add("--hidden", "N,N,...", "Sizes of the hidden layers",
        [this](const auto& name, const auto& text) { into_.hidden = parse_sizes(name, text); });
    add("--batch", "N", "Images for one update of the weights",
        [this](const auto& name, const auto& text) { into_.batch = parse_count(name, text); });
    add("--epochs", "N", "How often every image is seen",
        [this](const auto& name, const auto& text) { into_.epochs = parse_count(name, text); });
    add("--learning-rate", "X", "Step of gradient descent",
        [this](const auto& name, const auto& text) {
          into_.learning_rate = parse_real(name, text, 0, false, 1000);
        });
    add("--momentum", "X", "Share of the last step that is kept (default: 0.9)",
        [this](const auto& name, const auto& text) {
          into_.momentum = parse_real(name, text, 0, true, 1);
        });
    add("--seed", "N", "Decides first weights and the order of images (default: 1)",
        [this](const auto& name, const auto& text) {
          into_.seed =
              hocket::parse_number(name, text, 0, std::numeric_limits<std::uint64_t>::max());
        });
  }

  void add_pipeline() {
    group_ = "Pipeline";
    add("--schedule", "NAME", "none, gpipe or 1f1b (default: 1f1b)",
        [this](const auto& name, const auto& text) {
          constexpr std::array all{schedule::none, schedule::gpipe, schedule::one_f_one_b};
          into_.pipeline = parse_choice(name, text, all);
        });
    add("--stages", "N", "Parts that the layers are cut into (default: the number of devices)",
        [this](const auto& name, const auto& text) { into_.stages = parse_count(name, text); });
    add("--devices", "NAME,...", "Devices of the stages, such as NUMA0,Sim0,Sim1",
        [this](const auto& name, const auto& text) {
          into_.devices = parse_list(name, text, "names of devices such as NUMA0,Sim0");
        });
    add("--micro-batches", "N", "Parts that a batch is cut into (default: 8)",
        [this](const auto& name, const auto& text) {
          into_.micro_batches = parse_count(name, text);
        });
    add("--clock", "NAME",
        "virtual or real (default: real where a driver has devices and no stage is simulated)",
        [this](const auto& name, const auto& text) {
          into_.clock =
              parse_choice(name, text, std::array{clock_kind::virtual_time, clock_kind::real});
        });
  }

  void add_backend(const std::string& text) {
    const std::size_t end = text.find('=');
    if (end == 0 || end == std::string::npos) {
      throw hocket::usage_error(fmt::format(
          "--backend is \"{}\"; it must be the name of a backend, =, and what it is told.", text));
    }
    const std::string backend = text.substr(0, end);
    if (!into_.backends.emplace(backend, text.substr(end + 1)).second) {
      throw hocket::usage_error(fmt::format(
          "--backend is given twice for \"{}\"; all that it is told goes into one.", backend));
    }
  }

  void add_machine() {
    group_ = "Machine";
    app_.add_option_function<std::vector<std::string>>(
            "--backend",
            [this](const std::vector<std::string>& all) {
              for (const std::string& text : all) add_backend(text);
            },
            "What a backend is told, such as opencl=sub-devices=2; once for each backend")
        ->type_name("NAME=TEXT")
        ->allow_extra_args(false)
        ->group(group_);
    add("--memory", "NAME", "shared or private: whether all devices get copies (default: shared)",
        [this](const auto& name, const auto& text) {
          if (text != "shared" && text != "private") {
            throw hocket::usage_error(
                fmt::format("{} is \"{}\"; it must be shared or private.", name, text));
          }
          into_.private_memory = text == "private";
        });
  }

  void add_checkpoints() {
    group_ = "Checkpoints";
    add("--checkpoint", "DIR", "Save the training in this folder now and then",
        [this](const auto& name, const auto& text) { into_.checkpoint = parse_path(name, text); });
    add("--checkpoint-every", "N", "Batches between two checkpoints (default: those of an epoch)",
        [this](const auto& name, const auto& text) {
          into_.steps_between_checkpoints = parse_count(name, text);
        });
    app_.add_flag("--resume", into_.resume,
                  "Go on from the newest checkpoint, if the folder has any")
        ->group(group_);
  }

  void add_output() {
    group_ = "Output";
    add("--trace", "FILE", "Write a timeline that Perfetto opens",
        [this](const auto& name, const auto& text) { into_.trace = parse_path(name, text); });
    add("--json", "FILE", "Write the results as JSON; - is standard output",
        [this](const auto& name, const auto& text) { into_.json = parse_path(name, text); });
    app_.add_flag("--quiet", into_.quiet, "Show no progress")->group(group_);
  }

  options& into_;
  std::string group_;
  CLI::App app_{
      "Trains a network on handwritten digits, pipelined over the devices of this machine.",
      "train_digits"};
};

void check_together(const options& given) {
  if (given.download && given.data) {
    throw hocket::usage_error(
        "--download and --data are both given; --download puts MNIST into the user's data folder.");
  }
  if (given.download && given.dataset && *given.dataset != dataset_kind::mnist) {
    throw hocket::usage_error(fmt::format("--dataset is \"{}\"; with --download it must be mnist.",
                                          to_string(*given.dataset)));
  }
  if (!given.checkpoint && (given.resume || given.steps_between_checkpoints)) {
    throw hocket::usage_error(
        fmt::format("{} is given without --checkpoint, which names the folder.",
                    given.resume ? "--resume" : "--checkpoint-every"));
  }
  if (given.json && given.trace && *given.json == *given.trace) {
    throw hocket::usage_error(
        fmt::format("--json and --trace are both \"{}\"; they must differ.", given.json->string()));
  }
}

/// What suits a data set when nothing is said.
struct suitable {
  std::vector<std::size_t> hidden;
  std::size_t batch = 0;
  std::size_t epochs = 0;
  double learning_rate = 0;
};

suitable suitable_for(dataset_kind kind) {
  if (kind == dataset_kind::mnist) return {{256, 256, 256}, 256, 8, 0.05};
  return {{128, 128, 128, 128}, 64, 30, 0.05};
}

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::string_view to_string(clock_kind kind) noexcept {
  return kind == clock_kind::real ? "real" : "virtual";
}

std::variant<options, text_to_print> parse_options(std::span<const char* const> arguments,
                                                   std::string_view version) {
  options given;
  command_line line(given);
  CLI::App& app = line.app();
  const std::string version_text = fmt::format("train_digits {}", version);
  app.set_version_flag("--version", version_text, "Print the version and end");
  // CLI11 takes them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return text_to_print{app.help()};
  } catch (const CLI::CallForVersion&) {
    return text_to_print{version_text + "\n"};
  } catch (const CLI::ParseError& problem) {
    throw hocket::usage_error(fmt::format("{}; --help prints the options.", problem.what()));
  }
  check_together(given);
  return given;
}

hyperparameters choose(const options& given, dataset_kind kind, std::size_t training_rows) {
  const suitable usual = suitable_for(kind);
  hyperparameters chosen;
  chosen.hidden = given.hidden.value_or(usual.hidden);
  chosen.micro_batches = given.micro_batches;
  chosen.batch = given.batch.value_or(round_up(usual.batch, given.micro_batches));
  chosen.epochs = given.epochs.value_or(usual.epochs);
  chosen.learning_rate = given.learning_rate.value_or(usual.learning_rate);
  chosen.momentum = given.momentum;
  if (chosen.batch % chosen.micro_batches != 0) {
    refuse("--batch", fmt::format("{}", chosen.batch),
           fmt::format("a multiple of --micro-batches ({})", chosen.micro_batches));
  }
  if (chosen.batch > training_rows) {
    refuse(given.batch ? "--batch" : "--micro-batches",
           fmt::format("{}", given.batch ? chosen.batch : chosen.micro_batches),
           fmt::format("at most {}, the number of images", training_rows));
  }
  return chosen;
}

}  // namespace train
