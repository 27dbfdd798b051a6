#ifndef MORTISE_C_TOKENIZER_H
#define MORTISE_C_TOKENIZER_H

#include <mortise/c/base.h>

typedef struct mt_special_token {
  mt_head head;
  mt_text name;
  int64_t id;
} mt_special_token;
MT_LIST_OF(mt_special_token);

typedef struct mt_encoded_batch {
  mt_head head;
  mt_u32s ids;
  mt_i64s ends;
} mt_encoded_batch;
MT_LIST_OF(mt_encoded_batch);

typedef struct mt_tokenizer_v1 {
  mt_head head;
  mt_status (*encode)(void* self, mt_text text, const mt_u32_sink* ids, const mt_error_sink* error);
  mt_status (*decode)(void* self, mt_u32s ids, const mt_text_sink* text,
                      const mt_error_sink* error);
  mt_status (*vocabulary_size)(void* self, int64_t* size, const mt_error_sink* error);
  mt_status (*special_tokens)(void* self, const mt_special_token_sink* tokens,
                              const mt_error_sink* error);
  mt_status (*fingerprint)(void* self, const mt_text_sink* text, const mt_error_sink* error);
  mt_status (*encode_batch)(void* self, mt_texts texts, const mt_encoded_batch_sink* batch,
                            const mt_error_sink* error);
} mt_tokenizer_v1;

#endif
