/** The writers of containers over mutated and amplified files: a copy, or the refusal that leaves the file to FFmpeg. */
import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ContainerUnfit } from '../../src/services/codes/metadata/container.js';
import { copyWithFlacComments } from '../../src/services/codes/metadata/flac.js';
import { copyWithFlvTags } from '../../src/services/codes/metadata/flv.js';
import { copyWithTags } from '../../src/services/codes/metadata/matroska.js';
import { copyWithOggComments } from '../../src/services/codes/metadata/ogg.js';
import { embedIntoRiff } from '../../src/services/codes/metadata/riff.js';
import { copyWithAtoms } from '../../src/services/codes/pipeline/formats/audio-atoms.js';
import { copyWithAsfTags } from '../../src/services/codes/pipeline/formats/video-asf.js';
import { FileError } from '../../src/services/codes/tools/file-error.js';
import { run } from '../support/command.js';
import { Random } from '../support/torture.js';
import { mutate } from '../torture/support/mutate.js';
import { temporaryFolder } from './support/folder.js';
import { hasProgram } from './support/recorded.js';

const FILES = path.resolve(import.meta.dirname, '../fixtures/codes/files');
/** Copies of each file; `ISCCD_FUZZ_ROUNDS` sets another number, and `ISCCD_FUZZ_SEED` other changes. */
const ROUNDS = Number(process.env.ISCCD_FUZZ_ROUNDS ?? 40);
const SEED = Number(process.env.ISCCD_FUZZ_SEED ?? 1);
const MUTANT_BYTES_MAX = 3_000_000;
/** What `video-embed.ts` allows a copy to have more than its file. */
const EXTRA_BYTES_MAX = 64 * 1024 ** 2;
const SECONDS_MAX = 20;

const written = new Map([['title', 'A new title']]);
const removed = new Set(['comment']);
const none = new Map<string, string>();

interface Writer {
  readonly name: string;
  /** Endings of the fixtures, or the FFmpeg codec of a picture and the ending of its file. */
  readonly files: readonly string[];
  readonly codec?: string;
  readonly write: (source: string, target: string) => Promise<void>;
}

const WRITERS: readonly Writer[] = [
  {
    name: 'FLAC',
    files: ['.flac'],
    write: (source, target) => copyWithFlacComments(source, target, { written, removed }),
  },
  {
    name: 'Ogg',
    files: ['.ogg', '.opus', '.ogv'],
    write: (source, target) => copyWithOggComments(source, target, { written, removed }),
  },
  {
    name: 'Matroska',
    files: ['.mkv', '.webm'],
    write: (source, target) => copyWithTags(source, target, { written, removed, title: 'A title' }),
  },
  {
    name: 'boxes',
    files: ['.m4a', '.mp4'],
    write: (source, target) =>
      copyWithAtoms(source, target, [{ name: 'TITLE', value: 'A title', onlyExisting: false }]),
  },
  {
    name: 'RIFF',
    files: ['.wav', '.avi'],
    write: async (source, target) => {
      await copyFile(source, target);
      await embedIntoRiff(target, { info: [['INAM', 'A title']], xmp: [['dc:title', 'A title']] });
    },
  },
  {
    name: 'FLV',
    files: ['.flv'],
    codec: 'flv',
    write: (source, target) => copyWithFlvTags(source, target, { written, removed }),
  },
  {
    name: 'ASF',
    files: ['.wmv'],
    codec: 'wmv2',
    write: (source, target) =>
      copyWithAsfTags(source, target, { written, removed, atoms: none, replaced: none }),
  },
];

/** Whole files of the kind. */
async function originals({ files, codec }: Writer, folder: string): Promise<Uint8Array[]> {
  if (codec === undefined) {
    const names = (await readdir(FILES)).filter((name) => files.some((end) => name.endsWith(end)));
    return Promise.all(names.map((name) => readFile(path.join(FILES, name))));
  }
  const file = path.join(folder, `picture${files[0]}`);
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=2', '-c:v', codec];
  const { code, stderr } = await run('ffmpeg', [...picture, '-metadata', 'comment=x', file]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return [await readFile(file)];
}

test.each(WRITERS)('$name', { timeout: ROUNDS * 4000 }, async (writer) => {
  if (writer.codec !== undefined && !hasProgram('ffmpeg')) return;
  const folder = await temporaryFolder();
  const [source, target] = [path.join(folder, 'source'), path.join(folder, 'target')];
  const files = await originals(writer, folder);
  expect(files.length).toBeGreaterThan(0);
  const found: string[] = [];
  let copies = 0;
  for (const [number, original] of files.entries()) {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const random = new Random(SEED, number, round);
      // The first one is the file as it is.
      const bytes = round === 0 ? original : mutate(random, original, MUTANT_BYTES_MAX);
      await writeFile(source, bytes);
      await rm(target, { force: true });
      const start = performance.now();
      const fault = await writer.write(source, target).then(
        () => undefined,
        (error: unknown) => error,
      );
      const seconds = (performance.now() - start) / 1000;
      const which = `file ${number}, round ${round}`;
      if (fault === undefined) {
        copies += 1;
        const { size } = await stat(target);
        if (size > bytes.length + EXTRA_BYTES_MAX) found.push(`${which}: a copy of ${size} bytes`);
      } else if (!(fault instanceof ContainerUnfit || fault instanceof FileError))
        found.push(`${which}: ${String(fault)}`);
      else if (round === 0) found.push(`${which}: ${fault.message}`);
      if (seconds > SECONDS_MAX) found.push(`${which}: took ${seconds.toFixed(0)} s`);
    }
  }
  expect(found).toEqual([]);
  // Most changes are in the content, which is copied.
  expect(copies).toBeGreaterThan(files.length * 2);
});
