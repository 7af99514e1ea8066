/* The functions of TurboJPEG that the crate iscc-image calls and that may end with an error inside the library. The build
 * gives the library's own ones the prefix `inner_`; these call them through JavaScript, which catches what `setjmp.h` throws.
 * What the library would free after a jump is freed by tj3Destroy, except one array of row pointers. */
#include <stddef.h>

#define EXPORT(name) __attribute__((export_name(name)))

typedef void *handle;

int inner_tj3DecompressHeader(handle jpeg, const unsigned char *file, size_t size);
int inner_tj3Decompress8(handle jpeg, const unsigned char *file, size_t size, unsigned char *pixels, int pitch,
                         int format);

/* A call, and its status. */
struct call {
  handle jpeg;
  const unsigned char *file;
  size_t size;
  unsigned char *pixels; /* NULL: read the header only */
  int pitch;
  int format;
  int status;
};

/* Calls `isccd_attempted`; not 0 if that was left by an exception of `isccd_leave`. */
__attribute__((import_module("isccd"), import_name("attempt"))) int isccd_attempt(struct call *call);

EXPORT("attempted") void isccd_attempted(struct call *call) {
  call->status = call->pixels == NULL
                     ? inner_tj3DecompressHeader(call->jpeg, call->file, call->size)
                     : inner_tj3Decompress8(call->jpeg, call->file, call->size, call->pixels, call->pitch, call->format);
}

static int attempt(struct call call) {
  const int failure = -1;
  return isccd_attempt(&call) == 0 ? call.status : failure;
}

int tj3DecompressHeader(handle jpeg, const unsigned char *file, size_t size) {
  return attempt((struct call){.jpeg = jpeg, .file = file, .size = size});
}

int tj3Decompress8(handle jpeg, const unsigned char *file, size_t size, unsigned char *pixels, int pitch, int format) {
  return attempt((struct call){jpeg, file, size, pixels, pitch, format, 0});
}
