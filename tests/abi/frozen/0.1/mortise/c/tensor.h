/* Torch-locked: binary within one LibTorch series. A tensor crosses as at::Tensor itself, one
 * pointer that is never null, lent in place: no handles, no counts. */
#ifndef MORTISE_C_TENSOR_H
#define MORTISE_C_TENSOR_H

#include <mortise/c/plugin.h>

typedef struct mt_tensor {
  void* implementation;
} mt_tensor;
MT_LIST_OF(mt_tensor);

/* Frozen: the open part are the names. */
typedef struct mt_named_tensor {
  mt_text name;
  const mt_tensor* value;
} mt_named_tensor;
MT_LIST_OF(mt_named_tensor);

/* A part of a global tensor. */
typedef struct mt_box {
  mt_head head;
  mt_i64s offset, size;
} mt_box;
MT_LIST_OF(mt_box);

#endif
