/** Search, order, "all that fit" and the detail page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeCode } from '../../src/iscc/codec.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';
import { seed } from './support/seed.js';
import { type Fields, Visitor } from './support/visitor.js';

const LIST = '/admin/manifests/';
let dashboard: Dashboard;
let visitor: Visitor;
let keys: number[];
beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await seed(dashboard.database.db, [
    {
      id: 'urn:b',
      isTrusted: true,
      summary: {
        state: 'trusted',
        title: 'Harbour <at> night\u0000',
        signer: 'Ångström Press',
        issuer: '\u202edtL\u2069 Press Ltd',
        actions: [{ action: 'c2pa.created', when: '2026-01-02' }],
        training: { 'c2pa.ai_training': 'notAllowed' },
      },
    },
    {
      id: 'urn:c',
      summary: {
        state: 'invalid',
        failures: ['signingCredential.untrusted'],
        title: 'Copy',
        signer: 'Other',
        ingredients: [
          { manifestId: 'urn:b', relationship: 'parentOf', title: 'Harbour' },
          { manifestId: 'urn:elsewhere', relationship: 'componentOf' },
        ],
      },
    },
    { id: 'urn:a', alg: 'com.example.mark', value: Buffer.from('watermark-17') },
    { id: 'urn:d', isDeleted: true, status: 'declared', isccId: 'ISCC:MAIWFP4UOU52QOAA', isOpen: true },
    ...Array.from({ length: 150 }, () => ({ summary: { signer: 'Bulk', title: 'Bulk' } })),
  ]);
  visitor = new Visitor(dashboard.url);
  await visitor.login();
});
afterAll(() => dashboard.close());

/** Positions in the seed of the manifests that a page lists. */
async function listed(search: string): Promise<number[]> {
  const page = await visitor.text(LIST + search);
  return [...page.matchAll(/<th scope="row"><a href="\/admin\/manifests\/(\d+)\/"/g)].map(([, key]) =>
    keys.indexOf(Number(key)),
  );
}

describe('the list', () => {
  test.each([
    ['?q=HARBOUR', [0]],
    ['?q=%C3%A5ngstr%C3%B6m', [0]],
    ['?q=press+ltd', [0]],
    ['?q=watermark-17', [2]],
    [`?q=${Buffer.from('watermark-17').toString('hex')}`, [2]],
    [`?q=${Buffer.from('watermark-17').toString('base64')}`, [2]],
    ['?q=iscc:maiwfp4uou52qoaa', [3]],
    ['?q=ISCC:AAAWQ2BSQ', []],
    ['?alg=com.example.mark', [2]],
    ['?alg=com.example.mark&deleted=yes', []],
    ['?signer=Other', [1]],
    ['?signer=Othe', []],
    ['?q=urn&sort=id&dir=asc&to=2026-06-01', [2, 0, 1]],
    ['?q=urn:&signer=Other&sort=title', [1]],
    ['?from=2026-06-02', []],
    ['?from=x&to=2026-02-31&sort=y&dir=z&signer=Other', [1]],
  ])('with %s shows the matching manifests', async (search, expected) => {
    const found = await listed(search);
    expect(search.includes('q=urn&') ? found.slice(0, 3) : found).toEqual(expected);
  });

  test('finds a manifest by a part of its hash and by a code', async () => {
    const { sha256 } = await dashboard.database.db
      .selectFrom('manifests')
      .select('sha256')
      .where('key', '=', keys[1] ?? 0)
      .executeTakeFirstOrThrow();
    expect(await listed(`?q=${sha256.slice(0, 40).toUpperCase()}`)).toEqual([1]);
    const unit = 'ISCC:EADROAQCZUHCUOEBSNIG44E4WVAVXANTU4SGCY6UJSWKXQZJK35M3YY';
    expect(await listed(`?q=${unit}`)).toHaveLength(100);
    // Of a title, another Data-Code and the unit, in this order.
    const code = composeCode([
      'ISCC:AAAWQ2BSQH3Y2ZOA',
      unit,
      'ISCC:GAAXL2XYM5BQIAZ3',
      'ISCC:IAAXL2XYM5BQIAZ3',
    ]);
    expect(await listed(`?q=${code}`)).toHaveLength(100);
  });

  test('counts the matches of a search on each page', async () => {
    for (const [query, rows] of [
      ['?q=bulk', 100],
      ['?q=bulk&page=2&sort=title', 50],
      ['?q=bulk&page=9', 50],
      ['?q=no+such+title&page=2', 0],
    ] as const) {
      expect(await listed(query), query).toHaveLength(rows);
      const heading = rows === 0 ? '0 manifests' : '150 manifests';
      expect(await visitor.text(LIST + query)).toContain(`<h2 id="found">${heading}</h2>`);
    }
  });

  test('sorts by its heads, which keep the filters', async () => {
    const page = await visitor.text(`${LIST}?deleted=no&sort=title`);
    expect(page).toContain(
      'aria-sort="ascending"><a href="/admin/manifests/?deleted=no&amp;sort=title&amp;dir=desc"',
    );
    expect(page).toContain('href="/admin/manifests/?deleted=no&amp;sort=size&amp;dir=desc"');
    expect((await listed('?sort=size&dir=asc')).slice(0, 3)).toEqual([0, 1, 2]);
    expect((await listed('?sort=title&dir=desc&q=urn:')).slice(0, 1)).toEqual([0]);
  });

  test('marks deleted manifests whose withdrawal is open', async () => {
    expect(await visitor.text(`${LIST}?deleted=no`)).not.toContain('withdrawal open');
    const selected = await visitor.submit(LIST, [
      ['action', 'retry'],
      ['key', String(keys[3])],
    ]);
    const pages = {
      list: await visitor.text(`${LIST}?deleted=yes`),
      detail: await visitor.text(`${LIST}${keys[3]}/`),
      confirmation: await selected.text(),
    };
    for (const [name, page] of Object.entries(pages)) {
      expect(page, name).toContain('withdrawal open');
      // The colour of a declaration in force.
      expect(page, name).not.toContain('class="badge declared"');
    }
  });
});

describe('a manifest', () => {
  test('is shown with its validation, claims and relations', async () => {
    const page = await visitor.text(`${LIST}${keys[0]}/`);
    for (const part of [
      'trusted',
      'Harbour &lt;at&gt; night',
      '\\u202edtL\\u2069 Press Ltd',
      'c2pa.created, 2026-01-02',
      'c2pa.ai_training: notAllowed',
    ]) {
      expect(page).toContain(part);
    }
    expect(page).toContain(
      `<h2 id="used-by">Used by</h2>\n<ul class="plain"><li><a href="${LIST}${keys[1]}/">`,
    );
    const copy = await visitor.text(`${LIST}${keys[1]}/`);
    expect(copy).toContain('signingCredential.untrusted');
    expect(copy).toContain(`<a href="${LIST}${keys[0]}/"><code>urn:b</code></a> Harbour`);
    expect(copy).toContain('<li><code>urn:elsewhere</code>');
  });
});

test('the question before an action names id and title', async () => {
  const page = await visitor.text(`${LIST}confirm/?action=delete&key=${keys[0]}`);
  expect(page).toContain('<code>urn:b</code> Harbour &lt;at&gt; night');
});

test('an action on all that fit reaches further pages, but no manifest stored after the confirmation', async () => {
  const back = '?deleted=no&signer=Bulk';
  const common = async (): Promise<Fields> => [
    ['csrf', await visitor.csrf(LIST)],
    ['action', 'delete'],
    ['all', 'yes'],
    ['back', back],
  ];
  const question = await (await visitor.post(LIST, await common())).text();
  expect(question).toContain('All 150 manifests that fit the search; these are the newest.');
  expect(question).toContain('Delete 150 manifests');
  const upTo = /name="upTo" value="(\d+)"/.exec(question)?.[1] ?? '';
  await seed(dashboard.database.db, [{ id: 'urn:later', summary: { signer: 'Bulk' } }]);
  const done = await visitor.post(LIST, [...(await common()), ['upTo', upTo], ['confirmed', 'yes']]);
  expect(done.status).toBe(302);
  expect(await visitor.text(LIST)).toContain('150 manifests deleted.');
  const left = await visitor.text(LIST + back);
  expect([left.includes('urn:later'), left.match(/<th scope="row">/g)?.length]).toEqual([true, 1]);
});
