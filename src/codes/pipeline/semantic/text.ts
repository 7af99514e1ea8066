/** Semantic Text-Code: chunks through a sentence model, one after the other. */
import { native, type SentenceTokenizer } from '../../../native.js';
import type { FeatureSet } from '../../result.js';
import type { SemanticModels } from './models.js';
import { loadModel, type Model, ModelUnfit, type Numbers } from './onnx.js';

export interface SemanticText {
  /** Semantic-Code of 256 bits, with prefix. */
  readonly unit: string;
  /** A simprint per chunk; offsets and sizes count UTF-8 bytes. */
  readonly features: FeatureSet;
}

/** Rejects for a text without a character. */
export async function semanticText(models: SemanticModels, text: string | Uint8Array): Promise<SemanticText> {
  if (models.text === undefined) throw new Error('there is no model for text');
  const [model, tokenizer] = await Promise.all([
    loadModel(models.runtime, models.text.model),
    loadTokenizer(models.text.tokenizer),
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

/** The last hidden state of every token. */
async function statesOf(model: Model, ids: BigInt64Array): Promise<Float32Array> {
  const dims = [1, ids.length];
  const int64 = (data: BigInt64Array): Numbers => ({ type: 'int64', data, dims });
  const known: Readonly<Record<string, () => Numbers>> = {
    input_ids: () => int64(ids),
    // Nothing is padded, and there is one sentence.
    attention_mask: () => int64(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: () => int64(new BigInt64Array(ids.length)),
  };
  const inputs = model.inputNames.map((name) => {
    const make = known[name];
    if (make === undefined) throw new ModelUnfit(`a sentence model has no input ${name}`);
    return [name, make()] as const;
  });
  const { data, dims: shape } = await model.run(Object.fromEntries(inputs));
  if (shape.length !== 3 || shape[0] !== 1 || shape[1] !== ids.length) {
    throw new ModelUnfit(`the output of ${ids.length} tokens has the shape ${shape.join(' x ')}`);
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
