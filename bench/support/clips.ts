/** CPU time per short clip, of this process, its workers and FFmpeg, next to that of starting FFmpeg's programs alone. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { treeCpuMs } from './process-tree.js';

const FILM = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=2'];
const TONE = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2'];
const CHORD = [
  '-f',
  'lavfi',
  '-i',
  'aevalsrc=sin(440*2*PI*t)*sin(3*t)+0.3*sin(660*2*PI*t*t/60)|sin(220*2*PI*t):d=60:s=44100',
];

/** Name, arguments of ffmpeg that make it, and the target in ms. */
const CLIPS = [
  ['2 s of film.mp4', [...FILM, ...TONE, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'], 110],
  ['60 s of sound.m4a', [...CHORD, '-c:a', 'aac', '-b:a', '128k'], 100],
] as const;

/** Runs `code`, which processes one file, `count` times per clip and prints the CPU time per file. */
export async function measureClips(code: (file: string) => Promise<string>, count: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
  try {
    const starts = await cpuMs(count, () => {
      for (const program of ['ffprobe', 'ffmpeg']) execFileSync(program, ['-version']);
    });
    console.log(`starting ffprobe and ffmpeg without a file: ${starts.toFixed(0)} ms of CPU time`);
    for (const [name, args, target] of CLIPS) {
      const file = path.join(folder, name);
      execFileSync('ffmpeg', ['-loglevel', 'error', ...args, file]);
      // The first run starts the worker and what stays loaded.
      const iscc = await code(file);
      const each = await cpuMs(count, () => code(file));
      console.log(`${name}: ${each.toFixed(0)} ms of CPU time per file (target ${target} ms), ${iscc}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** CPU time per call in ms. */
async function cpuMs(count: number, work: () => unknown): Promise<number> {
  const start = treeCpuMs();
  for (let index = 0; index < count; index += 1) await work();
  return (treeCpuMs() - start) / count;
}
