/* Inverse transforms that the addon computes in the same way. Its kernels for SIMD have 16 bits for what the C code has 32 for,
 * so results differ for coefficients that no encoder writes and that damaged files have. The linker puts this function before
 * the library's own. */
#include <math.h>

#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jdct.h"

/* Most that 16 bits hold after two are added, and before that the columns' four-fold results are rounded. */
#define INPUT_MAX 16383
#define COLUMN_MAX 4095
/* Samples are looked up in a table of 1024 entries around their middle. */
#define SAMPLE_MAX 510
/* Sums of absolute coefficients that cannot exceed these: the largest factor of a coefficient is 1.387 in each direction. */
#define COLUMN_SUM_MAX 2950
#define BLOCK_SUM_MAX 2120

/* Ends the call of the module: this file is left to the service. */
__attribute__((import_module("isccd"), import_name("doubt"))) _Noreturn void isccd_doubt(void);

void __real_jpeg_idct_islow(j_decompress_ptr decoder, jpeg_component_info *component, JCOEFPTR coefficients,
                            JSAMPARRAY rows, JDIMENSION column);

/* The square root of 2 times the cosine of n * pi / 16, from n = 0. */
static const float COSINES[9] = {1.414213562f, 1.387039845f, 1.306562965f, 1.175875602f, 1.0f,
                                 0.785694958f, 0.541196100f, 0.275899379f, 0.0f};

static float factor(int sample, int frequency) {
  if (frequency == 0) return 1.0f;
  int turn = (2 * sample + 1) * frequency % 32;
  if (turn > 16) turn = 32 - turn;
  return turn <= 8 ? COSINES[turn] : -COSINES[16 - turn];
}

/* Transforms eight values, `step` apart. Whether no result is above `max`. */
static int is_within(const float *values, int step, float *results, float max) {
  for (int sample = 0; sample < DCTSIZE; sample++) {
    float sum = 0;
    for (int frequency = 0; frequency < DCTSIZE; frequency++) sum += factor(sample, frequency) * values[step * frequency];
    if (fabsf(sum) > max) return 0;
    results[step * sample] = sum;
  }
  return 1;
}

/* Follows the transform itself: for the few blocks with strong contrasts. */
static int is_in_range(const float *values) {
  float columns[DCTSIZE2], samples[DCTSIZE2];
  for (int at = 0; at < DCTSIZE2; at++)
    if (fabsf(values[at]) > INPUT_MAX) return 0;
  for (int column = 0; column < DCTSIZE; column++)
    if (!is_within(values + column, DCTSIZE, columns + column, COLUMN_MAX)) return 0;
  for (int row = 0; row < DCTSIZE; row++)
    if (!is_within(columns + DCTSIZE * row, 1, samples + DCTSIZE * row, SAMPLE_MAX * DCTSIZE)) return 0;
  return 1;
}

void __wrap_jpeg_idct_islow(j_decompress_ptr decoder, jpeg_component_info *component, JCOEFPTR coefficients,
                            JSAMPARRAY rows, JDIMENSION column) {
  const ISLOW_MULT_TYPE *factors = (const ISLOW_MULT_TYPE *)component->dct_table;
  float values[DCTSIZE2];
  float sums[DCTSIZE] = {0};
  float sum = 0, largest = 0;
  for (int row = 0; row < DCTSIZE; row++)
    for (int at = 0; at < DCTSIZE; at++) {
      const float value = (float)coefficients[DCTSIZE * row + at] * (float)factors[DCTSIZE * row + at];
      values[DCTSIZE * row + at] = value;
      sums[at] += fabsf(value);
    }
  for (int at = 0; at < DCTSIZE; at++) {
    sum += sums[at];
    if (sums[at] > largest) largest = sums[at];
  }
  if ((sum > BLOCK_SUM_MAX || largest > COLUMN_SUM_MAX) && !is_in_range(values)) isccd_doubt();
  __real_jpeg_idct_islow(decoder, component, coefficients, rows, column);
}
