#ifndef MORTISE_C_PROGRESS_H
#define MORTISE_C_PROGRESS_H

#include <mortise/c/base.h>

typedef struct mt_progress {
  mt_head head;
  int64_t step, total_steps;
  int64_t tokens, total_tokens;
  int64_t tokens_per_step, steps_per_epoch;
} mt_progress;
MT_LIST_OF(mt_progress);

#endif
