/** Clips of films and passages of recordings, with `isccd index search` and `isccd find`. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Span } from '../../src/iscc/spans.js';
import { hasProgram } from '../codes/support/recorded.js';
import { type Ended, isccd } from '../support/command.js';
import { makeFilm } from '../support/films.js';
import { makeSound } from '../support/sounds.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

describe.skipIf(!hasProgram('ffmpeg'))('clips', () => {
  let folder: string;
  const run = (...args: string[]) =>
    isccd(args, { cwd: folder, env: { CODESDK_GRANULAR_MEDIA: 'true' } }).then((ended: Ended) => {
      expect([ended.code, ended.stderr.replaceAll(/^isccd: .*\n/gm, '')]).toEqual([0, '']);
      return ended.stdout;
    });
  const cut = (file: string, clip: string, start: number, ...args: string[]) =>
    execFileSync('ffmpeg', ['-loglevel', 'error', '-ss', `${start}`, '-t', '6', '-i', file, ...args, clip], {
      cwd: folder,
    });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-clips-'));
    await makeFilm(1, 20, path.join(folder, 'film.mp4'));
    await makeFilm(2, 12, path.join(folder, 'other.mp4'));
    await makeSound(3, 'music', 20, path.join(folder, 'sound.wav'));
    const coded = await run('code', 'film.mp4', 'other.mp4', 'sound.wav', '--no-thumbnail');
    await writeFile(path.join(folder, 'codes.jsonl'), coded);
    await run('index', 'create', 'media', '--at', './indexes');
    await run('index', 'add', 'media', 'codes.jsonl', '--make-ids', '--at', './indexes');
    cut('film.mp4', 'clip.mp4', 8, '-crf', '34', '-vf', 'scale=240:136');
    cut('sound.wav', 'jingle.mp3', 11, '-b:a', '48k');
    return () => rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['clip.mp4', 'CONTENT_VIDEO_V0', 'film', 8],
    ['jingle.mp3', 'CONTENT_AUDIO_V0', 'sound', 11],
  ])('of a file are found at their time: %s', async (file, type, name, seconds) => {
    const result = JSON.parse(await run('index', 'search', 'media', file, '--at', './indexes', '--json'));
    const spansOf = ({ metadata, spans }: { metadata: { name: string }; spans: Record<string, Span[]> }) =>
      (spans[type] ?? []).map((span) => ({ name: metadata.name, ...span }));
    const spans: (Span & { readonly name: string })[] = result.chunk_matches.flatMap(spansOf);
    expect(spans).toMatchObject([{ name }]);
    const [span] = spans;
    const shift = (span?.found_start ?? 0) - (span?.start ?? 0);
    expect(Math.abs(shift - 1000 * seconds)).toBeLessThan(1200);
    const length = (span?.end ?? 0) - (span?.start ?? 0);
    expect(length).toBeGreaterThan(4000);
    expect(length).toBeLessThanOrEqual(6500);
  });

  it('are a relation of their own in `isccd find`', async () => {
    const found = await run('find', 'clip.mp4', '--in', 'media', '--at', './indexes');
    expect(found).toMatch(/^ +content video +0:0[789] to 0:1[345] is 0:0[01] to 0:0[56] of the query$/m);
    expect(found).not.toMatch(/ other /);
  });

  it('are reported by `isccd scan --clips`', async () => {
    const files = ['clip.mp4', 'film.mp4', 'jingle.mp3', 'other.mp4', 'sound.wav'];
    const scan = async () =>
      JSON.parse(await run('scan', ...files, '--clips', '--json')) as {
        readonly clips: readonly { path: string; of: string; relation: string; spans: readonly Span[] }[];
      };
    const { clips } = await scan();
    const relations = clips.map(({ path: file, relation, of }) => `${file} ${relation} ${of}`).sort();
    expect(relations).toEqual(['clip.mp4 clip film.mp4', 'jingle.mp3 clip sound.wav']);
    const csv = await readFile(path.join(folder, 'isccd-scan/clips.csv'), 'utf8');
    expect(csv).toMatch(/^path,relation,of,start,end,of_start,of_end,similarity\r\n/);
    expect(csv).toMatch(/^jingle\.mp3,clip,sound\.wav,0\.\d,[56]\.\d,1[01]\.\d,1[67]\.\d,0\.[89]\d\d\r$/m);
    // The second scan knows all codes.
    expect(await scan()).toMatchObject({ clips });
  });

  it('of results without simprints are made by a later scan', async () => {
    await run('scan', 'clip.mp4', 'film.mp4', '--out', 'later');
    const shown = await run('scan', 'clip.mp4', 'film.mp4', '--out', 'later', '--clips');
    expect(shown).toMatch(
      /^1 clip of other films or recordings: clips\.csv\n {2}\S*clip\.mp4 is a clip of \S*film\.mp4: /m,
    );
  });
});
