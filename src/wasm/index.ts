/**
 * The package `isccd-wasm`: ISCC codes in browsers, workers, Deno, Bun and Node.js, of bytes that stay where they are. The
 * caller brings the module `isccd.wasm`, because each bundler and engine finds files in its own way.
 */
import { Codes } from './codes.js';

export * from './codes.js';
export { WasmError } from './failure.js';
export { type SumCode, SumHasher, type SumOptions } from './sum-hasher.js';

/** Compiles the module of a response, which is streamed, or of bytes. A compiled one can be posted to workers. */
export async function loadCodes(
  source: WebAssembly.Module | BufferSource | Response | Promise<Response>,
): Promise<Codes> {
  return new Codes(await compiled(await source));
}

function compiled(
  source: WebAssembly.Module | BufferSource | Response,
): Promise<WebAssembly.Module> | WebAssembly.Module {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof Response) return WebAssembly.compileStreaming(source);
  return WebAssembly.compile(source);
}
