// The torch-free part of the ABI: sizes and offsets of every C struct and table. A
// published one only grows at its end, so a line may be added and no number may change. A new
// member starts at or after the old size, never in its padding: an older sender's struct_size
// would count it as given.

#include <doctest/doctest.h>
#include <mortise/c/base.h>
#include <mortise/c/command.h>
#include <mortise/c/dataset.h>
#include <mortise/c/learning_rate_schedule.h>
#include <mortise/c/logger.h>
#include <mortise/c/metric_sink.h>
#include <mortise/c/plugin.h>
#include <mortise/c/progress.h>
#include <mortise/c/selector.h>
#include <mortise/c/tokenizer.h>

#include <cstddef>

#include "tests/unit/sdk/layout_checks.hpp"

namespace {

using namespace mortise::tests;

// c/base.h
static_assert(has_layout<mt_head>(8, At{offsetof(mt_head, struct_size), 0},
                                  At{offsetof(mt_head, needs), 4}));
static_assert(has_layout<mt_text>(16, At{offsetof(mt_text, data), 0},
                                  At{offsetof(mt_text, size), 8}));
static_assert(is_list<mt_u32s>());
static_assert(is_list<mt_i64s>());
static_assert(is_list<mt_f64s>());
static_assert(is_list<mt_texts>());
static_assert(is_sink<mt_text_sink>());
static_assert(is_sink<mt_u32_sink>());
static_assert(is_sink<mt_i64_sink>());
static_assert(is_sink<mt_f64_sink>());
static_assert(is_sink<mt_texts_sink>());
static_assert(has_layout<mt_error_sink>(16, At{offsetof(mt_error_sink, self), 0},
                                        At{offsetof(mt_error_sink, report), 8}));
static_assert(has_layout<mt_object>(16, At{offsetof(mt_object, table), 0},
                                    At{offsetof(mt_object, self), 8}));
static_assert(has_layout<mt_owned>(24, At{offsetof(mt_owned, object), 0},
                                   At{offsetof(mt_owned, destroy), 16}));

// c/plugin.h
static_assert(is_list<mt_values>());
static_assert(has_layout<mt_value>(32, At{offsetof(mt_value, key), 0},
                                   At{offsetof(mt_value, kind), 8},
                                   At{offsetof(mt_value, as), 16}));
static_assert(has_layout<mt_context_v1>(48, At{offsetof(mt_context_v1, head), 0},
                                        At{offsetof(mt_context_v1, self), 8},
                                        At{offsetof(mt_context_v1, service), 16},
                                        At{offsetof(mt_context_v1, run_folder), 24},
                                        At{offsetof(mt_context_v1, seed), 40}));
static_assert(has_layout<mt_component_v1>(
    48, At{offsetof(mt_component_v1, head), 0}, At{offsetof(mt_component_v1, interface_id), 8},
    At{offsetof(mt_component_v1, key), 16}, At{offsetof(mt_component_v1, create), 24},
    At{offsetof(mt_component_v1, view), 32}, At{offsetof(mt_component_v1, destroy), 40}));
static_assert(has_layout<mt_plugin_v1>(32, At{offsetof(mt_plugin_v1, head), 0},
                                       At{offsetof(mt_plugin_v1, manifest), 8},
                                       At{offsetof(mt_plugin_v1, components), 16},
                                       At{offsetof(mt_plugin_v1, component_count), 24}));

// c/tokenizer.h
static_assert(has_layout<mt_special_token>(32, At{offsetof(mt_special_token, head), 0},
                                           At{offsetof(mt_special_token, name), 8},
                                           At{offsetof(mt_special_token, id), 24}));
static_assert(has_layout<mt_encoded_batch>(40, At{offsetof(mt_encoded_batch, head), 0},
                                           At{offsetof(mt_encoded_batch, ids), 8},
                                           At{offsetof(mt_encoded_batch, ends), 24}));
static_assert(is_table<mt_tokenizer_v1>(
    offsetof(mt_tokenizer_v1, head), offsetof(mt_tokenizer_v1, encode),
    offsetof(mt_tokenizer_v1, decode), offsetof(mt_tokenizer_v1, vocabulary_size),
    offsetof(mt_tokenizer_v1, special_tokens), offsetof(mt_tokenizer_v1, fingerprint),
    offsetof(mt_tokenizer_v1, encode_batch)));
static_assert(is_list<mt_special_tokens>());
static_assert(is_sink<mt_special_token_sink>());
static_assert(is_list<mt_encoded_batchs>());
static_assert(is_sink<mt_encoded_batch_sink>());

// c/dataset.h
static_assert(
    has_layout<mt_array>(80, At{offsetof(mt_array, head), 0}, At{offsetof(mt_array, name), 8},
                         At{offsetof(mt_array, dtype), 24}, At{offsetof(mt_array, shape), 32},
                         At{offsetof(mt_array, strides), 48}, At{offsetof(mt_array, data), 64},
                         At{offsetof(mt_array, bytes), 72}));
static_assert(has_layout<mt_sample>(24, At{offsetof(mt_sample, head), 0},
                                    At{offsetof(mt_sample, arrays), 8}));
static_assert(has_layout<mt_dataset_info>(80, At{offsetof(mt_dataset_info, head), 0},
                                          At{offsetof(mt_dataset_info, source), 8},
                                          At{offsetof(mt_dataset_info, samples), 24},
                                          At{offsetof(mt_dataset_info, tokens), 32},
                                          At{offsetof(mt_dataset_info, documents), 40},
                                          At{offsetof(mt_dataset_info, tokenizer_fingerprint), 48},
                                          At{offsetof(mt_dataset_info, vocabulary_size), 64},
                                          At{offsetof(mt_dataset_info, largest_token), 72}));
static_assert(is_table<mt_dataset_v1>(offsetof(mt_dataset_v1, head), offsetof(mt_dataset_v1, info),
                                      offsetof(mt_dataset_v1, size), offsetof(mt_dataset_v1, read),
                                      offsetof(mt_dataset_v1, where), offsetof(mt_dataset_v1, draw),
                                      offsetof(mt_dataset_v1, sources)));
static_assert(has_layout<mt_draw_request>(48, At{offsetof(mt_draw_request, head), 0},
                                          At{offsetof(mt_draw_request, first), 8},
                                          At{offsetof(mt_draw_request, count), 16},
                                          At{offsetof(mt_draw_request, total_steps), 24},
                                          At{offsetof(mt_draw_request, sequences_per_step), 32},
                                          At{offsetof(mt_draw_request, tokens_per_step), 40}));
static_assert(has_layout<mt_source_use>(40, At{offsetof(mt_source_use, head), 0},
                                        At{offsetof(mt_source_use, name), 8},
                                        At{offsetof(mt_source_use, drawn), 24},
                                        At{offsetof(mt_source_use, samples), 32}));
static_assert(has_layout<mt_order_request>(40, At{offsetof(mt_order_request, head), 0},
                                           At{offsetof(mt_order_request, first), 8},
                                           At{offsetof(mt_order_request, count), 16},
                                           At{offsetof(mt_order_request, samples), 24},
                                           At{offsetof(mt_order_request, stream), 32}));
static_assert(is_table<mt_sample_order_v1>(offsetof(mt_sample_order_v1, head),
                                           offsetof(mt_sample_order_v1, indices)));
static_assert(is_list<mt_arrays>());
static_assert(is_sink<mt_array_sink>());
static_assert(is_list<mt_samples>());
static_assert(is_sink<mt_sample_sink>());
static_assert(is_list<mt_dataset_infos>());
static_assert(is_sink<mt_dataset_info_sink>());
static_assert(is_list<mt_draw_requests>());
static_assert(is_sink<mt_draw_request_sink>());
static_assert(is_list<mt_source_uses>());
static_assert(is_sink<mt_source_use_sink>());
static_assert(is_list<mt_order_requests>());
static_assert(is_sink<mt_order_request_sink>());

// c/progress.h
static_assert(has_layout<mt_progress>(
    56, At{offsetof(mt_progress, head), 0}, At{offsetof(mt_progress, step), 8},
    At{offsetof(mt_progress, total_steps), 16}, At{offsetof(mt_progress, tokens), 24},
    At{offsetof(mt_progress, total_tokens), 32}, At{offsetof(mt_progress, tokens_per_step), 40},
    At{offsetof(mt_progress, steps_per_epoch), 48}));
static_assert(is_list<mt_progresss>());
static_assert(is_sink<mt_progress_sink>());

// c/selector.h
static_assert(has_layout<mt_action>(40, At{offsetof(mt_action, head), 0},
                                    At{offsetof(mt_action, kind), 8},
                                    At{offsetof(mt_action, micro_batch), 16},
                                    At{offsetof(mt_action, unit), 24},
                                    At{offsetof(mt_action, peer), 32}));
static_assert(is_list<mt_actions>());
static_assert(is_sink<mt_action_sink>());
static_assert(is_table<mt_selector_v1>(offsetof(mt_selector_v1, head),
                                       offsetof(mt_selector_v1, units),
                                       offsetof(mt_selector_v1, schedule),
                                       offsetof(mt_selector_v1, weigh)));
static_assert(has_layout<mt_unit_cost>(40, At{offsetof(mt_unit_cost, head), 0},
                                       At{offsetof(mt_unit_cost, name), 8},
                                       At{offsetof(mt_unit_cost, parameters), 24},
                                       At{offsetof(mt_unit_cost, flops), 32}));
static_assert(is_list<mt_unit_costs>());
static_assert(is_sink<mt_unit_cost_sink>());

// c/learning_rate_schedule.h
static_assert(is_table<mt_learning_rate_schedule_v1>(offsetof(mt_learning_rate_schedule_v1, head),
                                                     offsetof(mt_learning_rate_schedule_v1,
                                                              factor)));

// c/metric_sink.h
static_assert(has_layout<mt_metric>(32, At{offsetof(mt_metric, head), 0},
                                    At{offsetof(mt_metric, name), 8},
                                    At{offsetof(mt_metric, value), 24}));
static_assert(has_layout<mt_run_info>(
    88, At{offsetof(mt_run_info, head), 0}, At{offsetof(mt_run_info, name), 8},
    At{offsetof(mt_run_info, folder), 24}, At{offsetof(mt_run_info, first_step), 40},
    At{offsetof(mt_run_info, total_steps), 48}, At{offsetof(mt_run_info, tokens_per_step), 56},
    At{offsetof(mt_run_info, terminal), 64}, At{offsetof(mt_run_info, report), 72}));
static_assert(has_layout<mt_step_record>(40, At{offsetof(mt_step_record, head), 0},
                                         At{offsetof(mt_step_record, step), 8},
                                         At{offsetof(mt_step_record, values), 16},
                                         At{offsetof(mt_step_record, shown), 32}));
static_assert(is_table<mt_metric_sink_v1>(offsetof(mt_metric_sink_v1, head),
                                          offsetof(mt_metric_sink_v1, begin),
                                          offsetof(mt_metric_sink_v1, write),
                                          offsetof(mt_metric_sink_v1, message),
                                          offsetof(mt_metric_sink_v1, flush)));
static_assert(is_list<mt_metrics>());
static_assert(is_sink<mt_metric_sink>());
static_assert(is_list<mt_run_infos>());
static_assert(is_sink<mt_run_info_sink>());
static_assert(is_list<mt_step_records>());
static_assert(is_sink<mt_step_record_sink>());

// c/command.h
static_assert(is_table<mt_command_v1>(offsetof(mt_command_v1, head), offsetof(mt_command_v1, run)));

// c/logger.h
static_assert(is_table<mt_logger_v1>(offsetof(mt_logger_v1, head), offsetof(mt_logger_v1, log)));
static_assert(is_table<mt_metrics_v1>(offsetof(mt_metrics_v1, head),
                                      offsetof(mt_metrics_v1, record)));

}  // namespace

TEST_CASE("abi: pointers, sizes and numbers have the widths that the layout counts on") {
  static_assert(sizeof(void*) == 8 && sizeof(std::size_t) == 8 && sizeof(double) == 8);
  static_assert(sizeof(mt_status) == 4);
  mt_value value{};
  value.as.i = -1;
  CHECK(value.as.text.data == reinterpret_cast<const char*>(-1));  // members of the union coincide
}
