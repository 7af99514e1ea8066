import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Dashboard, PASSWORD, READER, startDashboard } from './support/dashboard.js';
import { seed } from './support/seed.js';
import { type Fields, Visitor } from './support/visitor.js';

const HOSTILE = 'urn:x:"><script>alert(1)</script>&\'';
const LIST = '/admin/manifests/';

let dashboard: Dashboard;
let operator: Visitor;
let keys: number[];
beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await seed(dashboard.database.db, [
    { id: HOSTILE, error: '<b>bad</b>', status: 'failed' },
    { id: 'urn:c2pa:100%_Sure', isTrusted: true, status: 'declared', isccId: 'ISCC:MAIWFP4UOU52QOAA' },
    { id: 'urn:c2pa:100xxSure', status: 'pending' },
    { id: 'urn:c2pa:gone', isDeleted: true, status: 'withdrawn' },
    {
      id: 'urn:c2pa:gone-but-declared',
      isDeleted: true,
      status: 'declared',
      isccId: 'ISCC:MAIWFP4UOU52QOAB',
    },
    ...Array.from({ length: 300 }, () => ({})),
  ]);
  operator = new Visitor(dashboard.url);
  await operator.login();
});
afterAll(() => dashboard.close());

/** Keys of a page's rows. */
async function listed(search: string, visitor = operator): Promise<number[]> {
  const page = await visitor.text(LIST + search);
  return [...page.matchAll(/<th scope="row"><a href="\/admin\/manifests\/(\d+)\/"/g)].map(([, key]) =>
    Number(key),
  );
}

async function form(
  action: string,
  chosen: readonly (number | undefined)[],
  more: Fields = [],
): Promise<Fields> {
  const csrf = await operator.csrf(LIST);
  const rows = chosen.map((key) => ['key', String(key)] as const);
  return [['csrf', csrf], ['action', action], ...rows, ...more];
}

async function live(key: number | undefined): Promise<number | undefined> {
  const { db } = dashboard.database;
  const query = db
    .selectFrom('manifests')
    .select('live')
    .where('key', '=', key ?? 0);
  return (await query.executeTakeFirst())?.live;
}

describe('the overview', () => {
  test('counts manifests, bindings and declarations of live manifests', async () => {
    const page = (await operator.text('/admin/')).replace(/<[^>]+>|\s+/g, ' ').replace(/ +/g, ' ');
    expect(page).toContain('Live 303 Deleted 2');
    expect(page).toContain('io.iscc.v0 303');
    expect(page).toContain('declared 1 pending 1 failed 1 disabled 300');
  });
});

describe('the list', () => {
  test('shows the newest first, 100 per page', async () => {
    const newest = [...keys].reverse();
    expect(await listed('')).toEqual(newest.slice(0, 100));
    expect(await listed('?page=2')).toEqual(newest.slice(100, 200));
    expect(await listed('?page=4')).toEqual(newest.slice(300));
    expect(await listed('?page=99')).toEqual(newest.slice(300));
    expect(await operator.text(`${LIST}?page=4`)).toContain('Page 4 of 4');
  });

  test.each([
    ['?q=%25_', [1]],
    ['?q=:100', [2, 1]],
    ['?q=C2PA:100', [2, 1]],
    ['?q=sure', [2, 1]],
    ['?q=%3Cscript', [0]],
    ['?q=%27', [0]],
    ['?q=%5C', []],
    ['?q=no-such-id', []],
    ['?status=failed', [0]],
    ['?status=declared', [4, 1]],
    ['?status=declared&deleted=no', [1]],
    ['?status=declared&deleted=yes', [4]],
    ['?deleted=yes', [4, 3]],
    ['?trusted=yes', [1]],
    ['?q=urn&trusted=yes&deleted=no&status=declared', [1]],
    ['?trusted=yes&q=gone', []],
  ])('with %s shows the matching manifests', async (search, expected) => {
    expect(await listed(search)).toEqual(expected.map((at) => keys[at]));
  });

  test.each([
    '?page=0',
    '?page=x',
    '?page=-1',
    '?status=nonsense',
    '?deleted=maybe',
    '?q=',
    '?a=b&page=1&page=2',
  ])('ignores the invalid query %s', async (search) => {
    expect((await operator.get(LIST + search)).status).toBe(200);
    expect((await listed(search))[0]).toBe(keys.at(-1));
  });

  test('keeps the filters in its links', async () => {
    const page = await operator.text(`${LIST}?q=urn&deleted=no&page=2`);
    expect(page).toContain('href="/admin/manifests/?q=urn&amp;deleted=no&amp;page=3"');
    expect(page).toContain('<option value="no" selected>');
  });

  test('escapes ids', async () => {
    for (const path of [`${LIST}?status=failed`, `${LIST}${keys[0]}/`]) {
      const page = await operator.text(path);
      expect(page).not.toContain('<script>alert');
      expect(page).not.toContain('<b>bad');
      expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;');
    }
    expect(await operator.text(`${LIST}?q=%22%3E%3Cscript%3E`)).not.toContain('<script>');
  });
});

describe('a manifest', () => {
  test('is shown with its bindings, its declaration and a link to its bytes', async () => {
    const page = await operator.text(`${LIST}${keys[1]}/`);
    for (const part of [
      'urn:c2pa:100%_Sure',
      '<code>io.iscc.v0</code>',
      Buffer.from('value').toString('base64'),
      'ISCC:EADROAQCZUHCUOEBSNIG44E4WVAVXANTU4SGCY6UJSWKXQZJK35M3YY',
      'ISCC:MAIWFP4UOU52QOAA',
      'https://hub.example',
      'href="/v1/manifests/urn%3Ac2pa%3A100%25_Sure" download="urn:c2pa:100%_Sure.c2pa"',
    ]) {
      expect(page).toContain(part);
    }
    expect(await operator.text(`${LIST}${keys[0]}/`)).toContain('&lt;b&gt;bad&lt;/b&gt;');
  });

  test('that does not exist returns 404', async () => {
    const answer = await operator.get(`${LIST}999999/`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('This manifest does not exist.');
    for (const key of ['0', 'x', '1e3', '9'.repeat(20)]) {
      expect([key, (await operator.get(`${LIST}${key}/`)).status]).toEqual([key, 404]);
    }
  });
});

describe('actions', () => {
  test('require the CSRF token and our own origin', async () => {
    const [, ...rest] = await form('delete', [keys[10]], [['confirmed', 'yes']]);
    const other = new Visitor(dashboard.url);
    await other.login();
    const foreign = await other.csrf(LIST);
    for (const csrf of ['', 'x', foreign]) {
      expect((await operator.post(LIST, [['csrf', csrf], ...rest])).status).toBe(403);
    }
    const right = await form('delete', [keys[10]], [['confirmed', 'yes']]);
    for (const origin of ['https://example.org', 'null', `${dashboard.url}.example.org`]) {
      expect((await operator.post(LIST, right, { Origin: origin })).status).toBe(403);
    }
    expect((await operator.post(LIST, right, { Referer: 'https://example.org/x' })).status).toBe(403);
    expect(await live(keys[10])).toBe(1);
  });

  test('require the permission', async () => {
    const reader = new Visitor(dashboard.url);
    await reader.login(READER, PASSWORD);
    const page = await reader.text(LIST);
    expect(page).not.toContain('name="action"');
    expect(page).not.toContain('type="checkbox"');
    const csrf = await reader.csrf(LIST);
    for (const action of ['delete', 'release', 'retry']) {
      const fields: Fields = [
        ['csrf', csrf],
        ['action', action],
        ['key', `${keys[10]}`],
        ['confirmed', 'yes'],
      ];
      for (const sent of [fields, fields.slice(0, -1)]) {
        const answer = await reader.post(LIST, sent);
        expect([action, answer.status]).toEqual([action, 403]);
        expect(await answer.text()).toMatch(/This needs the role \w+\. Your account has the role viewer\./);
      }
    }
    expect(await live(keys[10])).toBe(1);
  });

  test('require a confirmation, then show the result once', async () => {
    const chosen = [keys[11], keys[12], keys[3]];
    const confirmation = await operator.post(
      LIST,
      await form('delete', chosen, [['back', '?status=disabled&page=2']]),
    );
    const question = await confirmation.text();
    expect(confirmation.status).toBe(200);
    expect(question).toContain('Delete these manifests?');
    expect(question).toContain('Their bytes are kept for 7 days, so that');
    expect(question).toContain('Delete 3 manifests');
    for (const key of chosen) expect(question).toContain(`name="key" value="${key}"`);
    expect(await live(keys[11])).toBe(1);

    const confirmed: Fields = [
      ['confirmed', 'yes'],
      ['back', '?status=disabled&page=2'],
    ];
    const done = await operator.post(LIST, await form('delete', chosen, confirmed));
    expect([done.status, done.headers.get('location')]).toEqual([302, `${LIST}?status=disabled&page=2`]);
    // HEAD shows nothing, so the message stays for the next page.
    const { cookies } = operator;
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    await fetch(dashboard.url + LIST, { method: 'HEAD', headers: { Cookie } });
    expect(await operator.text(LIST)).toContain('role="status">2 manifests deleted, 1 skipped.<');
    expect(await operator.text(LIST)).not.toContain('class="flash"');
    expect([await live(keys[11]), await live(keys[12])]).toEqual([0, 0]);
    expect(await operator.text('/admin/')).toMatch(/Deleted<\/a><\/dt><dd>4</);
  });

  test('ask with GET, so that a browser can return to the question', async () => {
    const list = await operator.text(`${LIST}?status=disabled&page=2`);
    expect(list).toMatch(/<form class="actions" method="get" action="\/admin\/manifests\/confirm\/">/);
    expect(list).toContain('<input type="hidden" name="page" value="2">');
    const address = `${LIST}confirm/?status=disabled&page=2&action=delete&key=${keys[13]}`;
    const question = await operator.text(address);
    expect(question).toContain('Delete 1 manifest<');
    expect(question).toContain('name="back" value="?status=disabled&amp;page=2"');
    expect(await live(keys[13])).toBe(1);
    await operator.post(LIST, await form('delete', [keys[13]], [['confirmed', 'yes']]));
    expect(await operator.text(address)).toContain('<span class="badge">deleted</span>');
    const all = await operator.text(`${LIST}confirm/?status=failed&action=retry&all=yes`);
    expect(all).toContain('All 1 manifest that fit the search');
    const reader = new Visitor(dashboard.url);
    await reader.login(READER, PASSWORD);
    expect((await reader.get(address)).status).toBe(403);
  });

  test('release only ids of deleted manifests whose declaration is withdrawn', async () => {
    const chosen = [keys[3], keys[4], keys[20]];
    // The same key twice counts once.
    const twice = [...chosen, keys[3]];
    const done = await operator.post(LIST, await form('release', twice, [['confirmed', 'yes']]));
    expect(done.status).toBe(302);
    expect(await operator.text(LIST)).toContain('1 manifest released, 2 skipped.');
    expect([await live(keys[3]), await live(keys[4]), await live(keys[20])]).toEqual([undefined, 0, 1]);
  });

  test('retry unfinished declarations', async () => {
    const asked = await operator.post(LIST, await form('retry', [keys[0]]));
    expect(await asked.text()).toContain('Retry these declarations?');
    await operator.post(LIST, await form('retry', [keys[0]], [['confirmed', 'yes']]));
    expect(await operator.text(LIST)).toMatch(/\d+ manifests? retried/);
  });

  test('without a selection or an action show an error, once', async () => {
    for (const [action, chosen, text] of [
      ['delete', [], 'Select at least one manifest.'],
      ['delete', [999_999], 'The selected manifests no longer exist.'],
      ['delete', [-1], 'Select at least one manifest.'],
      ['', [keys[30]], 'Choose an action.'],
      ['explode', [keys[30]], 'Choose an action.'],
    ] as const) {
      const fields = await form(action, chosen as readonly number[], [['confirmed', 'yes']]);
      expect((await operator.post(LIST, fields)).status).toBe(302);
      const page = await operator.text(LIST);
      expect(page).toContain(`<p class="flash error" role="alert">${text}</p>`);
      expect(page).not.toContain('class="flash"');
      expect(await operator.text(LIST)).not.toContain('flash');
    }
    expect(await live(keys[30])).toBe(1);
  });

  test('redirect to the list only', async () => {
    for (const back of ['//example.org', '?next=https://example.org', '\r\nX: y', '?page=2&status=x']) {
      const done = await operator.post(
        LIST,
        await form(
          'retry',
          [keys[30]],
          [
            ['confirmed', 'yes'],
            ['back', back],
          ],
        ),
      );
      expect(done.headers.get('location')).toMatch(/^\/admin\/manifests\/(?:\?page=2)?$/);
    }
  });

  test('refuse bodies above 64 KiB and other media types', async () => {
    const large = await operator.post(LIST, [['csrf', 'x'.repeat(70_000)]]);
    expect(large.status).toBe(413);
    const headers = { 'Content-Type': 'application/json' };
    expect((await operator.post(LIST, [['csrf', 'x']], headers)).status).toBe(415);
  });
});
