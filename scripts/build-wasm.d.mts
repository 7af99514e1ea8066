export const WASM: string;
export function wasmProblem(): string | undefined;
export function buildWasm(): void;
