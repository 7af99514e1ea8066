/**
 * Calls of `crates/wasm`: JSON and bytes in, JSON out. A trap ends an instance, because its memory may be in any state; the
 * next call makes a new one. Design: docs/design/wasm.md.
 */
import { WasmError } from './failure.js';

/** The exports of `crates/wasm/src/lib.rs`. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  reserve(length: number): number;
  release(start: number, length: number): void;
  call(request: number, requestLength: number, bytes: number, bytesLength: number): bigint;
  hasher_new(): number;
  hasher_piece(hasher: number): number;
  hasher_update(hasher: number, length: number): void;
  hasher_finish(hasher: number, bits: number, wide: number): bigint;
  hasher_drop(hasher: number): void;
  /** Runs a call of libjpeg-turbo, which {@link LEFT} may end; missing in a module without JPEG. */
  attempted?(call: number): void;
}

type Answer =
  | { readonly ok: unknown }
  | { readonly error: { readonly code: string; readonly message: string } };

const NOTHING = new Uint8Array();
/** Ends a call of libjpeg-turbo, which reports errors by a jump out of it. See crates/wasm/libjpeg. */
const LEFT = new Error('libjpeg-turbo has left a call');
/** Ends a call at pixels that other builds of libjpeg-turbo decode in another way. */
const DOUBT = new WasmError('NO_DECODER', 'damaged JPEG data, which decoders read in different ways');

export class Engine {
  readonly #module: WebAssembly.Module;
  #exports: Exports | undefined;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** The result of a request; throws a {@link WasmError}. */
  call<T>(
    request: Readonly<Record<string, unknown>> & { readonly call: string },
    bytes: Uint8Array = NOTHING,
  ): T {
    return this.run((exports) => {
      const json = new TextEncoder().encode(JSON.stringify(request));
      return exports.call(copy(exports, json), json.length, copy(exports, bytes), bytes.length);
    });
  }

  /** Runs a call whose result is the place of an answer. */
  run<T>(work: (exports: Exports) => bigint): T {
    return this.guarded((exports) => {
      const answer = take(exports, work(exports));
      if ('error' in answer) throw new WasmError(answer.error.code, answer.error.message);
      return answer.ok as T;
    });
  }

  /** Runs a call. After a trap or a doubt the next one has a new instance. */
  guarded<T>(work: (exports: Exports) => T): T {
    this.#exports ??= instantiate(this.#module);
    try {
      return work(this.#exports);
    } catch (error) {
      if (error instanceof WasmError && error !== DOUBT) throw error;
      this.#exports = undefined;
      if (error === DOUBT) throw new WasmError(DOUBT.code, DOUBT.message);
      throw new WasmError(
        'INTERNAL',
        `the module stopped: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  /** Whether `exports` are those of the current instance. */
  has(exports: Exports): boolean {
    return this.#exports === exports;
  }
}

function instantiate(module: WebAssembly.Module): Exports {
  const attempt = (call: number): number => {
    try {
      exports.attempted?.(call);
      return 0;
    } catch (error) {
      if (error === LEFT) return 1;
      throw error;
    }
  };
  const leave = (): never => {
    throw LEFT;
  };
  const doubt = (): never => {
    throw DOUBT;
  };
  const exports = new WebAssembly.Instance(module, imports(module, { attempt, leave, doubt }))
    .exports as unknown as Exports;
  return exports;
}

/**
 * The module calls only its own imports. It has others: the writer of zip archives, which is never called, would take random
 * numbers from JavaScript through wasm-bindgen, and the C library would write to files.
 */
function imports(module: WebAssembly.Module, own: WebAssembly.ModuleImports): WebAssembly.Imports {
  const stop = (name: string) => () => {
    throw new Error(`${name} was called`);
  };
  const found: Record<string, WebAssembly.ModuleImports> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const group = found[from] ?? {};
    found[from] = group;
    group[name] = (from === 'isccd' ? own[name] : undefined) ?? stop(name);
  }
  return found;
}

function copy(exports: Exports, bytes: Uint8Array): number {
  const start = exports.reserve(bytes.length);
  // Every allocation may replace the buffer of the memory.
  new Uint8Array(exports.memory.buffer).set(bytes, start >>> 0);
  return start;
}

function take(exports: Exports, place: bigint): Answer {
  const [start, length] = [Number(place & 0xffff_ffffn), Number((place >> 32n) & 0xffff_ffffn)];
  const json = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, start, length));
  exports.release(start, length);
  return JSON.parse(json) as Answer;
}
