import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { network, Uploaders } from '../../src/codes/uploader.js';
import { temporaryFolder } from './support/folder.js';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['not an address', 'not an address'],
])('%s belongs to %s', (address, expected) => {
  expect(network(address)).toBe(expected);
});

test('one client has one hash, and no other has it', () => {
  const uploaders = new Uploaders(Buffer.alloc(32, 7));
  expect(uploaders.hash('2001:db8:1:2::9')).toBe(uploaders.hash('2001:db8:1:2:ffff::1'));
  expect(uploaders.hash('2001:db8:1:3::9')).not.toBe(uploaders.hash('2001:db8:1:2::9'));
  expect(uploaders.hash('192.0.2.1')).toBe(uploaders.hash('::ffff:192.0.2.1'));
  expect(uploaders.hash('192.0.2.1')).not.toBe(uploaders.hash('192.0.2.2'));
  expect(uploaders.hash('192.0.2.1')).toMatch(/^[0-9a-f]{32}$/);
});

test('the key stays with the data, and differs between installations', async () => {
  const folder = await temporaryFolder();
  const first = (await Uploaders.open(folder)).hash('192.0.2.1');
  expect((await Uploaders.open(folder)).hash('192.0.2.1')).toBe(first);
  expect((await Uploaders.open(await temporaryFolder())).hash('192.0.2.1')).not.toBe(first);
  const file = path.join(folder, 'uploader.key');
  expect((await readFile(file)).byteLength).toBe(32);
  expect((await stat(file)).mode & 0o077).toBe(0);
});
