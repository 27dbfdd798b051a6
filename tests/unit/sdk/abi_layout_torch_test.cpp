// The torch-locked part of the ABI: sizes and offsets of every C struct and table. A
// published one only grows at its end, so a line may be added and no number may change. A new
// member starts at or after the old size, never in its padding: an older sender's struct_size
// would count it as given.

#include <doctest/doctest.h>
#include <mortise/c/connector.h>
#include <mortise/c/inference.h>
#include <mortise/c/model.h>
#include <mortise/c/optimizer.h>
#include <mortise/c/parallel.h>
#include <mortise/c/tensor.h>

#include <cstddef>

#include "tests/unit/sdk/layout_checks.hpp"

namespace {

using namespace mortise::tests;

// c/tensor.h
static_assert(has_layout<mt_tensor>(8, At{offsetof(mt_tensor, implementation), 0}));
static_assert(has_layout<mt_named_tensor>(24, At{offsetof(mt_named_tensor, name), 0},
                                          At{offsetof(mt_named_tensor, value), 16}));
static_assert(has_layout<mt_box>(40, At{offsetof(mt_box, head), 0}, At{offsetof(mt_box, offset), 8},
                                 At{offsetof(mt_box, size), 24}));
static_assert(is_list<mt_tensors>());
static_assert(is_sink<mt_tensor_sink>());
static_assert(is_list<mt_named_tensors>());
static_assert(is_sink<mt_named_tensor_sink>());
static_assert(is_list<mt_boxs>());
static_assert(is_sink<mt_box_sink>());

// c/model.h
static_assert(has_layout<mt_parameter>(
    144, At{offsetof(mt_parameter, head), 0}, At{offsetof(mt_parameter, name), 8},
    At{offsetof(mt_parameter, shape), 24}, At{offsetof(mt_parameter, units), 40},
    At{offsetof(mt_parameter, role), 56}, At{offsetof(mt_parameter, axes), 64},
    At{offsetof(mt_parameter, fused_parts), 80}, At{offsetof(mt_parameter, depth), 96},
    At{offsetof(mt_parameter, master), 104}, At{offsetof(mt_parameter, compute), 108},
    At{offsetof(mt_parameter, trainable), 112}, At{offsetof(mt_parameter, shard_axes), 120},
    At{offsetof(mt_parameter, starts_at_zero), 136}));
static_assert(
    has_layout<mt_buffer>(72, At{offsetof(mt_buffer, head), 0}, At{offsetof(mt_buffer, name), 8},
                          At{offsetof(mt_buffer, shape), 24}, At{offsetof(mt_buffer, dtype), 40},
                          At{offsetof(mt_buffer, unit), 48}, At{offsetof(mt_buffer, combine), 56},
                          At{offsetof(mt_buffer, initial), 64}));
static_assert(has_layout<mt_layer>(72, At{offsetof(mt_layer, head), 0},
                                   At{offsetof(mt_layer, name), 8}, At{offsetof(mt_layer, op), 24},
                                   At{offsetof(mt_layer, parameters), 40},
                                   At{offsetof(mt_layer, attributes), 56}));
static_assert(has_layout<mt_placement_rule>(40, At{offsetof(mt_placement_rule, head), 0},
                                            At{offsetof(mt_placement_rule, layers), 8},
                                            At{offsetof(mt_placement_rule, placement), 24},
                                            At{offsetof(mt_placement_rule, parts), 32}));
static_assert(has_layout<mt_visit>(
    48, At{offsetof(mt_visit, head), 0}, At{offsetof(mt_visit, unit), 8},
    At{offsetof(mt_visit, micro_batch), 16}, At{offsetof(mt_visit, phase), 24},
    At{offsetof(mt_visit, next_unit), 32}, At{offsetof(mt_visit, last_of_step), 40}));
static_assert(is_table<mt_unit_context_v1>(
    offsetof(mt_unit_context_v1, head), offsetof(mt_unit_context_v1, apply),
    offsetof(mt_unit_context_v1, end), offsetof(mt_unit_context_v1, parameter),
    offsetof(mt_unit_context_v1, buffer), offsetof(mt_unit_context_v1, term),
    offsetof(mt_unit_context_v1, update), offsetof(mt_unit_context_v1, record)));
static_assert(is_table<mt_model_v1>(offsetof(mt_model_v1, head), offsetof(mt_model_v1, parameters),
                                    offsetof(mt_model_v1, layers), offsetof(mt_model_v1, units),
                                    offsetof(mt_model_v1, forward_unit),
                                    offsetof(mt_model_v1, buffers),
                                    offsetof(mt_model_v1, placements),
                                    offsetof(mt_model_v1, leaf)));
static_assert(has_layout<mt_link>(48, At{offsetof(mt_link, head), 0},
                                  At{offsetof(mt_link, parameters), 8},
                                  At{offsetof(mt_link, buffers), 24},
                                  At{offsetof(mt_link, freezes), 40}));
static_assert(is_table<mt_op_call_v1>(
    offsetof(mt_op_call_v1, head), offsetof(mt_op_call_v1, next), offsetof(mt_op_call_v1, visit),
    offsetof(mt_op_call_v1, buffer), offsetof(mt_op_call_v1, update),
    offsetof(mt_op_call_v1, state), offsetof(mt_op_call_v1, keep)));
static_assert(is_table<mt_layer_op_v1>(offsetof(mt_layer_op_v1, head),
                                       offsetof(mt_layer_op_v1, bind),
                                       offsetof(mt_layer_op_v1, apply)));
static_assert(is_table<mt_loss_v1>(offsetof(mt_loss_v1, head), offsetof(mt_loss_v1, counts),
                                   offsetof(mt_loss_v1, add_terms),
                                   offsetof(mt_loss_v1, collective)));
static_assert(is_list<mt_parameters>());
static_assert(is_sink<mt_parameter_sink>());
static_assert(is_list<mt_buffers>());
static_assert(is_sink<mt_buffer_sink>());
static_assert(is_list<mt_layers>());
static_assert(is_sink<mt_layer_sink>());
static_assert(is_list<mt_placement_rules>());
static_assert(is_sink<mt_placement_rule_sink>());
static_assert(is_list<mt_visits>());
static_assert(is_sink<mt_visit_sink>());
static_assert(is_list<mt_links>());
static_assert(is_sink<mt_link_sink>());

// c/optimizer.h
static_assert(
    has_layout<mt_piece>(56, At{offsetof(mt_piece, head), 0}, At{offsetof(mt_piece, parameter), 8},
                         At{offsetof(mt_piece, box), 16}, At{offsetof(mt_piece, master), 24},
                         At{offsetof(mt_piece, gradient), 32}, At{offsetof(mt_piece, slots), 40}));
static_assert(has_layout<mt_slot>(56, At{offsetof(mt_slot, head), 0},
                                  At{offsetof(mt_slot, name), 8}, At{offsetof(mt_slot, like), 24},
                                  At{offsetof(mt_slot, shape), 32},
                                  At{offsetof(mt_slot, dtype), 48}));
static_assert(has_layout<mt_slot_plan>(32, At{offsetof(mt_slot_plan, head), 0},
                                       At{offsetof(mt_slot_plan, whole_matrix), 8},
                                       At{offsetof(mt_slot_plan, slots), 16}));
static_assert(has_layout<mt_step_info>(32, At{offsetof(mt_step_info, head), 0},
                                       At{offsetof(mt_step_info, step), 8},
                                       At{offsetof(mt_step_info, learning_rate), 16},
                                       At{offsetof(mt_step_info, skip), 24}));
static_assert(is_table<mt_optimizer_v1>(offsetof(mt_optimizer_v1, head),
                                        offsetof(mt_optimizer_v1, slots),
                                        offsetof(mt_optimizer_v1, step)));
static_assert(is_table<mt_initializer_v1>(offsetof(mt_initializer_v1, head),
                                          offsetof(mt_initializer_v1, fill),
                                          offsetof(mt_initializer_v1, needs_whole)));
static_assert(is_table<mt_observer_v1>(offsetof(mt_observer_v1, head),
                                       offsetof(mt_observer_v1, before_step),
                                       offsetof(mt_observer_v1, after_step),
                                       offsetof(mt_observer_v1, on_checkpoint),
                                       offsetof(mt_observer_v1, begin)));
static_assert(has_layout<mt_state>(56, At{offsetof(mt_state, head), 0},
                                   At{offsetof(mt_state, name), 8},
                                   At{offsetof(mt_state, shape), 24},
                                   At{offsetof(mt_state, box), 40},
                                   At{offsetof(mt_state, value), 48}));
static_assert(is_table<mt_stateful_v1>(offsetof(mt_stateful_v1, head),
                                       offsetof(mt_stateful_v1, state),
                                       offsetof(mt_stateful_v1, load)));
static_assert(is_list<mt_pieces>());
static_assert(is_sink<mt_piece_sink>());
static_assert(is_list<mt_slots>());
static_assert(is_sink<mt_slot_sink>());
static_assert(is_list<mt_slot_plans>());
static_assert(is_sink<mt_slot_plan_sink>());
static_assert(is_list<mt_step_infos>());
static_assert(is_sink<mt_step_info_sink>());
static_assert(is_list<mt_states>());
static_assert(is_sink<mt_state_sink>());

// c/parallel.h
static_assert(is_table<mt_work_v1>(offsetof(mt_work_v1, head), offsetof(mt_work_v1, wait)));
static_assert(is_table<mt_communicator_v1>(
    offsetof(mt_communicator_v1, head), offsetof(mt_communicator_v1, rank),
    offsetof(mt_communicator_v1, size), offsetof(mt_communicator_v1, supports),
    offsetof(mt_communicator_v1, all_gather), offsetof(mt_communicator_v1, reduce_scatter),
    offsetof(mt_communicator_v1, reduce_scatter_ordered), offsetof(mt_communicator_v1, all_to_all),
    offsetof(mt_communicator_v1, all_to_all_v), offsetof(mt_communicator_v1, all_reduce),
    offsetof(mt_communicator_v1, broadcast), offsetof(mt_communicator_v1, send),
    offsetof(mt_communicator_v1, receive), offsetof(mt_communicator_v1, barrier)));
static_assert(has_layout<mt_mesh_axis>(40, At{offsetof(mt_mesh_axis, head), 0},
                                       At{offsetof(mt_mesh_axis, name), 8},
                                       At{offsetof(mt_mesh_axis, size), 24},
                                       At{offsetof(mt_mesh_axis, rank), 32}));
static_assert(is_list<mt_mesh_axes>());
static_assert(is_sink<mt_mesh_axis_sink>());
static_assert(is_table<mt_mesh_v1>(offsetof(mt_mesh_v1, head), offsetof(mt_mesh_v1, axes),
                                   offsetof(mt_mesh_v1, communicator)));
static_assert(is_table<mt_plan_builder_v1>(
    offsetof(mt_plan_builder_v1, head), offsetof(mt_plan_builder_v1, parameters),
    offsetof(mt_plan_builder_v1, boxes), offsetof(mt_plan_builder_v1, units),
    offsetof(mt_plan_builder_v1, place), offsetof(mt_plan_builder_v1, spread),
    offsetof(mt_plan_builder_v1, cut), offsetof(mt_plan_builder_v1, summed_axes),
    offsetof(mt_plan_builder_v1, device), offsetof(mt_plan_builder_v1, partial),
    offsetof(mt_plan_builder_v1, placements)));
static_assert(is_table<mt_cutter_v1>(offsetof(mt_cutter_v1, head), offsetof(mt_cutter_v1, plan),
                                     offsetof(mt_cutter_v1, prepare_batch)));
static_assert(is_table<mt_weight_task_v1>(offsetof(mt_weight_task_v1, head),
                                          offsetof(mt_weight_task_v1, run)));
static_assert(is_table<mt_weight_gradients_v1>(offsetof(mt_weight_gradients_v1, head),
                                               offsetof(mt_weight_gradients_v1, add)));
static_assert(has_layout<mt_step_plan>(32, At{offsetof(mt_step_plan, head), 0},
                                       At{offsetof(mt_step_plan, step), 8},
                                       At{offsetof(mt_step_plan, micro_batches), 16},
                                       At{offsetof(mt_step_plan, training), 24}));
static_assert(is_table<mt_owner_v1>(
    offsetof(mt_owner_v1, head), offsetof(mt_owner_v1, plan), offsetof(mt_owner_v1, begin_step),
    offsetof(mt_owner_v1, before), offsetof(mt_owner_v1, after),
    offsetof(mt_owner_v1, gradients_ready), offsetof(mt_owner_v1, finish_gradients),
    offsetof(mt_owner_v1, norm_part), offsetof(mt_owner_v1, pieces), offsetof(mt_owner_v1, abort)));
static_assert(is_list<mt_step_plans>());
static_assert(is_sink<mt_step_plan_sink>());

// c/connector.h
static_assert(has_layout<mt_rank_group>(
    72, At{offsetof(mt_rank_group, head), 0}, At{offsetof(mt_rank_group, name), 8},
    At{offsetof(mt_rank_group, ranks), 24}, At{offsetof(mt_rank_group, rank), 40},
    At{offsetof(mt_rank_group, timeout), 48}, At{offsetof(mt_rank_group, device), 56}));
static_assert(is_list<mt_rank_groups>());
static_assert(is_sink<mt_rank_group_sink>());
static_assert(is_table<mt_group_store_v1>(offsetof(mt_group_store_v1, head),
                                          offsetof(mt_group_store_v1, set),
                                          offsetof(mt_group_store_v1, get)));
static_assert(is_table<mt_connector_v1>(offsetof(mt_connector_v1, head),
                                        offsetof(mt_connector_v1, connect)));

// c/inference.h
static_assert(is_table<mt_trained_model_v1>(
    offsetof(mt_trained_model_v1, head), offsetof(mt_trained_model_v1, logits),
    offsetof(mt_trained_model_v1, tokenizer), offsetof(mt_trained_model_v1, context_length),
    offsetof(mt_trained_model_v1, step), offsetof(mt_trained_model_v1, decode),
    offsetof(mt_trained_model_v1, restart)));
static_assert(is_table<mt_inference_v1>(offsetof(mt_inference_v1, head),
                                        offsetof(mt_inference_v1, open)));

}  // namespace

TEST_CASE("abi: a tensor crosses as one pointer") {
  static_assert(sizeof(mt_tensor) == sizeof(void*) && alignof(mt_tensor) == alignof(void*));
  const mt_tensor pair[2] = {};
  CHECK(reinterpret_cast<const char*>(pair + 1) - reinterpret_cast<const char*>(pair) == 8);
}
