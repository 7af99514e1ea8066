/**
 * Runs ONNX models with `onnxruntime-node`. It has 290 MB and is only needed with a model, so it is not a dependency of
 * this package. Workers load it on first use.
 */
import { createRequire } from 'node:module';
import { CodesRefusal } from '../../errors.js';
import { type FileErrorCode, fileErrorCode } from '../../tools/file-error.js';

/** The part of the runtime's API used here. */
interface Runtime {
  readonly Tensor: new (
    type: 'int64' | 'float32',
    data: BigInt64Array | Float32Array,
    dims: readonly number[],
  ) => Tensor;
  readonly InferenceSession: {
    create(path: string, options: Readonly<Record<string, unknown>>): Promise<Session>;
  };
}

interface Tensor {
  readonly dims: readonly number[];
  readonly data: unknown;
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

export type Numbers =
  | { readonly type: 'int64'; readonly data: BigInt64Array; readonly dims: readonly number[] }
  | { readonly type: 'float32'; readonly data: Float32Array; readonly dims: readonly number[] };

export interface ModelOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** The model has unexpected inputs or outputs. */
export class ModelUnfit extends Error {
  override readonly name = 'ModelUnfit';
}

export class Model {
  readonly #runtime: Runtime;
  readonly #session: Session;

  constructor(runtime: Runtime, session: Session) {
    this.#runtime = runtime;
    this.#session = session;
  }

  get inputNames(): readonly string[] {
    return this.#session.inputNames;
  }

  /** Runs the model and returns its first output. */
  async run(inputs: Readonly<Record<string, Numbers>>): Promise<ModelOutput> {
    const { Tensor } = this.#runtime;
    const feeds = Object.entries(inputs).map(([name, { type, data, dims }]) => [
      name,
      new Tensor(type, data, dims),
    ]);
    const outputs = await this.#session.run(Object.fromEntries(feeds));
    const first = outputs[this.#session.outputNames[0] ?? ''];
    if (!(first?.data instanceof Float32Array)) throw new ModelUnfit('the output is not float32');
    return { data: first.data, dims: first.dims };
  }
}

/**
 * Runs code that uses a model or its tokenizer. Their errors are faults of the service, never of the file.
 *
 * @throws {CodesRefusal} `SEMANTIC_FAILED` with the error as its cause
 */
export async function withModel<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const code = fileErrorCode(error);
    if (error instanceof CodesRefusal || (code !== undefined && ABOUT_TEXT.has(code))) throw error;
    throw new CodesRefusal('SEMANTIC_FAILED', {}, { cause: error });
  }
}

/** A file that is damaged is the tokenizer, as the text is in memory. */
const ABOUT_TEXT: ReadonlySet<FileErrorCode> = new Set([
  'FILE_NO_TEXT',
  'FILE_TOO_LARGE',
  'FILE_TOO_COSTLY',
  'FILE_TOO_COMPLEX',
]);

const loaded = new Map<string, Promise<Model>>();

/** Loads a model once per process. `runtime` is the ONNX runtime module. */
export function loadModel(runtime: string, file: string): Promise<Model> {
  let model = loaded.get(file);
  if (model === undefined) {
    model = createModel(runtime, file);
    loaded.set(file, model);
    model.catch(() => loaded.delete(file));
  }
  return model;
}

/** One thread, because there is a worker per core. */
const OPTIONS = { executionProviders: ['cpu'], intraOpNumThreads: 1, interOpNumThreads: 1 };

async function createModel(name: string, file: string): Promise<Model> {
  const runtime = loadRuntime(name);
  return new Model(runtime, await runtime.InferenceSession.create(file, OPTIONS));
}

function loadRuntime(name: string): Runtime {
  try {
    return createRequire(import.meta.url)(name) as Runtime;
  } catch (error) {
    const reason =
      'Semantic units need the package onnxruntime-node: install it ' +
      '(ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node) or set CODESDK_ONNXRUNTIME to its folder.';
    throw new CodesRefusal('ONNXRUNTIME_MISSING', { reason }, { cause: error });
  }
}
