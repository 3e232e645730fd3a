// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/configuration.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/sim.hpp>

namespace hocket {
namespace {

using std::chrono::microseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

template <class Function>
std::string refusal(Function&& f) {
  try {
    f();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(configuration_reader, reads_each_kind_of_value) {
  configuration_reader r("sim", "n=3,m=2K,f=1.5G,t=2us,y=yes");
  EXPECT_EQ(r.number("n", 1, 9), 3U);
  EXPECT_EQ(r.bytes("m"), 2048U);
  EXPECT_EQ(r.rate("f"), 1.5e9);
  EXPECT_EQ(r.duration("t"), microseconds(2));
  EXPECT_EQ(r.flag("y"), true);
  EXPECT_EQ(r.flag("absent"), std::nullopt);
  r.finish();
}

TEST(configuration_reader, names_key_value_and_what_is_allowed) {
  configuration_reader r("sim", "n=10,m=lots,f=-1,t=3,y=maybe,other=1");
  const auto mentions = [](const char* key, const char* value, const char* allowed) {
    return AllOf(HasSubstr("sim"), HasSubstr(key), HasSubstr(value), HasSubstr(allowed));
  };
  EXPECT_THAT(refusal([&] { (void)r.number("n", 1, 9); }), mentions("\"n\"", "\"10\"", "1 to 9"));
  EXPECT_THAT(refusal([&] { (void)r.bytes("m"); }), mentions("\"m\"", "\"lots\"", "512M"));
  EXPECT_THAT(refusal([&] { (void)r.rate("f"); }), mentions("\"f\"", "\"-1\"", "1.5G"));
  EXPECT_THAT(refusal([&] { (void)r.duration("t"); }), mentions("\"t\"", "\"3\"", "2us"));
  EXPECT_THAT(refusal([&] { (void)r.flag("y"); }), mentions("\"y\"", "\"maybe\"", "yes or no"));
  EXPECT_THAT(refusal([&] { r.finish(); }), mentions("other=1", "keys are", "n, m, f, t, y"));
}

TEST(configuration_reader, refuses_rates_by_which_times_are_no_numbers) {
  for (const char* text : {"f=1e31", "f=1e300T", "f=1e-19", "f=nan", "f=inf", "f=1e400"}) {
    EXPECT_THAT(refusal([&] { (void)configuration_reader("sim", text).rate("f"); }),
                HasSubstr("from 1e-18 to 1e30"))
        << text;
  }
  EXPECT_EQ(configuration_reader("sim", "f=1e18T").rate("f"), 1e30);
  EXPECT_EQ(configuration_reader("sim", "f=0").rate("f"), 0.0);
}

TEST(configuration_reader, shows_values_on_one_line_and_cut) {
  const std::string flag = refusal([] {
    (void)configuration_reader("sim", "y=\x1b[2J\n" + std::string(10'000, 'x')).flag("y");
  });
  EXPECT_THAT(flag, HasSubstr("is \"?[2J?xxx"));
  EXPECT_THAT(flag, HasSubstr("xxx...\"; it must be yes or no."));
  EXPECT_LT(flag.size(), 600U);
}

TEST(configuration_reader, refuses_what_is_no_list_of_keys) {
  for (const char* text : {"a", "=1", "a=1,", ",a=1", "a=1,,b=2"}) {
    EXPECT_THAT(refusal([&] { configuration_reader("cpu", text); }), HasSubstr("key=value"))
        << text;
  }
  EXPECT_THAT(refusal([] { configuration_reader("cpu", "a=1,a=2"); }),
              HasSubstr("\"a\" is given twice"));
  for (const char* text : {"t=nan", "t=inf", "t=1e30s", "t=us", "t=", "t=1 us"}) {
    EXPECT_NE(refusal([&] { (void)configuration_reader("cpu", text).duration("t"); }), "") << text;
  }
}

TEST(sim_configuration, is_read_in_full) {
  const auto devices = parse_sim_configuration(
                           "2,memory=64M,flops=10G,bandwidth=100G,link=5G,latency=5us,launch=2us,"
                           "lanes=3,depth=4,execute=no,shared=yes,peer_link=50G,peer_latency=1us;1")
                           .devices;
  ASSERT_EQ(devices.size(), 3U);
  sim_options expected;
  expected.memory_bytes = 64U << 20U;
  expected.flops_per_second = 10e9;
  expected.memory_bytes_per_second = 100e9;
  expected.link_bytes_per_second = 5e9;
  expected.link_latency = microseconds(5);
  expected.peer_bytes_per_second = 50e9;
  expected.peer_latency = microseconds(1);
  expected.launch_latency = microseconds(2);
  expected.lanes = 3;
  expected.depth = 4;
  expected.execute = false;
  expected.shares_host_memory = true;
  EXPECT_EQ(devices[0], expected);
  EXPECT_EQ(devices[1], expected);
  EXPECT_EQ(devices[2], sim_options());
  EXPECT_TRUE(parse_sim_configuration("").devices.empty());
  EXPECT_EQ(parse_sim_configuration("1,flops=0").devices[0].flops_per_second, std::nullopt);
}

TEST(sim_configuration, is_refused_where_it_is_wrong) {
  for (const char* text : {"0", "x", "flops=1G", "1;", ";1", "1,", "1,flops", "1,flops=fast",
                           "1,lanes=0", "1,colour=red", "-1", "1,memory=1G,memory=2G"}) {
    EXPECT_NE(refusal([&] { (void)parse_sim_configuration(text); }), "") << text;
  }
  EXPECT_THAT(refusal([] { (void)parse_sim_configuration("two"); }),
              AllOf(HasSubstr("number of devices"), HasSubstr("\"two\""), HasSubstr("1 to ")));
}

}  // namespace
}  // namespace hocket
