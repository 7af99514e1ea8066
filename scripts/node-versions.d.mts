/** Types of `node-versions.mjs`, for tests. */
export const NODE_OLDEST: string;
export const NODE_VERSIONS: readonly string[];
export const NODE_TOO_OLD: string;
export function nodeProgram(version: string): string;
