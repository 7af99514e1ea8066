/** Processor time and memory of a process and all below it. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const MS_PER_TICK = 10;
const PAGE_KIB = 4;
const SAMPLE_MS = 50;

/** Ids of the topmost process, and of one below it that does not count. */
export interface Tree {
  readonly root: number;
  readonly without?: number | undefined;
}

interface Usage {
  readonly parent: number;
  /** Of the process, and of those below it that have ended. */
  readonly cpuMs: number;
  readonly residentKib: number;
  readonly isBench: boolean;
}

/** What a piece of work took. */
export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The highest sum of resident memory, sampled. */
  readonly peakMib: number;
}

/** Processor time of a tree, also of processes that have ended. */
export function treeCpuMs(tree: Tree = { root: process.pid }): number {
  return usages(tree).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** Runs `work` and measures it. */
export async function costOf<T>(tree: Tree, work: () => Promise<T>): Promise<{ cost: Cost; result: T }> {
  let peakKib = 0;
  const sample = () => {
    // The memory of the benchmark itself does not count.
    const kib = usages(tree).reduce((sum, { residentKib, isBench }) => sum + (isBench ? 0 : residentKib), 0);
    peakKib = Math.max(peakKib, kib);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const [cpuMs, start] = [treeCpuMs(tree), performance.now()];
  try {
    const result = await work();
    const seconds = (performance.now() - start) / 1000;
    sample();
    const cpuSeconds = (treeCpuMs(tree) - cpuMs) / 1000;
    return { cost: { seconds, cpuSeconds, peakMib: peakKib / 1024 }, result };
  } finally {
    clearInterval(timer);
  }
}

function usages({ root, without }: Tree): Usage[] {
  const all = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? usageOf(name) : [])));
  const belongs = (pid: number): boolean => {
    if (pid === without) return false;
    const parent = all.get(pid)?.parent;
    return pid === root || (parent !== undefined && parent !== 0 && belongs(parent));
  };
  return [...all].filter(([pid]) => belongs(pid)).map(([, usage]) => usage);
}

function usageOf(name: string): [number, Usage][] {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const usage = {
      parent: Number(fields[1]),
      cpuMs: ticks * MS_PER_TICK,
      residentKib: Number(fields[21]) * PAGE_KIB,
      isBench: Number(name) === process.pid,
    };
    return [[Number(name), usage]];
  } catch {
    // It has ended since.
    return [];
  }
}
