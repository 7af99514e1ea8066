/** Whether a command goes on without a standard output. */

let isOptional = false;

/** From now on a standard output that is closed or full does not end the process. */
export function goOnWithoutOutput(): void {
  isOptional = true;
}

export function goesOnWithoutOutput(): boolean {
  return isOptional;
}
