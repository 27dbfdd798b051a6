#ifndef MORTISE_C_LEARNING_RATE_SCHEDULE_H
#define MORTISE_C_LEARNING_RATE_SCHEDULE_H

#include <mortise/c/progress.h>

typedef struct mt_learning_rate_schedule_v1 {
  mt_head head;
  mt_status (*factor)(void* self, const mt_progress* progress, double* factor,
                      const mt_error_sink* error);
} mt_learning_rate_schedule_v1;

#endif
