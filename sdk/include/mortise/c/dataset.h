#ifndef MORTISE_C_DATASET_H
#define MORTISE_C_DATASET_H

#include <mortise/c/base.h>

/* A named array in memory that is lent for the call. strides (in elements) empty: contiguous,
 * last dimension fastest. dtype: DType of mortise/data/array.hpp. */
typedef struct mt_array {
  mt_head head;
  mt_text name;
  int32_t dtype;
  mt_i64s shape, strides;
  const void* data;
  uint64_t bytes;
} mt_array;
MT_LIST_OF(mt_array);

typedef struct mt_sample {
  mt_head head;
  mt_arrays arrays;
} mt_sample;
MT_LIST_OF(mt_sample);

typedef struct mt_dataset_info {
  mt_head head;
  mt_text source;
  int64_t samples, tokens, documents;
  mt_text tokenizer_fingerprint;
  int64_t vocabulary_size, largest_token;
} mt_dataset_info;
MT_LIST_OF(mt_dataset_info);

typedef struct mt_draw_request {
  mt_head head;
  int64_t first, count;
  int64_t total_steps, sequences_per_step, tokens_per_step;
} mt_draw_request;
MT_LIST_OF(mt_draw_request);

typedef struct mt_source_use {
  mt_head head;
  mt_text name;
  int64_t drawn, samples;
} mt_source_use;
MT_LIST_OF(mt_source_use);

/* draw: order is a mt_sample_order_v1. */
typedef struct mt_dataset_v1 {
  mt_head head;
  mt_status (*info)(void* self, const mt_dataset_info_sink* info, const mt_error_sink* error);
  mt_status (*size)(void* self, int64_t* samples, const mt_error_sink* error);
  mt_status (*read)(void* self, mt_i64s indices, const mt_sample_sink* samples,
                    const mt_error_sink* error);
  mt_status (*where)(void* self, int64_t index, const mt_text_sink* place,
                     const mt_error_sink* error);
  mt_status (*draw)(void* self, mt_object order, const mt_draw_request* request,
                    const mt_i64_sink* indices, const mt_error_sink* error);
  mt_status (*sources)(void* self, const mt_draw_request* until, const mt_source_use_sink* uses,
                       const mt_error_sink* error);
} mt_dataset_v1;

typedef struct mt_order_request {
  mt_head head;
  int64_t first, count, samples;
  int64_t stream;
} mt_order_request;
MT_LIST_OF(mt_order_request);

typedef struct mt_sample_order_v1 {
  mt_head head;
  mt_status (*indices)(void* self, const mt_order_request* request, const mt_i64_sink* indices,
                       const mt_error_sink* error);
} mt_sample_order_v1;

#endif
