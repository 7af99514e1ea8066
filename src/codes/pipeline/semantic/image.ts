/** Semantic Image-Code: the picture as a square through an image model. */
import { native } from '../../../native.js';
import type { SemanticModels } from './models.js';
import { loadModel, ModelUnfit } from './onnx.js';

const SIDE_PIXELS = 512;

/**
 * Semantic-Code of 256 bits, with prefix. `pixels` are the red, green and blue planes of the square, levels from -1
 * to 1.
 */
export async function semanticImage(models: SemanticModels, pixels: Float32Array): Promise<string> {
  if (models.image === undefined) throw new Error('there is no model for images');
  const model = await loadModel(models.runtime, models.image.model);
  const [input, ...others] = model.inputNames;
  if (input === undefined || others.length > 0) throw new ModelUnfit('an image model has one input');
  const dims = [1, 3, SIDE_PIXELS, SIDE_PIXELS];
  const { data, dims: shape } = await model.run({ [input]: { type: 'float32', data: pixels, dims } });
  // One image, one vector: `(1, n)`, or `(1, 1, n)` where a model puts a list around it.
  if (shape.slice(0, -1).some((count) => count !== 1)) {
    throw new ModelUnfit(`the output has the shape ${shape.join(' x ')}`);
  }
  return native.semanticImageCode(data);
}
