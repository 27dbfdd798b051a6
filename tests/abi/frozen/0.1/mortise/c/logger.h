#ifndef MORTISE_C_LOGGER_H
#define MORTISE_C_LOGGER_H

#include <mortise/c/base.h>

typedef struct mt_logger_v1 {
  mt_head head;
  mt_status (*log)(void* self, int32_t level, mt_text text, const mt_error_sink* error);
} mt_logger_v1;

typedef struct mt_metrics_v1 {
  mt_head head;
  mt_status (*record)(void* self, mt_text name, double value, const mt_error_sink* error);
} mt_metrics_v1;

#endif
