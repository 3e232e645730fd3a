// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/registry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include <hocket/core/error.hpp>
#include <hocket/devices/cpu.hpp>
#include <hocket/devices/pci_address.hpp>
#include <hocket/devices/sim.hpp>
#include <hocket/execution/seeded_executor.hpp>

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class registry : public ::testing::Test {
 protected:
  registry() {
    backends.push_back(make_cpu_backend());
    backends.push_back(make_sim_backend());
  }
  [[nodiscard]] found_devices find(const backend_configurations& given = {{"sim", "3"}}) const {
    return find_devices(backends, where, given);
  }
  static std::vector<std::string> names(const candidate_list& devices) {
    std::vector<std::string> made;
    for (const auto& d : devices) made.push_back(d->info().name);
    return made;
  }
  static std::vector<std::string> names(const found_devices& devices) {
    return names(devices.usable);
  }
  [[nodiscard]] std::string refusal(std::string_view selection) const {
    return refusal(find(), selection);
  }
  static std::string refusal(found_devices found, std::string_view selection) {
    try {
      (void)select_devices(std::move(found), selection);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  }

  seeded_executor where{{.workers = {2, 3}}};
  backend_list backends;
};

TEST_F(registry, finds_the_devices_of_all_backends_in_order) {
  EXPECT_THAT(names(find()), ElementsAre("NUMA0", "NUMA1", "Sim0", "Sim1", "Sim2"));
  EXPECT_THAT(names(find({})), ElementsAre("NUMA0", "NUMA1"));
}

TEST_F(registry, asks_only_the_backends_that_are_named) {
  backends = select_backends(std::move(backends), "sim");
  EXPECT_THAT(names(find()), ElementsAre("Sim0", "Sim1", "Sim2"));
  backends = select_backends(std::move(backends), "");
  ASSERT_EQ(backends.size(), 1U);
  try {
    (void)select_backends(std::move(backends), "sim,abacus");
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("HOCKET_BACKENDS"), HasSubstr("\"abacus\"")));
  }
}

TEST_F(registry, opens_no_driver_for_devices_that_others_have) {
  class untouched final : public backend {
   public:
    [[nodiscard]] std::string name() const override { return "untouched"; }
    [[nodiscard]] found_devices find(const executor& /*where*/,
                                     const std::string& /*configuration*/,
                                     const adopted_contexts& /*adopted*/) const override {
      throw std::logic_error("asked");
    }
    [[nodiscard]] std::string why_none() const override { return ""; }
  };
  backends.push_back(std::make_unique<untouched>());
  const auto find = [&](const backend_configurations& given, std::string_view wanted) {
    return names(find_devices(backends, where, given, wanted));
  };
  EXPECT_THAT(find({}, "NUMA1"), ElementsAre("NUMA0", "NUMA1"));
  EXPECT_THAT(find({{"sim", "1"}}, "NUMA0,Sim0"), ElementsAre("NUMA0", "NUMA1", "Sim0"));
  EXPECT_THROW((void)find({{"sim", "1"}}, "NUMA0,Sim1"), std::logic_error) << "it might have it";
  EXPECT_THROW((void)find({}, ""), std::logic_error);
  EXPECT_THROW((void)find({{"sim", "-"}}, "NUMA0"), usage_error) << "what is wrong is said";
}

/// Has devices at these places of the bus.
class on_the_bus final : public backend {
 public:
  on_the_bus(std::string name, std::vector<std::string> places, bool are_adopted = false)
      : name_(std::move(name)), places_(std::move(places)), are_adopted_(are_adopted) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] found_devices find(const executor& /*where*/, const std::string& /*configuration*/,
                                   const adopted_contexts& /*adopted*/) const override {
    found_devices made;
    for (const std::string& place : places_) {
      device_info info;
      info.name = name_ + std::to_string(made.usable.size());
      info.backend = name_;
      info.pci = place;
      made.usable.push_back(std::make_unique<device_candidate>(info, nullptr, are_adopted_));
    }
    return made;
  }
  [[nodiscard]] std::string why_none() const override { return ""; }

 private:
  std::string name_;
  std::vector<std::string> places_;
  bool are_adopted_;
};

TEST_F(registry, uses_a_chip_as_the_program_has_asked_for) {
  const std::string first = pci_address({0, 1, 0, 0}), second = pci_address({0, 2, 0, 0});
  backends.clear();
  backends.push_back(std::make_unique<on_the_bus>("a", std::vector{first, second}));
  backends.push_back(std::make_unique<on_the_bus>("b", std::vector{first, first}, true));
  backends.push_back(std::make_unique<on_the_bus>("c", std::vector{first, second}));
  const found_devices found = find({});
  EXPECT_THAT(names(found), ElementsAre("a1", "b0", "b1"));
  ASSERT_EQ(found.twins.size(), 3U);
  EXPECT_THAT(found.twins[0].text(), HasSubstr("a0 () is the same chip as b0"));
  EXPECT_THAT(found.twins[1].text(), HasSubstr("c0 () is the same chip as b0"));
  EXPECT_THAT(found.twins[2].text(), HasSubstr("c1 () is the same chip as a1"));
}

TEST_F(registry, refuses_what_no_backend_adopts) {
  backends.clear();
  EXPECT_THROW((void)find_devices(backends, where, {}, "", {opencl_context{}}), usage_error);
}

TEST_F(registry, uses_a_chip_through_one_backend_unless_devices_are_named) {
  const std::string first = pci_address({0, 1, 0, 0}), second = pci_address({0, 2, 0, 0});
  const std::string nowhere = pci_address({});
  backends.clear();
  backends.push_back(std::make_unique<on_the_bus>("a", std::vector{first, first, nowhere}));
  backends.push_back(std::make_unique<on_the_bus>("b", std::vector{nowhere, second, first}));
  backends.push_back(std::make_unique<on_the_bus>("c", std::vector{second}));
  const found_devices found = find({});
  EXPECT_THAT(names(found), ElementsAre("a0", "a1", "a2", "b0", "b1")) << "those of a are parts";
  ASSERT_EQ(found.twins.size(), 2U);
  EXPECT_THAT(found.twins[0].text(), HasSubstr("b2 () is the same chip as a0"));
  EXPECT_THAT(found.twins[1].text(), HasSubstr("c0 () is the same chip as b1"));
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_THAT(names(find_devices(backends, where, {}, "c0,b2")),
              ElementsAre("a0", "a1", "a2", "b0", "b1", "b2", "c0"));
}

TEST_F(registry, writes_places_of_the_bus_so_that_they_can_be_sorted) {
  EXPECT_EQ(pci_address({0, 0xaf, 0, 1}), "00000000:af:00.1");
  EXPECT_EQ(pci_address({0x10000, 1, 31, 7}), "00010000:01:1f.7");
}

TEST_F(registry, refuses_the_configuration_of_an_unknown_backend) {
  try {
    refuse_unknown(backends, {{"abacus", "2"}});
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("\"abacus\""), HasSubstr("cpu, sim")));
  }
  refuse_unknown(backends, {{"cpu", "lanes=1"}, {"sim", "3"}});
  EXPECT_THROW((void)find({{"cpu", "lanes=0"}}), usage_error);
  EXPECT_THROW((void)find({{"cpu", "flops=0"}}), usage_error);
}

TEST_F(registry, selects_and_orders_by_name) {
  EXPECT_THAT(names(select_devices(find(), "Sim2,NUMA0")), ElementsAre("Sim2", "NUMA0"));
  EXPECT_EQ(select_devices(find(), "").size(), 5U);
}

TEST_F(registry, refuses_names_that_are_none) {
  EXPECT_THAT(refusal("NUMA0,CUDA0"),
              AllOf(HasSubstr("HOCKET_VISIBLE_DEVICES"), HasSubstr("\"CUDA0\""),
                    HasSubstr("NUMA0, NUMA1, Sim0, Sim1, Sim2")));
  EXPECT_THAT(refusal("Sim0,Sim0"), HasSubstr("\"Sim0\" twice"));
  for (const char* text : {",", "Sim0,", ",Sim0", "Sim0,,Sim1"}) {
    EXPECT_THAT(refusal(text), HasSubstr("one comma")) << text;
  }
  EXPECT_THAT(refusal("sim0"), HasSubstr("there is no \"sim0\""));
}

TEST_F(registry, says_of_a_name_that_none_has_what_was_left_out) {
  found_devices found = find();
  found.left_out.emplace_back("The abacus has no beads.");
  EXPECT_THAT(refusal(std::move(found), "Abacus0"),
              AllOf(HasSubstr("\"Abacus0\""), HasSubstr("The abacus has no beads.")));
}

TEST_F(registry, describes_the_cpu_the_same_everywhere_on_a_virtual_clock) {
  const auto found = find({{"cpu", "memory=1G"}});
  EXPECT_EQ(found.usable[0]->info().lanes, 2U);
  EXPECT_EQ(found.usable[1]->info().lanes, 3U);
  EXPECT_EQ(found.usable[0]->info().depth, 1U);
  EXPECT_EQ(found.usable[0]->info().flops_per_second, 20e9);
  EXPECT_EQ(found.usable[0]->info().memory_bytes, std::uint64_t{1} << 30U);
  EXPECT_TRUE(found.usable[0]->info().shares_host_memory);
}

}  // namespace
}  // namespace hocket
