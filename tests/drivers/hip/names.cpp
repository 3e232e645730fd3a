// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "names.hpp"

namespace standin {

const stand_in_names names{"stand-in HIP",
                           "HOCKET_STANDIN_HIP",
                           "HOCKET_STANDIN_HIP_FAULTS",
                           "HOCKET_STANDIN_HIP_SAY",
                           "HIP_VISIBLE_DEVICES",
                           1,
                           true};

}  // namespace standin
