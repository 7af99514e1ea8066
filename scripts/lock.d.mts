/** Types of `lock.mjs`. */
export function exclusively<Result>(file: string, work: () => Result, onWait?: (pid: string) => void): Result;
