export const WASM: string;
export function wasmProblem(): string | undefined;
export function wasmJpegProblem(): string | undefined;
export function copyModule(): void;
export function buildWasm(): void;
