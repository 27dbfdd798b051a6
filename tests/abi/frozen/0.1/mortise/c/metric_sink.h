#ifndef MORTISE_C_METRIC_SINK_H
#define MORTISE_C_METRIC_SINK_H

#include <mortise/c/base.h>

typedef struct mt_metric {
  mt_head head;
  mt_text name;
  double value;
} mt_metric;
MT_LIST_OF(mt_metric);

typedef struct mt_run_info {
  mt_head head;
  mt_text name, folder;
  int64_t first_step, total_steps, tokens_per_step;
  uint8_t terminal;
  mt_texts report;
} mt_run_info;
MT_LIST_OF(mt_run_info);

typedef struct mt_step_record {
  mt_head head;
  int64_t step;
  mt_metrics values;
  uint8_t shown;
} mt_step_record;
MT_LIST_OF(mt_step_record);

typedef struct mt_metric_sink_v1 {
  mt_head head;
  mt_status (*begin)(void* self, const mt_run_info* run, const mt_error_sink* error);
  mt_status (*write)(void* self, const mt_step_record* record, const mt_error_sink* error);
  mt_status (*message)(void* self, int32_t level, mt_text text, const mt_error_sink* error);
  mt_status (*flush)(void* self, const mt_error_sink* error);
} mt_metric_sink_v1;

#endif
