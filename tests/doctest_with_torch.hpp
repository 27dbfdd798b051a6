#pragma once

// doctest where LibTorch is: c10 defines CHECK as well, its own would end the process instead of
// failing the case. Include this, never <doctest/doctest.h> itself.

#include <c10/util/Logging.h>

#undef CHECK
#undef CHECK_EQ
#undef CHECK_NE
#undef CHECK_LE
#undef CHECK_LT
#undef CHECK_GE
#undef CHECK_GT

#include <doctest/doctest.h>
