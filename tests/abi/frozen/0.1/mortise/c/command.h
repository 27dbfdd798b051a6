#ifndef MORTISE_C_COMMAND_H
#define MORTISE_C_COMMAND_H

#include <mortise/c/base.h>

typedef struct mt_command_v1 {
  mt_head head;
  mt_status (*run)(void* self, int64_t* exit_code, const mt_error_sink* error);
} mt_command_v1;

#endif
