// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "names.hpp"

namespace standin {

const stand_in_names names{"stand-in CUDA",
                           "HOCKET_STANDIN_CUDA",
                           "HOCKET_STANDIN_CUDA_FAULTS",
                           "HOCKET_STANDIN_CUDA_SAY",
                           "CUDA_VISIBLE_DEVICES",
                           2,
                           false};

}  // namespace standin
