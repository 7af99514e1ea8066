/**
 * Clips in films and passages in recordings: how many are found at their time, spans in unrelated content, and what simprints
 * cost. All files are made by seeds. Clips are encoded again, resized, of another frame rate, with a logo, or of another
 * codec, rate or volume. Fails below the targets.
 *
 * Arguments: `files=50` of each medium in the index, `others=10` outside of it, `seconds=60` of each, `clips=2` of each length
 * per file, `only=video` or `only=audio`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClipFigures, clipFigures, type Share } from './support/clip-figures.js';
import { LENGTHS, type Medium } from './support/clip-files.js';
import { ARGUMENTS, quickOr } from './support/options.js';

const WORKER = fileURLToPath(new URL('../dist/services/codes/pipeline/worker.js', import.meta.url));
/** By seconds of a clip. */
const RECALL_MIN = new Map([
  [10, 0.95],
  [5, 0.8],
]);
/** Of the few clips of a short run, one may be in silence. */
const SPARED = quickOr(1, 0);
/** Of the processor time without simprints. Short runs do not measure it. */
const COST_MAX = quickOr(Number.POSITIVE_INFINITY, 1.1);

const OTHER = { video: 'audio', audio: 'video' } as const;

const given = new Map(ARGUMENTS.map((argument) => argument.split('=') as [string, string]));
const number = (name: string, fallback: number) => Number(given.get(name) ?? fallback);
const FILES = number('files', quickOr(3, 50));
const OTHERS = number('others', quickOr(1, 10));
const SECONDS = number('seconds', quickOr(30, 60));
const MEDIA = (['video', 'audio'] as const).filter((medium) => given.get('only') !== OTHER[medium]);
const CLIPS = number('clips', quickOr(1, 2));

const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-clips-'));
try {
  const options = { files: FILES, others: OTHERS, seconds: SECONDS, clips: CLIPS, folder, worker: WORKER };
  console.log(
    `${FILES} films and ${FILES} recordings of ${SECONDS} s, ${OTHERS} of each outside of the index`,
  );
  for (const medium of MEDIA) print(medium, await clipFigures(medium, options));
} finally {
  await rm(folder, { recursive: true, force: true });
}

function print(medium: Medium, figures: ClipFigures): void {
  console.log(`\n${medium}`);
  for (const seconds of LENGTHS) {
    const share = figures.byLength.get(seconds) ?? { found: 0, all: 0 };
    const least = RECALL_MIN.get(seconds) ?? 0;
    line(
      `clips of ${seconds} s`,
      text(share),
      share.found + SPARED >= least * share.all,
      `at least ${least}`,
    );
  }
  for (const [change, share] of figures.byChange) line(`  ${change}`, text(share));
  const pairs = `${figures.falseSpans.length} in ${figures.unrelated} pairs`;
  line('spans in unrelated files', pairs, figures.falseSpans.length === 0, 'none');
  line('  most similar parts', figures.greatestSimilarity.toFixed(3));
  const cost = figures.cpuMsGranular / figures.cpuMs;
  line('processor time, ratio', cost.toFixed(3), cost <= COST_MAX, `at most ${COST_MAX}`);
  line('simprints per minute', ((60 * figures.simprints) / (FILES * SECONDS)).toFixed(0));
  for (const name of figures.missed) console.log(`missed: ${name}`);
  for (const name of figures.falseSpans) console.log(`wrong: ${name}`);
}

function text({ found, all }: Share): string {
  return `${found} of ${all}: ${(found / all).toFixed(3)}`;
}

function line(name: string, value: string, isReached = true, target?: string): void {
  const end = target === undefined ? '' : `  (target: ${target}${isReached ? '' : '; missed'})`;
  console.log(`${name.padEnd(28)}${value}${end}`);
  if (!isReached) process.exitCode = 1;
}
