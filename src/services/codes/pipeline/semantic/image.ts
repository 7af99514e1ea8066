/** Semantic Image-Code: runs the image, scaled to a square, through a model. */
import { native } from '../../../../native.js';
import type { SemanticModels } from './models.js';
import { loadModel, ModelUnfit, withModel } from './onnx.js';

const SIDE_PIXELS = 512;

/**
 * Semantic-Code of 256 bits, with prefix. `pixels` are the red, green and blue planes of the square, in -1 to 1.
 *
 * @throws {CodesRefusal} `SEMANTIC_FAILED` if the model is unsuitable
 */
export async function semanticImage(models: SemanticModels, pixels: Float32Array): Promise<string> {
  if (models.image === undefined) throw new Error('no image model is configured');
  const { runtime, image } = models;
  return withModel(() => unitOf(runtime, image.model, pixels));
}

async function unitOf(runtime: string, file: string, pixels: Float32Array): Promise<string> {
  const model = await loadModel(runtime, file);
  const [input, ...others] = model.inputNames;
  if (input === undefined || others.length > 0)
    throw new ModelUnfit('an image model must have exactly one input');
  const dims = [1, 3, SIDE_PIXELS, SIDE_PIXELS];
  const { data, dims: shape } = await model.run({ [input]: { type: 'float32', data: pixels, dims } });
  // One vector for one image: the shape is `(1, n)`, or `(1, 1, n)` for some models.
  if (shape.slice(0, -1).some((count) => count !== 1)) {
    throw new ModelUnfit(`unexpected output shape ${shape.join(' x ')}`);
  }
  return native.semanticImageCode(data);
}
