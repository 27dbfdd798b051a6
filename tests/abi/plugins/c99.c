/* A tokenizer and a schedule in plain C99, without the C++ side of the SDK: what the contract alone
 * takes. Built against the frozen headers of a released version. */

#include <mortise/c/learning_rate_schedule.h>
#include <mortise/c/plugin.h>
#include <mortise/c/tokenizer.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_MEMORY = 2, BAD_ARGUMENT = 4, END_OF_DOCUMENT = 256 };

static mt_text text_of(const char* text) {
  const mt_text view = {text, strlen(text)};
  return view;
}

static mt_status tell(const mt_error_sink* error, mt_status code, const char* message) {
  error->report(error->self, code, text_of(message), text_of("c99"), text_of(""));
  return code;
}

/* ---- tokenizer: a byte is its own id ----------------------------------------------------------
 */
static mt_status encode(void* self, mt_text text, const mt_u32_sink* ids,
                        const mt_error_sink* error) {
  uint32_t* const all = malloc(text.size * sizeof *all + 1);
  const mt_u32s list = {all, text.size};
  (void)self;
  if (all == NULL) return tell(error, OUT_OF_MEMORY, "no memory for the ids");
  for (size_t i = 0; i != text.size; ++i) all[i] = (unsigned char)text.data[i];
  ids->put(ids->self, list);
  free(all);
  return 0;
}

static mt_status decode(void* self, mt_u32s ids, const mt_text_sink* text,
                        const mt_error_sink* error) {
  char* const all = malloc(ids.size + 1);
  mt_text made = {all, 0};
  mt_status status = 0;
  (void)self;
  if (all == NULL) return tell(error, OUT_OF_MEMORY, "no memory for the text");
  for (size_t i = 0; i != ids.size && status == 0; ++i) {
    if (ids.data[i] > END_OF_DOCUMENT) status = tell(error, BAD_ARGUMENT, "no such id");
    if (ids.data[i] < END_OF_DOCUMENT) all[made.size++] = (char)ids.data[i];
  }
  if (status == 0) text->put(text->self, made);
  free(all);
  return status;
}

static mt_status vocabulary_size(void* self, int64_t* size, const mt_error_sink* error) {
  (void)self, (void)error;
  *size = END_OF_DOCUMENT + 1;
  return 0;
}

static mt_status special_tokens(void* self, const mt_special_token_sink* tokens,
                                const mt_error_sink* error) {
  const mt_special_token end = {
      {sizeof(mt_special_token), 0}, text_of("end_of_document"), END_OF_DOCUMENT};
  const mt_special_tokens list = {&end, 1};
  (void)self, (void)error;
  tokens->put(tokens->self, list);
  return 0;
}

static mt_status fingerprint(void* self, const mt_text_sink* text, const mt_error_sink* error) {
  (void)self, (void)error;
  text->put(text->self, text_of("byte/1"));
  return 0;
}

static mt_status encode_batch(void* self, mt_texts texts, const mt_encoded_batch_sink* batch,
                              const mt_error_sink* error) {
  mt_encoded_batch made = {{sizeof(mt_encoded_batch), 0}, {NULL, 0}, {NULL, texts.size}};
  const mt_encoded_batchs list = {&made, 1};
  uint32_t* ids;
  int64_t* ends;
  size_t count = 0;
  (void)self;
  for (size_t i = 0; i != texts.size; ++i) count += texts.data[i].size;
  ids = malloc(count * sizeof *ids + 1);
  ends = malloc(texts.size * sizeof *ends + 1);
  if (ids != NULL && ends != NULL) {
    for (size_t i = 0; i != texts.size; ++i) {
      for (size_t k = 0; k != texts.data[i].size; ++k)
        ids[made.ids.size++] = (unsigned char)texts.data[i].data[k];
      ends[i] = (int64_t)made.ids.size;
    }
    made.ids.data = ids, made.ends.data = ends;
    batch->put(batch->self, list);
  }
  free(ids), free(ends);
  return ids != NULL && ends != NULL ? 0 : tell(error, OUT_OF_MEMORY, "no memory for the ids");
}

static const mt_tokenizer_v1 tokenizer = {{sizeof(mt_tokenizer_v1), 0},
                                          encode,
                                          decode,
                                          vocabulary_size,
                                          special_tokens,
                                          fingerprint,
                                          encode_batch};

/* ---- schedule: a setting says the factor ------------------------------------------------------
 */
static double factor_of_run;

static mt_status factor(void* self, const mt_progress* progress, double* result,
                        const mt_error_sink* error) {
  if (progress->step < 0) return tell(error, BAD_ARGUMENT, "the step is negative");
  *result = *(double*)self;
  return 0;
}

static const mt_learning_rate_schedule_v1 schedule = {{sizeof(mt_learning_rate_schedule_v1), 0},
                                                      factor};

/* ---- components -------------------------------------------------------------------------------
 */
static mt_status create_tokenizer(mt_values settings, const mt_context_v1* context, void** made,
                                  const mt_error_sink* error) {
  (void)settings, (void)context, (void)error;
  *made = &factor_of_run; /* anything but null */
  return 0;
}

static mt_status create_schedule(mt_values settings, const mt_context_v1* context, void** made,
                                 const mt_error_sink* error) {
  (void)context, (void)error;
  factor_of_run = 1;
  for (size_t i = 0; i != settings.size; ++i)
    if (strcmp(settings.data[i].key, "factor") == 0)
      factor_of_run =
          settings.data[i].kind == MT_INT ? (double)settings.data[i].as.i : settings.data[i].as.f;
  *made = &factor_of_run;
  return 0;
}

static mt_object seen(const mt_head* table, void* made, const char* wanted, const char* offered) {
  mt_object object = {NULL, NULL};
  if (strcmp(wanted, offered) == 0) object.table = table, object.self = made;
  return object;
}
static mt_object view_tokenizer(void* made, const char* id) {
  return seen(&tokenizer.head, made, id, "mortise/tokenizer/1");
}
static mt_object view_schedule(void* made, const char* id) {
  return seen(&schedule.head, made, id, "mortise/learning_rate_schedule/1");
}
static void destroy(void* made) { (void)made; }

/* The fingerprints stand in names.txt of the frozen version. */
#define MANIFEST                                                                                 \
  "{\"id\":\"org.mortise.test.c99\",\"version\":\"1.0.0\",\"sdk\":\"0.1\",\"compiler\":\"c99\"," \
  "\"cxx11_abi\":true,\"tables\":{\"mortise/tokenizer/1\":\"" TOKENIZER_FINGERPRINT              \
  "\",\"mortise/learning_rate_schedule/1\":\"" LEARNING_RATE_SCHEDULE_FINGERPRINT                \
  "\"},\"components\":["                                                                         \
  "{\"interfaces\":[\"mortise/tokenizer/1\"],\"key\":\"c99_bytes\",\"doc\":\"bytes\","           \
  "\"settings\":{\"type\":\"object\",\"properties\":{}}},"                                       \
  "{\"interfaces\":[\"mortise/learning_rate_schedule/1\"],\"key\":\"c99_factor\","               \
  "\"doc\":\"one factor\",\"settings\":{\"type\":\"object\",\"properties\":{\"factor\":{"        \
  "\"type\":\"number\",\"doc\":\"all along\",\"minimum\":0,\"default\":1}}}}]}"

__attribute__((section(".note.mortise"), used, aligned(4))) static const struct {
  uint32_t owner_size, text_size, type;
  char owner[8];
  char text[(sizeof(MANIFEST) + 3) / 4 * 4];
} note = {8, sizeof(MANIFEST), 2, "MORTISE", MANIFEST};

static const mt_component_v1 components[] = {{{sizeof(mt_component_v1), 0},
                                              "mortise/tokenizer/1",
                                              "c99_bytes",
                                              create_tokenizer,
                                              view_tokenizer,
                                              destroy},
                                             {{sizeof(mt_component_v1), 0},
                                              "mortise/learning_rate_schedule/1",
                                              "c99_factor",
                                              create_schedule,
                                              view_schedule,
                                              destroy}};
static const mt_component_v1* const listed[] = {&components[0], &components[1]};
static const mt_plugin_v1 plugin = {{sizeof(mt_plugin_v1), 0}, note.text, listed, 2};

__attribute__((visibility("default"))) const mt_plugin_v1* mortise_plugin(void);
const mt_plugin_v1* mortise_plugin(void) { return &plugin; }
