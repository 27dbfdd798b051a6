#ifndef MORTISE_C_SELECTOR_H
#define MORTISE_C_SELECTOR_H

#include <mortise/c/base.h>

typedef struct mt_action {
  mt_head head;
  int32_t kind;
  int64_t micro_batch, unit, peer;
} mt_action;
MT_LIST_OF(mt_action);

typedef struct mt_unit_cost {
  mt_head head;
  mt_text name;
  int64_t parameters;
  double flops;
} mt_unit_cost;
MT_LIST_OF(mt_unit_cost);

typedef struct mt_selector_v1 {
  mt_head head;
  mt_status (*units)(void* self, int64_t stage, int64_t stages, int64_t units,
                     const mt_i64_sink* chosen, const mt_error_sink* error);
  mt_status (*schedule)(void* self, int64_t stage, int64_t stages, int64_t units,
                        int64_t micro_batches, const mt_action_sink* actions,
                        const mt_error_sink* error);
  mt_status (*weigh)(void* self, mt_unit_costs units, const mt_error_sink* error);
} mt_selector_v1;

#endif
