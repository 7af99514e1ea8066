/** `isccd compare` of codes and files. */
import { expect, it } from 'vitest';
import { recorded } from '../codes/support/recorded.js';
import { isccd } from '../support/command.js';

const file = (name: string) => recorded(name).path;
const units = async (...args: string[]) =>
  JSON.parse((await isccd(['compare', '--json', ...args])).stdout) as {
    kind: string;
    similarity: number;
    bits: number;
  }[];

it('compares files by all bits of their units, and a file with a code', async () => {
  const [photo, copy] = [file('photo-q85_a.jpg'), file('photo_a.png')];
  const compared = await units(photo, copy);
  expect(compared.map(({ kind, bits }) => [kind, bits])).toEqual([
    ['META_NONE_V0', 256],
    ['CONTENT_IMAGE_V0', 256],
    ['DATA_NONE_V0', 256],
    ['INSTANCE_NONE_V0', 256],
  ]);
  expect(compared[1]?.similarity).toBeGreaterThan(0.9);
  const withCode = await units(photo, String(recorded('photo-q85_a.jpg').result?.iscc));
  expect(withCode.map(({ similarity, bits }) => [similarity, bits])).toEqual(Array(4).fill([1, 64]));
});

it('says that the match of plain images means nothing', async () => {
  const plain = file('uniform_a.png');
  expect((await isccd(['compare', plain, plain])).stdout).toMatch(
    /^CONTENT_IMAGE_V0 .+ 100\.0 % of 256 bits {2}means nothing: the image is featureless$/m,
  );
});

it.each([
  ['nonsense', 'there is no file nonsense, and it is not an ISCC-CODE: '],
  [file('corrupt_a.pdf'), `${file('corrupt_a.pdf')}: ISCC processing error. The file is damaged`],
])('%s is a failure', async (argument, message) => {
  const { code, stdout, stderr } = await isccd(['compare', argument, file('short_a.txt')]);
  expect([code, stdout, stderr.startsWith(`isccd: ${message}`)]).toEqual([1, '', true]);
});
