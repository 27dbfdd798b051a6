#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace mortise::host {

// While it lives, operations of this thread that write to large tensors in place leave them as they
// are: tensors have sizes and no values.
class Unwritten {
 public:
  Unwritten();

 private:
  c10::impl::IncludeDispatchKeyGuard guard_;
};

// Inside of it: while it lives, everything is computed.
class Written {
 public:
  Written();

 private:
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

}  // namespace mortise::host
