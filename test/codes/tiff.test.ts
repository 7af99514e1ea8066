/** TIFF files, compared with iscc-sdk 0.9.7, and those that go to libvips. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { decodeBySharp } from '../../src/services/codes/tools/sharp.js';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures/codes/tiff');

it.each([
  ['big', 'ISCC:EED6SRMTUHFVYT4S56E5ATB5GWJRS7RRAZHLJMOZR3UDXW35DKBCLRA'],
  ['cielab', 'ISCC:EED4UXITWHHFYUNK5ME54RJXGWIQW5TVVZDYJMOTQKQSHWL4L3BOZUA'],
  ['gray12', 'ISCC:EED6STMTUFFVYTM256E5CTBVGWJRS7RRAZHJLMORZ3QDXW35CKBCLXA'],
  ['lzma', 'ISCC:EED6SRMTUHFVYT4S56E5ATB5GWJRS7RRAZHLJMOZR3UDXW35DKBCLRA'],
  ['palette4', 'ISCC:EED6UTMT4FFVYXMCZ6E5IRNVGWNRQ5RVBZHDLMOZRLRCXWT5A2BSLXA'],
  ['planes', 'ISCC:EED6WRM3QHFVYT4Q56E5CTB7GWMQQ7RRAYHLJ4OZR3VDXW3MDKJCLRA'],
  ['ycbcr', 'ISCC:EED6SRMTUHFVYT4S56E5ATB5GWJRS7RRAZHLJMOZR3QDXW35TKBCLRA'],
  ['zstd', 'ISCC:EED7QRI34FFVYTNRZKENOTBVHWZZQ5RRAZDILOOZ3OZDXW3M4KBSRHA'],
])('%s.tif has the Image-Code of the reference', async (name, unit) => {
  const content = await native.imageContent(path.join(FOLDER, `${name}.tif`), '0.9.7', 128, false);
  expect(content.unit).toBe(unit);
});

it('CMYK that only libvips decodes has the Image-Code of the reference', async () => {
  const file = path.join(FOLDER, 'cmyk-jpeg.tif');
  await expect(native.imageContent(file, '0.9.7', 128, false)).rejects.toMatchObject({ code: 'NO_DECODER' });
  const content = await native.imageContentOfPixels(file, await decodeBySharp(file), '0.9.7', 128);
  expect(content.unit).toBe('ISCC:EED4UPDN5RTNMIRJ2LTS2Y4WENFLDM2SWMS3GWRR2RWZYJCWG3NZHKA');
});

it('a valid file with a compression that has no decoder is not called damaged', async () => {
  const file = await readFile(path.join(FOLDER, 'zstd.tif'));
  await expect(decodeBySharp(file)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' });
  await expect(decodeBySharp(file.subarray(0, 60))).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
});
