// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/reduction.hpp>

#include <hocket/core/error.hpp>

namespace hocket::detail {

void refuse_start(const std::string& reduction, element_type type, const std::string& start) {
  throw usage_error("Reduction \"" + reduction + "\" starts with " + start +
                    ", which is no number of the type " + to_string(type) + ", " + limits_of(type) +
                    ". A start that differs from type to type is returned by a function, as in "
                    "[]<class T>(T) { return std::numeric_limits<T>::max(); }.");
}

void refuse_start(const std::string& reduction, element_type type, const std::string& start,
                  const std::string& combined) {
  throw usage_error("Reduction \"" + reduction + "\" starts with " + start +
                    ", but combining that with itself gives " + combined + " in the type " +
                    to_string(type) +
                    ". A device combines the start with elements once or more often: it has to be "
                    "neutral, as 0 is in sums and 1 in products.");
}

}  // namespace hocket::detail
