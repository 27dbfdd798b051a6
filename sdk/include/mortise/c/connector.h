/* Torch-locked. */
#ifndef MORTISE_C_CONNECTOR_H
#define MORTISE_C_CONNECTOR_H

#include <mortise/c/parallel.h>

typedef struct mt_rank_group {
  mt_head head;
  mt_text name;
  mt_i64s ranks;
  int64_t rank;
  double timeout;
  mt_text device;
} mt_rank_group;
MT_LIST_OF(mt_rank_group);

typedef struct mt_group_store_v1 {
  mt_head head;
  mt_status (*set)(void* self, mt_text key, mt_text value, const mt_error_sink* error);
  mt_status (*get)(void* self, mt_text key, int64_t rank, const mt_text_sink* value,
                   const mt_error_sink* error);
} mt_group_store_v1;

typedef struct mt_connector_v1 {
  mt_head head;
  mt_status (*connect)(void* self, const mt_rank_group* group, mt_object store,
                       mt_owned* communicator, const mt_error_sink* error);
} mt_connector_v1;

#endif
