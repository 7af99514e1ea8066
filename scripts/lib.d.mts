/** Types of the parts of `lib.mjs` that TypeScript programs use. */
import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process';

export const root: string;
export const CARGO_OPTIONS: readonly string[];
export const TSC: string;
export function run(command: string, args: readonly string[], options?: SpawnSyncOptions): void;
export function attempt(
  command: string,
  args: readonly string[],
  options?: SpawnSyncOptions,
): SpawnSyncReturns<string>;
export function wordForCmd(text: string): string;
export function onPath(name: string): boolean;
export function exists(file: string): boolean;
