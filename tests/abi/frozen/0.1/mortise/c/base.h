/* Words that every Mortise interface shares. Plain C99.
 *
 * Ownership: every pointer that crosses, in or out, is lent for the call. Who wants to keep
 * something copies it (text, numbers) or retains it (tensors). Only create/destroy of a component
 * and mt_owned hand something over.
 *
 * Growth: a table or struct begins with mt_head. A member exists if its end lies within
 * struct_size, so members are only ever appended. */
#ifndef MORTISE_C_BASE_H
#define MORTISE_C_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0: done. Else a code of mortise/error.hpp, after exactly one report to the error sink. */
typedef int32_t mt_status;

/* First words of every table and struct that may grow. needs: bit k is set when a member of
 * appended group k differs from its default; a receiver that does not know the bit must refuse. */
typedef struct mt_head {
  uint32_t struct_size;
  uint32_t needs;
} mt_head;

/* Views: UTF-8 text without an end mark, and lists of numbers. */
typedef struct mt_text {
  const char* data;
  size_t size;
} mt_text;
typedef struct mt_u32s {
  const uint32_t* data;
  size_t size;
} mt_u32s;
typedef struct mt_i64s {
  const int64_t* data;
  size_t size;
} mt_i64s;
typedef struct mt_f64s {
  const double* data;
  size_t size;
} mt_f64s;
typedef struct mt_texts {
  const mt_text* data;
  size_t size;
} mt_texts;

/* Results of unknown length: the callee calls put once, the caller copies. put never fails. */
typedef struct mt_text_sink {
  void* self;
  void (*put)(void* self, mt_text value);
} mt_text_sink;
typedef struct mt_u32_sink {
  void* self;
  void (*put)(void* self, mt_u32s value);
} mt_u32_sink;
typedef struct mt_i64_sink {
  void* self;
  void (*put)(void* self, mt_i64s value);
} mt_i64_sink;
typedef struct mt_f64_sink {
  void* self;
  void (*put)(void* self, mt_f64s value);
} mt_f64_sink;
typedef struct mt_texts_sink {
  void* self;
  void (*put)(void* self, mt_texts value);
} mt_texts_sink;

/* The reason for a status other than 0: what happened, the C++ type that was thrown, a stack
 * trace or "". */
typedef struct mt_error_sink {
  void* self;
  void (*report)(void* self, mt_status code, mt_text message, mt_text type, mt_text trace);
} mt_error_sink;

/* A component or service seen through one interface. Lent, like all else. */
typedef struct mt_object {
  const mt_head* table;
  void* self;
} mt_object;

/* A result that the caller owns: drop it with destroy(object.self). */
typedef struct mt_owned {
  mt_object object;
  void (*destroy)(void* self);
} mt_owned;

/* For a data struct NAME: its list NAMEs and the sink NAME_sink. A list steps by the sender's
 * head.struct_size. */
#define MT_LIST_OF(name)                     \
  typedef struct name##s {                   \
    const name* data;                        \
    size_t size;                             \
  } name##s;                                 \
  typedef struct name##_sink {               \
    void* self;                              \
    void (*put)(void* self, name##s values); \
  } name##_sink

#ifdef __cplusplus
}
#endif

#endif
