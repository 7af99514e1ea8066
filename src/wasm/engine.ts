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
}

type Answer =
  | { readonly ok: unknown }
  | { readonly error: { readonly code: string; readonly message: string } };

const NOTHING = new Uint8Array();

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

  /** Runs a call. After a trap the next one has a new instance. */
  guarded<T>(work: (exports: Exports) => T): T {
    this.#exports ??= new WebAssembly.Instance(this.#module, imports(this.#module))
      .exports as unknown as Exports;
    try {
      return work(this.#exports);
    } catch (error) {
      if (error instanceof WasmError) throw error;
      this.#exports = undefined;
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

/**
 * The writer of zip archives, which the module never calls, would take random numbers from JavaScript through wasm-bindgen.
 * All imports are its own, and none is called.
 */
function imports(module: WebAssembly.Module): WebAssembly.Imports {
  const stop = (name: string) => () => {
    throw new Error(`${name} was called`);
  };
  const found: Record<string, Record<string, () => never>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const group = found[from] ?? {};
    found[from] = group;
    group[name] = stop(name);
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
