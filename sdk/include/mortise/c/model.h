/* Torch-locked. */
#ifndef MORTISE_C_MODEL_H
#define MORTISE_C_MODEL_H

#include <mortise/c/tensor.h>

typedef struct mt_parameter {
  mt_head head;
  mt_text name;
  mt_i64s shape, units;
  int32_t role;
  mt_i64s axes, fused_parts;
  int64_t depth;
  int32_t master, compute;
  uint8_t trainable;
  mt_texts shard_axes;
  uint8_t starts_at_zero;
} mt_parameter;
MT_LIST_OF(mt_parameter);

typedef struct mt_buffer {
  mt_head head;
  mt_text name;
  mt_i64s shape;
  int32_t dtype;
  int64_t unit;
  int32_t combine;
  const mt_tensor* initial;
} mt_buffer;
MT_LIST_OF(mt_buffer);

typedef struct mt_layer {
  mt_head head;
  mt_text name, op;
  mt_i64s parameters;
  mt_values attributes;
} mt_layer;
MT_LIST_OF(mt_layer);

typedef struct mt_placement_rule {
  mt_head head;
  mt_text layers;
  int32_t placement;
  int64_t parts; /* 0.2 */
} mt_placement_rule;
MT_LIST_OF(mt_placement_rule);

typedef struct mt_visit {
  mt_head head;
  int64_t unit, micro_batch;
  int32_t phase;
  int64_t next_unit;
  uint8_t last_of_step;
} mt_visit;
MT_LIST_OF(mt_visit);

typedef struct mt_unit_context_v1 {
  mt_head head;
  mt_status (*apply)(void* self, int64_t layer, mt_tensors inputs, const mt_tensor_sink* outputs,
                     const mt_error_sink* error);
  mt_status (*end)(void* self, int64_t layer, const mt_tensor* hidden, const mt_tensor_sink* output,
                   const mt_error_sink* error);
  mt_status (*parameter)(void* self, int64_t parameter, const mt_tensor_sink* value,
                         const mt_error_sink* error);
  mt_status (*buffer)(void* self, mt_text name, const mt_tensor_sink* value,
                      const mt_error_sink* error);
  mt_status (*term)(void* self, mt_text name, const mt_tensor* sum, int32_t per, double weight,
                    const mt_error_sink* error);
  mt_status (*update)(void* self, mt_text buffer, const mt_tensor* value,
                      const mt_error_sink* error);
  mt_status (*record)(void* self, mt_text name, const mt_tensor* value, const mt_error_sink* error);
} mt_unit_context_v1;

typedef struct mt_model_v1 {
  mt_head head;
  mt_status (*parameters)(void* self, const mt_parameter_sink* parameters,
                          const mt_error_sink* error);
  mt_status (*layers)(void* self, const mt_layer_sink* layers, const mt_error_sink* error);
  mt_status (*units)(void* self, const mt_texts_sink* names, const mt_error_sink* error);
  mt_status (*forward_unit)(void* self, const mt_visit* visit, mt_object unit, mt_tensors hidden,
                            mt_named_tensors batch, const mt_tensor_sink* outputs,
                            const mt_error_sink* error);
  mt_status (*buffers)(void* self, const mt_buffer_sink* buffers, const mt_error_sink* error);
  mt_status (*placements)(void* self, const mt_placement_rule_sink* rules,
                          const mt_error_sink* error);
  mt_status (*leaf)(void* self, int64_t parameter, const mt_tensor_sink* leaf,
                    const mt_error_sink* error);
} mt_model_v1;

typedef struct mt_link {
  mt_head head;
  mt_parameters parameters;
  mt_buffers buffers;
  uint8_t freezes;
} mt_link;
MT_LIST_OF(mt_link);

typedef struct mt_op_call_v1 {
  mt_head head;
  mt_status (*next)(void* self, mt_tensors inputs, mt_tensors weights,
                    const mt_tensor_sink* outputs, const mt_error_sink* error);
  mt_status (*visit)(void* self, const mt_visit_sink* visit, const mt_error_sink* error);
  mt_status (*buffer)(void* self, mt_text name, const mt_tensor_sink* value,
                      const mt_error_sink* error);
  mt_status (*update)(void* self, mt_text buffer, const mt_tensor* value,
                      const mt_error_sink* error);
  mt_status (*state)(void* self, mt_text name, const mt_tensor_sink* value,
                     const mt_error_sink* error);
  mt_status (*keep)(void* self, mt_text name, const mt_tensor* value, const mt_error_sink* error);
} mt_op_call_v1;

typedef struct mt_layer_op_v1 {
  mt_head head;
  mt_status (*bind)(void* self, int64_t id, const mt_layer* layer, mt_parameters own,
                    const mt_link_sink* link, const mt_error_sink* error);
  mt_status (*apply)(void* self, int64_t layer, mt_tensors inputs, mt_tensors weights,
                     mt_tensors extra, mt_object next, const mt_tensor_sink* outputs,
                     const mt_error_sink* error);
} mt_layer_op_v1;

typedef struct mt_loss_v1 {
  mt_head head;
  mt_status (*counts)(void* self, mt_named_tensors batch, const mt_tensor_sink* count,
                      const mt_error_sink* error);
  mt_status (*add_terms)(void* self, mt_object unit, int64_t layer, const mt_tensor* hidden,
                         mt_named_tensors batch, const mt_error_sink* error);
  mt_status (*collective)(void* self, uint8_t* yes, const mt_error_sink* error);
} mt_loss_v1;

#endif
