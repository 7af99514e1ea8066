/**
 * SIGHUP, at which `isccd serve` reads the files of its configuration again. It would end the process without a handler,
 * also while the services start, and supervisors count that as a wanted end.
 */

let reload: (() => void) | undefined;
let isPending = false;

/** From now on SIGHUP does not end the process. One that arrives before {@link onHangUp} is remembered. */
export function catchHangUps(): void {
  process.on('SIGHUP', () => {
    if (reload === undefined) isPending = true;
    else reload();
  });
}

/** Calls `work` at each SIGHUP, and at once if one has arrived before. */
export function onHangUp(work: () => void): void {
  reload = work;
  if (isPending) work();
  isPending = false;
}
