/** Which worker of `isccd serve --workers` this process is. */
let present: number | undefined;

/** Call it before the first logger is created. @param number from 1 */
export function setWorker(number: number): void {
  present = number;
}

/** From 1; `undefined` outside a worker. A worker that replaces another has its number. */
export function workerNumber(): number | undefined {
  return present;
}
