// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/sim.hpp>

namespace hocket {
namespace {

using std::chrono::microseconds;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    (void)parse_machine(text, "mine.json");
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(machine_file, is_read_in_full) {
  const sim_machine made = parse_machine(R"({
    "machine": "mine", "source": "a data sheet",
    "buses": {"switch": {"bandwidth": "25G", "duplex": false}},
    "devices": [
      {"model": "host", "shared": true, "flops": "0.5T", "lanes": 2},
      {"count": 2, "model": "card", "memory": "4G", "flops": "10T", "bandwidth": 1e12,
       "link": "12G", "latency": "10us", "bus": "switch", "kernels": {"potrf": 0.05}}]})",
                                         "mine.json");
  EXPECT_EQ(made.name, "mine");
  ASSERT_EQ(made.buses.size(), 1U);
  EXPECT_EQ(made.buses[0], (sim_bus{"switch", 25e9, false}));
  ASSERT_EQ(made.devices.size(), 3U);
  EXPECT_EQ(made.devices[0].model, "host");
  EXPECT_EQ(made.devices[0].lanes, 2U);
  EXPECT_TRUE(made.devices[0].shares_host_memory);
  EXPECT_EQ(made.devices[0].bus, std::nullopt);
  sim_options card;
  card.model = "card";
  card.memory_bytes = std::uint64_t{4} << 30U;
  card.flops_per_second = 10e12;
  card.memory_bytes_per_second = 1e12;
  card.link_bytes_per_second = 12e9;
  card.link_latency = microseconds(10);
  card.bus = 0;
  card.kernel_rates = {{"potrf", 0.05}};
  EXPECT_EQ(made.devices[1], card);
  EXPECT_EQ(made.devices[2], card);
}

TEST(machine_file, is_refused_with_the_place_and_what_is_allowed) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "is no JSON: line 1"},
      {"{\n\"machine\": \"a\",\n}", "is no JSON: line 3"},
      {"[]", "must be an object"},
      {"{}", "\"machine\""},
      {R"({"machine": "a"})", "no \"devices\""},
      {R"({"machine": "a", "devices": {}})", "must be a list"},
      {R"({"machine": "a", "devices": []})", "no \"devices\""},
      {R"({"machine": "a", "devices": [1]})", "devices[0] must be an object"},
      {R"({"machine": "a", "machines": 1, "devices": [{}]})", "the key \"machines\""},
      {R"({"machine": "a", "devices": [{}, {"count": 0}]})", "devices[1] has the count 0"},
      {R"({"machine": "a", "devices": [{"count": "two"}]})", "it must be 1 to 4096"},
      {R"({"machine": "a", "devices": [{"flops": "fast"}]})", "\"flops\" in machine \"mine.json\""},
      {R"({"machine": "a", "devices": [{"flops": []}]})", "a list or an object for \"flops\""},
      {R"({"machine": "a", "devices": [{"flops": null}]})", "has null for \"flops\""},
      {R"({"machine": "a", "source": 3, "devices": [{}]})", "\"source\", with a text"},
      {R"({"machine": "a", "devices": [{}], "devices": [{}]})",
       "the key \"devices\" twice: line 1"},
      {"{\"machine\": \"a\", \"devices\": [{},\n{\"flops\": 1, \"\\u0066lops\" : 2}]}",
       "the key \"flops\" twice: line 2"},
      {R"({"machine": "a", "buses": {"b": {"bandwidth": 1}, "b": {"bandwidth": 2}},
           "devices": [{}]})",
       "the key \"b\" twice"},
      {R"({"machine": "a", "devices": [{"speed": 1}]})", "the keys are: memory, flops"},
      {R"({"machine": "a", "devices": [{"bus": "none"}]})", "the bus \"none\""},
      {R"({"machine": "a", "buses": {"b": {}}, "devices": [{}]})", "bus \"b\" needs"},
      {R"({"machine": "a", "devices": [{"kernels": {"gemm": 0}}]})", "for the kernel \"gemm\""},
      {R"({"machine": "a", "devices": [{"kernels": {"gemm": 1e400}}]})", "\"gemm\" in machine"},
      {R"({"machine": "a", "devices": [{"count": 4096}, {"count": 4096}, {"count": 4096},
                                       {"count": 4096}, {}]})",
       "has 16385 devices or more; there may be at most 16384"},
      {R"({"machine": "a", "\u001b[2J": 1, "devices": [{}]})", "the key \"?[2J\""},
  };
  for (const auto& [text, said] : wrong) EXPECT_THAT(refusal(text), HasSubstr(said)) << text;
}

TEST(machine_file, may_have_a_key_in_several_objects_and_in_texts) {
  const sim_machine made = parse_machine(R"({"machine": "a", "source": "\"machine\": \\",
    "devices": [{"model": "model", "kernels": {"flops": 1}}, {"model": "b:", "flops": 1}]})",
                                         "mine.json");
  EXPECT_EQ(made.devices.size(), 2U);
  EXPECT_EQ(made.devices[1].model, "b:");
}

TEST(machine_file, is_written_with_what_has_no_effect_as_well) {
  sim_machine made{.name = "mine", .devices = {sim_options{}}, .buses = {}};
  made.devices[0].kernel_rates = {{"potrf", 0.1 + 0.2}};
  made.devices[0].deviation = {.noise = 0, .first_factor = 3, .later = microseconds(7)};
  EXPECT_EQ(parse_machine(to_json(made, "itself"), "mine.json"), made);
}

TEST(machine_file, is_no_folder_and_no_device_without_an_end) {
  for (const std::string path : {"/", "/dev/zero"}) {
    try {
      (void)find_machine(path);
      ADD_FAILURE() << path;
    } catch (const usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("The machine \"" + path + "\" is neither a file"));
    }
  }
}

TEST(machine_file, is_found_by_its_name_or_its_path) {
  for (const std::string& name : built_in_machines()) {
    const sim_machine made = find_machine(name);
    EXPECT_EQ(made.name, name);
    EXPECT_FALSE(made.devices.empty());
    EXPECT_EQ(parse_machine(to_json(made, "itself"), name), made) << "written and read again";
  }
  EXPECT_EQ(find_machine("1024-gpus").devices.size(), 1025U);
  const std::string path = ::testing::TempDir() + "machine_file_test.json";
  std::ofstream(path) << R"({"machine": "of a file", "devices": [{}]})";
  EXPECT_EQ(parse_sim_configuration("machine=" + path).devices.size(), 1U);
  try {
    (void)find_machine("no such machine");
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("4xa100-pcie"));
  }
}

}  // namespace
}  // namespace hocket
