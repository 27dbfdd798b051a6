/* Torch-locked. */
#ifndef MORTISE_C_OPTIMIZER_H
#define MORTISE_C_OPTIMIZER_H

#include <mortise/c/model.h>

typedef struct mt_piece {
  mt_head head;
  int64_t parameter;
  const mt_box* box;
  const mt_tensor *master, *gradient;
  mt_tensors slots;
} mt_piece;
MT_LIST_OF(mt_piece);

typedef struct mt_slot {
  mt_head head;
  mt_text name;
  int32_t like;
  mt_i64s shape;
  int32_t dtype;
} mt_slot;
MT_LIST_OF(mt_slot);

typedef struct mt_slot_plan {
  mt_head head;
  uint8_t whole_matrix;
  mt_slots slots;
} mt_slot_plan;
MT_LIST_OF(mt_slot_plan);

typedef struct mt_step_info {
  mt_head head;
  int64_t step;
  const mt_tensor *learning_rate, *skip;
} mt_step_info;
MT_LIST_OF(mt_step_info);

typedef struct mt_optimizer_v1 {
  mt_head head;
  mt_status (*slots)(void* self, int64_t id, const mt_parameter* parameter,
                     const mt_slot_plan_sink* plan, const mt_error_sink* error);
  mt_status (*step)(void* self, mt_pieces pieces, const mt_step_info* info,
                    const mt_error_sink* error);
} mt_optimizer_v1;

typedef struct mt_initializer_v1 {
  mt_head head;
  mt_status (*fill)(void* self, const mt_piece* piece, const mt_parameter* parameter, uint64_t seed,
                    const mt_error_sink* error);
  mt_status (*needs_whole)(void* self, const mt_parameter* parameter, uint8_t* whole,
                           const mt_error_sink* error);
} mt_initializer_v1;

typedef struct mt_observer_v1 {
  mt_head head;
  mt_status (*before_step)(void* self, const mt_step_info* info, const mt_error_sink* error);
  mt_status (*after_step)(void* self, const mt_step_info* info, mt_pieces pieces,
                          const mt_error_sink* error);
  mt_status (*on_checkpoint)(void* self, int64_t step, const mt_error_sink* error);
  mt_status (*begin)(void* self, mt_parameters parameters, mt_pieces pieces,
                     const mt_error_sink* error);
} mt_observer_v1;

typedef struct mt_state {
  mt_head head;
  mt_text name;
  mt_i64s shape;
  const mt_box* box;
  const mt_tensor* value;
} mt_state;
MT_LIST_OF(mt_state);

typedef struct mt_stateful_v1 {
  mt_head head;
  mt_status (*state)(void* self, const mt_state_sink* state, const mt_error_sink* error);
  mt_status (*load)(void* self, mt_states state, const mt_error_sink* error);
} mt_stateful_v1;

#endif
