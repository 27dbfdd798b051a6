/* Torch-locked. */
#ifndef MORTISE_C_INFERENCE_H
#define MORTISE_C_INFERENCE_H

#include <mortise/c/tensor.h>

typedef struct mt_trained_model_v1 {
  mt_head head;
  mt_status (*logits)(void* self, const mt_tensor* tokens, const mt_tensor_sink* logits,
                      const mt_error_sink* error);
  mt_status (*tokenizer)(void* self, mt_owned* tokenizer, const mt_error_sink* error);
  mt_status (*context_length)(void* self, int64_t* tokens, const mt_error_sink* error);
  mt_status (*step)(void* self, int64_t* step, const mt_error_sink* error);
  mt_status (*decode)(void* self, const mt_tensor* tokens, const mt_tensor_sink* logits,
                      const mt_error_sink* error);
  mt_status (*restart)(void* self, const mt_error_sink* error);
} mt_trained_model_v1;

typedef struct mt_inference_v1 {
  mt_head head;
  mt_status (*open)(void* self, mt_text path, mt_owned* model, const mt_error_sink* error);
} mt_inference_v1;

#endif
