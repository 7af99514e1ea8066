/** A limit of memory for a process and all that it starts, as containers have it. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where the kernel lists groups with a limit of memory, in its two versions, with a file that only it has there. */
const VERSIONS = [
  { root: '/sys/fs/cgroup', own: 'cgroup.controllers', limit: 'memory.max', events: 'memory.events' },
  {
    root: '/sys/fs/cgroup/memory',
    own: 'memory.oom_control',
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
  },
] as const;

export interface Container {
  /** Program with arguments that runs a command in it. */
  readonly under: readonly string[];
  /** Processes that the kernel has ended for want of memory. */
  killed(): number;
  /** Removes it, when its processes have ended. */
  remove(): void;
}

/** `undefined` if the kernel or the rights of this process do not allow one. */
export function container(bytesMax: number): Container | undefined {
  for (const { root, own, limit, events } of VERSIONS) {
    if (!existsSync(path.join(root, own))) continue;
    const folder = path.join(root, `isccd-torture-${process.pid}`);
    const remove = () => {
      if (existsSync(folder)) rmdirSync(folder);
    };
    try {
      mkdirSync(folder);
      writeFileSync(path.join(folder, limit), String(bytesMax));
    } catch {
      remove();
      continue;
    }
    const join = `echo $$ > ${path.join(folder, 'cgroup.procs')} && exec "$@"`;
    return {
      under: ['sh', '-c', join, 'sh'],
      killed: () =>
        Number(/^oom_kill (\d+)$/m.exec(readFileSync(path.join(folder, events), 'latin1'))?.[1] ?? 0),
      remove,
    };
  }
  return undefined;
}
