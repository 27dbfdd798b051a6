/* Torch-locked. */
#ifndef MORTISE_C_PARALLEL_H
#define MORTISE_C_PARALLEL_H

#include <mortise/c/optimizer.h>

typedef struct mt_work_v1 {
  mt_head head;
  mt_status (*wait)(void* self, const mt_error_sink* error);
} mt_work_v1;

typedef struct mt_communicator_v1 {
  mt_head head;
  mt_status (*rank)(void* self, int64_t* rank, const mt_error_sink* error);
  mt_status (*size)(void* self, int64_t* size, const mt_error_sink* error);
  mt_status (*supports)(void* self, mt_text capability, uint8_t* yes, const mt_error_sink* error);
  mt_status (*all_gather)(void* self, const mt_tensor* output, const mt_tensor* input,
                          mt_owned* work, const mt_error_sink* error);
  mt_status (*reduce_scatter)(void* self, const mt_tensor* output, const mt_tensor* input,
                              mt_owned* work, const mt_error_sink* error);
  mt_status (*reduce_scatter_ordered)(void* self, const mt_tensor* accumulator,
                                      const mt_tensor* input, mt_owned* work,
                                      const mt_error_sink* error);
  mt_status (*all_to_all)(void* self, const mt_tensor* output, const mt_tensor* input,
                          mt_owned* work, const mt_error_sink* error);
  mt_status (*all_to_all_v)(void* self, const mt_tensor* output, const mt_tensor* input,
                            mt_i64s output_sizes, mt_i64s input_sizes, mt_owned* work,
                            const mt_error_sink* error);
  mt_status (*all_reduce)(void* self, const mt_tensor* tensor, int32_t operation, mt_owned* work,
                          const mt_error_sink* error);
  mt_status (*broadcast)(void* self, const mt_tensor* tensor, int64_t root, mt_owned* work,
                         const mt_error_sink* error);
  mt_status (*send)(void* self, const mt_tensor* tensor, int64_t peer, mt_owned* work,
                    const mt_error_sink* error);
  mt_status (*receive)(void* self, const mt_tensor* tensor, int64_t peer, mt_owned* work,
                       const mt_error_sink* error);
  mt_status (*barrier)(void* self, const mt_error_sink* error);
} mt_communicator_v1;

typedef struct mt_mesh_axis {
  mt_head head;
  mt_text name;
  int64_t size, rank;
} mt_mesh_axis;
typedef struct mt_mesh_axes {
  const mt_mesh_axis* data;
  size_t size;
} mt_mesh_axes;
typedef struct mt_mesh_axis_sink {
  void* self;
  void (*put)(void* self, mt_mesh_axes values);
} mt_mesh_axis_sink;

typedef struct mt_mesh_v1 {
  mt_head head;
  mt_status (*axes)(void* self, const mt_mesh_axis_sink* axes, const mt_error_sink* error);
  mt_status (*communicator)(void* self, mt_text axes, mt_owned* communicator,
                            const mt_error_sink* error);
} mt_mesh_v1;

typedef struct mt_plan_builder_v1 {
  mt_head head;
  mt_status (*parameters)(void* self, const mt_parameter_sink* parameters,
                          const mt_error_sink* error);
  mt_status (*boxes)(void* self, const mt_box_sink* boxes, const mt_error_sink* error);
  mt_status (*units)(void* self, int64_t* units, const mt_error_sink* error);
  mt_status (*place)(void* self, int64_t parameter, const mt_tensor* tensor,
                     const mt_error_sink* error);
  mt_status (*spread)(void* self, mt_text axis, int32_t over, const mt_error_sink* error); /* 0.2 */
  mt_status (*cut)(void* self, int64_t parameter, mt_text axis, const mt_box* box,
                   const mt_error_sink* error);
  mt_status (*summed_axes)(void* self, int64_t parameter, const mt_texts_sink* axes,
                           const mt_error_sink* error);
  mt_status (*device)(void* self, const mt_text_sink* device, const mt_error_sink* error);
  mt_status (*partial)(void* self, int64_t parameter, mt_text axis, const mt_error_sink* error);
  mt_status (*placements)(void* self, const mt_placement_rule_sink* rules,
                          const mt_error_sink* error);
} mt_plan_builder_v1;

typedef struct mt_cutter_v1 {
  mt_head head;
  mt_status (*plan)(void* self, mt_object plan, const mt_error_sink* error);
  mt_status (*prepare_batch)(void* self, mt_named_tensors batch, const mt_named_tensor_sink* part,
                             const mt_error_sink* error);
} mt_cutter_v1;

typedef struct mt_weight_task_v1 {
  mt_head head;
  mt_status (*run)(void* self, const mt_error_sink* error);
} mt_weight_task_v1;

typedef struct mt_weight_gradients_v1 {
  mt_head head;
  mt_status (*add)(void* self, mt_owned task, const mt_error_sink* error); /* takes the task */
} mt_weight_gradients_v1;

typedef struct mt_step_plan {
  mt_head head;
  int64_t step, micro_batches;
  uint8_t training;
} mt_step_plan;
MT_LIST_OF(mt_step_plan);

typedef struct mt_owner_v1 {
  mt_head head;
  mt_status (*plan)(void* self, mt_object plan, const mt_error_sink* error);
  mt_status (*begin_step)(void* self, const mt_step_plan* step, const mt_error_sink* error);
  mt_status (*before)(void* self, const mt_visit* visit, const mt_error_sink* error);
  mt_status (*after)(void* self, const mt_visit* visit, const mt_error_sink* error);
  mt_status (*gradients_ready)(void* self, const mt_visit* visit, mt_tensors gradients,
                               const mt_error_sink* error);
  mt_status (*finish_gradients)(void* self, const mt_error_sink* error);
  mt_status (*norm_part)(void* self, double p, const mt_tensor_sink* part,
                         const mt_error_sink* error);
  mt_status (*pieces)(void* self, const mt_piece_sink* pieces, const mt_error_sink* error);
  mt_status (*abort)(void* self, const mt_error_sink* error);
} mt_owner_v1;

#endif
