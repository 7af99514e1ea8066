import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ClientHasher, hashInput } from '../../src/services/codes/uploads/client-hash.js';
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
])('the address %s is hashed as %s', (address, expected) => {
  expect(hashInput(address)).toBe(expected);
});

// Stored records contain these hashes: a change would lock uploaders out of their files.
test.each([
  ['192.0.2.1', '5d96c04949470f18cefdacc4fa6b1079'],
  ['2001:db8::1', '8a034b133c9cfc4c34ea1e0dfe796b84'],
])('the stored hash of %s does not change', (address, hash) => {
  expect(new ClientHasher(Buffer.alloc(32, 7)).hash(address)).toBe(hash);
});

test('addresses of one client have the same hash, others a different one', () => {
  const clients = new ClientHasher(Buffer.alloc(32, 7));
  expect(clients.hash('2001:db8:1:2::9')).toBe(clients.hash('2001:db8:1:2:ffff::1'));
  expect(clients.hash('2001:db8:1:3::9')).not.toBe(clients.hash('2001:db8:1:2::9'));
  expect(clients.hash('192.0.2.1')).toBe(clients.hash('::ffff:192.0.2.1'));
  expect(clients.hash('192.0.2.1')).not.toBe(clients.hash('192.0.2.2'));
  expect(clients.hash('192.0.2.1')).toMatch(/^[0-9a-f]{32}$/);
});

test('the key is kept in the data folder, readable only by its owner, and differs between folders', async () => {
  const folder = await temporaryFolder();
  const first = (await ClientHasher.open(folder)).hash('192.0.2.1');
  expect((await ClientHasher.open(folder)).hash('192.0.2.1')).toBe(first);
  expect((await ClientHasher.open(await temporaryFolder())).hash('192.0.2.1')).not.toBe(first);
  const file = path.join(folder, 'uploader.key');
  expect((await readFile(file)).byteLength).toBe(32);
  expect((await stat(file)).mode & 0o077).toBe(0);
});
