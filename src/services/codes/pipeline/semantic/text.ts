/** Semantic Text-Code: runs the chunks of a text through a sentence model, one after the other. */
import { native, type SentenceTokenizer } from '../../../../native.js';
import type { FeatureSet } from '../../result.js';
import type { SemanticModels, TextModel } from './models.js';
import { loadModel, type Model, ModelUnfit, type Numbers, withModel } from './onnx.js';

export interface SemanticText {
  /** Semantic-Code of 256 bits, with prefix. */
  readonly unit: string;
  /** One simprint per chunk; offsets and sizes in UTF-8 bytes. */
  readonly features: FeatureSet;
}

/**
 * Rejects an empty text.
 *
 * @throws {CodesRefusal} `SEMANTIC_FAILED` if the model or the tokenizer is unsuitable
 */
export async function semanticText(models: SemanticModels, text: string | Uint8Array): Promise<SemanticText> {
  if (models.text === undefined) throw new Error('no text model is configured');
  const { text: files, runtime } = models;
  return withModel(() => unitOf(runtime, files, text));
}

async function unitOf(runtime: string, files: TextModel, text: string | Uint8Array): Promise<SemanticText> {
  const [model, tokenizer] = await Promise.all([
    loadModel(runtime, files.model),
    loadTokenizer(files.tokenizer),
  ]);
  const { offsets, sizes, ids, tokens } = await tokenizer.split(text);
  const embedding = new native.TextEmbedding();
  let start = 0;
  for (const count of tokens) {
    embedding.push(await statesOf(model, ids.slice(start, start + count)), count);
    start += count;
  }
  const { unit, simprints } = embedding.finish();
  const kind = { maintype: 'semantic', subtype: 'text', version: 0, byte_offsets: true } as const;
  return { unit, features: { ...kind, simprints, offsets: [...offsets], sizes: [...sizes] } };
}

/** The last hidden states of all tokens. */
async function statesOf(model: Model, ids: BigInt64Array): Promise<Float32Array> {
  const dims = [1, ids.length];
  const int64 = (data: BigInt64Array): Numbers => ({ type: 'int64', data, dims });
  const known: Readonly<Record<string, () => Numbers>> = {
    input_ids: () => int64(ids),
    // No padding, and a single sentence.
    attention_mask: () => int64(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: () => int64(new BigInt64Array(ids.length)),
  };
  const inputs = model.inputNames.map((name) => {
    const make = known[name];
    if (make === undefined) throw new ModelUnfit(`unknown model input ${name}`);
    return [name, make()] as const;
  });
  const { data, dims: shape } = await model.run(Object.fromEntries(inputs));
  if (shape.length !== 3 || shape[0] !== 1 || shape[1] !== ids.length) {
    throw new ModelUnfit(`unexpected output shape ${shape.join(' x ')} for ${ids.length} tokens`);
  }
  return data;
}

const tokenizers = new Map<string, Promise<SentenceTokenizer>>();

function loadTokenizer(file: string): Promise<SentenceTokenizer> {
  let tokenizer = tokenizers.get(file);
  if (tokenizer === undefined) {
    tokenizer = native.loadTokenizer(file);
    tokenizers.set(file, tokenizer);
    tokenizer.catch(() => tokenizers.delete(file));
  }
  return tokenizer;
}
