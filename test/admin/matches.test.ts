/** Search of the dashboard with a file. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { native } from '../../src/native.js';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { codeOf, manifestFor, picture, store } from '../content/support.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { isccd } from '../support/command.js';
import { OPERATOR, PASSWORD, SET_UP } from './support/dashboard.js';
import { Visitor } from './support/visitor.js';

const LIST = '/admin/manifests/';
const MATCHES = '/admin/matches/';
const BYTES_MAX = 1_000_000;

let services: AllServices;
let visitor: Visitor;
let photo: Buffer;
let photoId: string;
beforeAll(async () => {
  services = await startAllServices({
    MSTORE_BY_CONTENT: '1',
    MSTORE_UNTHROTTLED: '127.0.0.1',
    CODEWEB_MEDIA_PATH: 'media',
    CODEWEB_MAX_UPLOAD_SIZE: String(BYTES_MAX),
  });
  const { db, close } = await openDatabase(undefined, path.join(services.folder, 'store'));
  await new Accounts(db).add(OPERATOR, PASSWORD, 'deleter', SET_UP);
  await close();
  visitor = new Visitor(services.url.store);
  await visitor.login();
  photo = await picture(1);
  const { units } = await codeOf(services.url.codes, photo);
  const manifest = await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }], photo);
  photoId = await store(services.url.store, manifest);
}, 60_000);
afterAll(() => services?.stop());

/** Posts a form as a browser without JavaScript does. */
async function posted(file: Buffer | undefined, csrf?: string): Promise<Response> {
  const form = new FormData();
  form.append('csrf', csrf ?? (await visitor.csrf(LIST)));
  if (file !== undefined) form.append('file', new Blob([file], { type: 'image/png' }), 'a.png');
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return fetch(services.url.store + MATCHES, {
    method: 'POST',
    headers: { Cookie: cookie },
    body: form,
    redirect: 'manual',
  });
}

/** The page with the result of a search. */
async function matchesOf(file: Buffer): Promise<string> {
  const { status, headers } = await posted(file);
  expect([status, headers.get('location')]).toEqual([302, expect.stringContaining(MATCHES)]);
  return visitor.text(headers.get('location') ?? '');
}

async function flash(reply: Response): Promise<string> {
  expect([reply.status, reply.headers.get('location')]).toEqual([302, LIST]);
  return visitor.flash(LIST);
}

test('finds the manifests of a picture and of a smaller copy, to act on them', async () => {
  expect(await visitor.text(LIST)).toContain('enctype="multipart/form-data"');
  const page = await matchesOf(photo);
  expect(page).toContain('1 matching manifest<');
  expect(page).toMatch(new RegExp(`${photoId}</a></th>\\s*<td class="number">100</td>`));
  expect(page).toContain('<option value="delete">');
  expect(await matchesOf(await picture(1, 240, 160))).toContain(photoId);
  expect(await matchesOf(await picture(2))).toContain('No manifest matches.');
  expect(await readdir(path.join(services.folder, 'media/drafts'))).toEqual([]);
});

test('shows the thumbnail that a manifest contains', async () => {
  const file = path.join(services.folder, 'pictured.png');
  await writeFile(file, await picture(4));
  const made = await isccd(['store', 'sample', file, '--output', `${file}.c2pa`]);
  expect([made.code, made.stderr]).toEqual([0, '']);
  const id = await store(services.url.store, await readFile(`${file}.c2pa`));
  const found = await matchesOf(await readFile(file));
  const [, address = ''] = /<img class="thumbnail" src="([^"]+)"/.exec(found) ?? [];
  const thumbnail = await visitor.get(address);
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  const detail = address.replace('thumbnail/', '');
  expect(await visitor.text(detail)).toContain(`<img class="thumbnail" src="${address}"`);
  expect(await visitor.text(detail)).toContain(id);
  const plain = await matchesOf(photo);
  expect(plain).toContain(photoId);
  expect(plain).not.toContain('<img class="thumbnail"');
  const [, other = ''] = new RegExp(`href="([^"]+)">${photoId}`).exec(plain) ?? [];
  expect((await visitor.get(`${other}thumbnail/`)).status).toBe(404);
});

test('refuses forms of other sites, without a file, with an empty or a large one', async () => {
  expect((await posted(photo, 'x')).status).toBe(403);
  expect(await flash(await posted(undefined))).toBe('Choose a file to search with.');
  expect(await flash(await posted(Buffer.alloc(0)))).toContain('be searched with: ');
  const large = await posted(Buffer.alloc(2 * BYTES_MAX));
  expect([large.status, large.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
  expect(await large.text()).toContain('The file is larger than 1.00 MB.');
});

test('shows a result only to the session that searched', async () => {
  const address = (await posted(photo)).headers.get('location') ?? '';
  expect(await visitor.text(address)).toContain(photoId);
  const forged = await visitor.get(address.replace(/found=\d+-\d+/, 'found=1-99'));
  expect(await flash(forged)).toContain('Choose the file again.');
  const other = new Visitor(services.url.store);
  await other.login();
  expect((await other.get(address)).headers.get('location')).toBe(LIST);
});

test('refuses bodies that are not such a form', async () => {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const [type, body] of [
    ['text/plain', 'x'],
    ['multipart/form-data; boundary=a', 'x'],
    ['multipart/form-data; boundary=a', '--a\r\nContent-Disposition: form-data; name="csrf"\r\n\r\nx'],
  ] as const) {
    const headers = { Cookie: cookie, 'Content-Type': type };
    const reply = await fetch(services.url.store + MATCHES, { method: 'POST', headers, body });
    expect([type, reply.status]).toEqual([type, 400]);
  }
});
