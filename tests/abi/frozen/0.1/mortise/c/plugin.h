/* What a plugin file offers: one exported function, constant tables. Plain C99. */
#ifndef MORTISE_C_PLUGIN_H
#define MORTISE_C_PLUGIN_H

#include <mortise/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of mt_value. The top bit of kind is reserved: "must be understood". */
enum {
  MT_NONE = 0,
  MT_BOOL = 1,
  MT_INT = 2,
  MT_FLOAT = 3,
  MT_TEXT = 4,
  MT_LIST = 5,
  MT_MAP = 6,
  MT_COMPONENT = 7
};

/* One node of a settings tree. 32 bytes for ever: nodes lie in arrays. New kinds may come. */
typedef struct mt_value mt_value;
typedef struct mt_values {
  const mt_value* data;
  size_t size;
} mt_values;
struct mt_value {
  const char* key; /* null in a list */
  uint64_t kind;
  union {
    int64_t i; /* MT_BOOL, MT_INT */
    double f;
    mt_text text;
    mt_values items; /* MT_LIST, MT_MAP */
    mt_object object;
  } as;
};

/* What the host lends a component for its whole life. */
typedef struct mt_context_v1 {
  mt_head head;
  void* self;
  mt_object (*service)(void* self, const char* interface_id); /* table null: not offered */
  mt_text run_folder;
  uint64_t seed;
} mt_context_v1;

typedef struct mt_component_v1 {
  mt_head head;
  const char* interface_id; /* its main interface */
  const char* key;          /* its name in a run file */
  /* settings and context are lent until destroy. */
  mt_status (*create)(mt_values settings, const mt_context_v1* context, void** made,
                      const mt_error_sink* error);
  mt_object (*view)(void* made, const char* interface_id); /* table null: does not speak it */
  void (*destroy)(void* made);
} mt_component_v1;

typedef struct mt_plugin_v1 {
  mt_head head;
  const char* manifest; /* the JSON text of the ELF note */
  const mt_component_v1* const* components;
  size_t component_count;
} mt_plugin_v1;

/* The one exported symbol: const mt_plugin_v1* mortise_plugin(void); */

#ifdef __cplusplus
}
#endif

#endif
