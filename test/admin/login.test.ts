import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Dashboard, OPERATOR, PASSWORD, SET_UP, startDashboard } from './support/dashboard.js';
import { Visitor } from './support/visitor.js';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

describe('without a session', () => {
  test.each([
    ['/admin/', '/admin/login/?next=%2Fadmin%2F'],
    ['/admin/manifests/', '/admin/login/?next=%2Fadmin%2Fmanifests%2F'],
    [
      '/admin/manifests/?status=failed&page=2&x=y',
      '/admin/login/?next=%2Fadmin%2Fmanifests%2F%3Fstatus%3Dfailed%26page%3D2',
    ],
    ['/admin/manifests/1/', '/admin/login/?next=%2Fadmin%2Fmanifests%2F1%2F'],
  ])('%s redirects to the login', async (path, location) => {
    const answer = await new Visitor(dashboard.url).get(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, location]);
  });

  test.each(['/admin', '/admin/login', '/admin/manifests', '/admin/manifests/7', '/admin/nothing'])(
    '%s redirects to the path with a trailing slash',
    async (path) => {
      const answer = await new Visitor(dashboard.url).get(path);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, `${path}/`]);
    },
  );

  test('unknown paths redirect to the login too', async () => {
    const answer = await new Visitor(dashboard.url).get('/admin/nothing/');
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      '/admin/login/?next=%2Fadmin%2Fnothing%2F',
    ]);
  });

  test('a posted form redirects to the login', async () => {
    const answer = await new Visitor(dashboard.url).post('/admin/manifests/', [['action', 'delete']]);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      '/admin/login/?next=%2Fadmin%2F&notice=unsent',
    ]);
  });

  test('the login page has security headers', async () => {
    const visitor = new Visitor(dashboard.url);
    const page = await visitor.get('/admin/login/?next=/admin/manifests/');
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('name="next" value="/admin/manifests/"');
    const headers = {
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    };
    expect(Object.fromEntries(page.headers)).toMatchObject(headers);
    expect(page.headers.get('access-control-allow-origin')).toBe(null);
    const [cookie] = visitor.setCookies;
    expect(cookie).toMatch(/^isccd_login=[\w-]{43}; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    expect((await fetch(`${dashboard.url}/admin/login/`, { method: 'HEAD' })).status).toBe(200);
  });

  test('static files are public', async () => {
    for (const file of ['style.css', 'admin.css', 'admin.js', 'icon.svg']) {
      expect([file, (await fetch(`${dashboard.url}/admin/static/${file}`)).status]).toEqual([file, 200]);
    }
  });
});

describe('logging in', () => {
  test('starts a session; the database has only the hash of its token', async () => {
    const visitor = new Visitor(dashboard.url);
    const answer = await visitor.login();
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/admin/']);
    const line = visitor.setCookies.find((cookie) => cookie.startsWith('isccd_session='));
    expect(line).toMatch(/^isccd_session=[\w-]{43}; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    const token = visitor.cookies.get('isccd_session') ?? '';
    const rows = await dashboard.database.db.selectFrom('sessions').selectAll().execute();
    const hash = createHash('sha256').update(token).digest('hex');
    expect(rows.map(({ token_hash }) => token_hash)).toContain(hash);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await visitor.text('/admin/')).toContain(`Logged in as <strong>${OPERATOR}</strong>`);
  });

  test.each([
    ['/admin/nothing/', 'This page does not exist.'],
    ['/admin/manifests/abc/', 'This manifest does not exist.'],
    ['/admin/manifests/0/', 'This manifest does not exist.'],
  ])('and fetching %s returns a page with 404', async (path, text) => {
    const visitor = new Visitor(dashboard.url);
    await visitor.login();
    const page = await visitor.get(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain(text);
  });

  test('accepts forms only', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${dashboard.url}/admin/login/`, { method: 'POST', headers, body: '{}' });
    expect([answer.status, await answer.json()]).toEqual([
      415,
      { detail: 'Content-Type must be application/x-www-form-urlencoded' },
    ]);
  });

  test('again ends the earlier session', async () => {
    const visitor = new Visitor(dashboard.url);
    await visitor.login();
    const old = visitor.cookies.get('isccd_session') ?? '';
    await visitor.login();
    expect(visitor.cookies.get('isccd_session')).not.toBe(old);
    const other = new Visitor(dashboard.url);
    other.cookies.set('isccd_session', old);
    expect((await other.get('/admin/')).status).toBe(302);
  });

  test.each([
    ['/admin/manifests/?status=failed', '/admin/manifests/?status=failed'],
    ['/admin/manifests/7/', '/admin/manifests/7/'],
    ['//example.org/', '/admin/'],
    ['/\\example.org/', '/admin/'],
    ['/\t/example.org/', '/admin/'],
    ['/admin/\\..\\example.org', '/admin/'],
    ['https://example.org/', '/admin/'],
    ['javascript:alert(1)', '/admin/'],
    ['example.org', '/admin/'],
    ['/admin/\r\nSet-Cookie: a=b', '/admin/'],
    ['', '/admin/'],
  ])('with next=%j redirects to %s', async (next, location) => {
    const visitor = new Visitor(dashboard.url);
    const page = await visitor.get(`/admin/login/?${new URLSearchParams({ next })}`);
    expect(await page.text()).toContain(`name="next" value="${location}"`);
    const answer = await visitor.login(OPERATOR, PASSWORD, next);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, location]);
  });

  test('fails with the same text for every cause', async () => {
    await dashboard.accounts.add('daisy', PASSWORD, 'deleter', SET_UP);
    await dashboard.accounts.setDisabled('daisy', true, SET_UP);
    const pages: string[] = [];
    for (const [username, password] of [
      [OPERATOR, 'wrong-password-1'],
      ['nobody', PASSWORD],
      ['daisy', PASSWORD],
      [OPERATOR, ''],
      ['', ''],
      ["' or 1=1 --", PASSWORD],
    ] as const) {
      const visitor = new Visitor(dashboard.url);
      const answer = await visitor.login(username, password);
      expect([username, answer.status, visitor.cookies.has('isccd_session')]).toEqual([username, 200, false]);
      const text = /role="alert">([^<]*)</.exec(await answer.text())?.[1] ?? '';
      pages.push(text);
    }
    expect(new Set(pages)).toEqual(new Set(['The user name, the password or the code is wrong.']));
  });

  test('accepts a password in another Unicode normalization form', async () => {
    await dashboard.accounts.add('zoe', 'Zo\u00eb-knows-7-things', 'viewer', SET_UP);
    expect((await new Visitor(dashboard.url).login('zoe', 'Zoe\u0308-knows-7-things')).status).toBe(302);
  });

  test('accepts the user name case-insensitively', async () => {
    expect((await new Visitor(dashboard.url).login('OLGA')).status).toBe(302);
  });

  test('requires the token of the login page', async () => {
    const visitor = new Visitor(dashboard.url);
    const csrf = await visitor.csrf('/admin/login/');
    const fields = (token: string) =>
      [
        ['csrf', token],
        ['username', OPERATOR],
        ['password', PASSWORD],
      ] as const;
    expect((await visitor.post('/admin/login/', fields(`${csrf}x`))).status).toBe(403);
    expect((await visitor.post('/admin/login/', fields(''))).status).toBe(403);
    const stranger = new Visitor(dashboard.url);
    expect((await stranger.post('/admin/login/', fields(csrf))).status).toBe(403);
    const foreign = { Origin: 'https://example.org' };
    expect((await visitor.post('/admin/login/', fields(csrf), foreign)).status).toBe(403);
    const own = { Origin: dashboard.url };
    expect((await visitor.post('/admin/login/', fields(csrf), own)).status).toBe(302);
  });

  test.each([
    ['this site', (url: string) => ({ Origin: url }), 302],
    // Behind a TLS proxy that is not configured.
    ['this host with TLS', (url: string) => ({ Origin: url.replace('http:', 'https:') }), 302],
    ['a page of this site', (url: string) => ({ Referer: `${url}/admin/login/` }), 302],
    ['another port', (url: string) => ({ Origin: url.replace(/\d+$/, '1') }), 403],
    ['a hidden origin', () => ({ Origin: 'null' }), 403],
    ['a page of another site', () => ({ Referer: 'https://example.org/' }), 403],
    [
      'another site that names this one as referrer',
      (url: string) => ({ Origin: 'https://example.org', Referer: `${url}/` }),
      403,
    ],
  ] as const)('from %s', async (_, headers, status) => {
    const visitor = new Visitor(dashboard.url);
    const csrf = await visitor.csrf('/admin/login/');
    const fields = { csrf, username: OPERATOR, password: PASSWORD };
    const reply = await visitor.post('/admin/login/', Object.entries(fields), headers(dashboard.url));
    expect(reply.status).toBe(status);
  });
});

describe('a login behind a proxy that is not trusted', () => {
  /** Posts the form with raw headers, which `fetch` does not let a program set. */
  async function posted(Host: string, origin: string, target = '/admin/login/'): Promise<[number, string]> {
    const visitor = new Visitor(dashboard.url);
    const csrf = await visitor.csrf('/admin/login/');
    const body = String(new URLSearchParams({ csrf, username: OPERATOR, password: PASSWORD }));
    const headers = {
      Host,
      Origin: origin,
      Referer: `${origin}${target}`,
      Cookie: `isccd_login=${visitor.cookies.get('isccd_login')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(body.length),
    };
    const sent = request(dashboard.url + target, { method: 'POST', headers }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode ?? 0, await text(response)];
  }

  test.each([
    ['localhost:443', 'https://localhost'],
    ['localhost', 'https://localhost:443'],
    ['localhost:80', 'http://localhost'],
    ['localhost:8443', 'https://localhost:8443'],
  ])('that sends Host: %s for %s works', async (host, origin) => {
    expect((await posted(host, origin))[0]).toBe(302);
  });

  test.each([
    ['localhost', 'https://localhost:8443'],
    ['localhost:8443', 'https://localhost'],
    ['localhost:99999', 'https://localhost'],
  ])('that sends Host: %s for %s is refused, and the page names the way out', async (host, origin) => {
    const [status, page] = await posted(host, origin);
    expect(status).toBe(403);
    expect(page).toContain(`The form came from ${origin}`);
    expect(page).toContain('proxy_set_header Host $http_host');
  });

  test('that sends an invalid port leads to the login', async () => {
    expect((await posted('localhost:99999', 'https://localhost', '/admin/manifests/'))[0]).toBe(302);
  });
});

describe('a session', () => {
  const isIn = async (visitor: Visitor) => (await visitor.get('/admin/')).status === 200;

  test('ends at log-out, which requires a form', async () => {
    const visitor = new Visitor(dashboard.url);
    await visitor.login();
    const token = visitor.cookies.get('isccd_session') ?? '';
    const wrong = await visitor.get('/admin/logout/');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await visitor.post('/admin/logout/', [['csrf', 'x']])).status).toBe(403);
    expect(await isIn(visitor)).toBe(true);
    const csrf = await visitor.csrf('/admin/');
    const out = await visitor.post('/admin/logout/', [['csrf', csrf]]);
    expect([out.status, out.headers.get('location')]).toEqual([302, '/admin/login/']);
    expect(visitor.setCookies[0]).toMatch(
      /^isccd_session=; Path=\/admin; Max-Age=0; HttpOnly; SameSite=Lax$/,
    );
    visitor.cookies.set('isccd_session', token);
    expect(await isIn(visitor)).toBe(false);
  });

  test('ends after 12 hours', async () => {
    const visitor = new Visitor(dashboard.url);
    await visitor.login();
    const { db } = dashboard.database;
    const token = visitor.cookies.get('isccd_session') ?? '';
    const hash = createHash('sha256').update(token).digest('hex');
    const mine = db.selectFrom('sessions').selectAll().where('token_hash', '=', hash);
    const { created_at, expires_at } = await mine.executeTakeFirstOrThrow();
    expect(expires_at - created_at).toBe(12 * 3600 * 1000);
    expect(await isIn(visitor)).toBe(true);
    await db.updateTable('sessions').set({ expires_at: Date.now() }).where('token_hash', '=', hash).execute();
    expect(await isIn(visitor)).toBe(false);
    await new Visitor(dashboard.url).login();
    expect(await mine.executeTakeFirst()).toBe(undefined);
  });

  test('ends when the account is disabled or its password changes', async () => {
    await dashboard.accounts.add('frank', PASSWORD, 'viewer', SET_UP);
    const visitor = new Visitor(dashboard.url);
    await visitor.login('frank');
    await dashboard.accounts.changePassword('frank', 'another-Good-1-for-him', SET_UP);
    expect(await isIn(visitor)).toBe(false);
    expect((await visitor.login('frank')).status).toBe(200);
    expect((await visitor.login('frank', 'another-Good-1-for-him')).status).toBe(302);
    await dashboard.accounts.setDisabled('frank', true, SET_UP);
    expect(await isIn(visitor)).toBe(false);
  });

  test('ends with the account, even if its row is left', async () => {
    await dashboard.accounts.add('grace', PASSWORD, 'viewer', SET_UP);
    const visitor = new Visitor(dashboard.url);
    await visitor.login('grace');
    // A login at the same time as the disabling stores its session after the others were deleted.
    await dashboard.database.db
      .updateTable('accounts')
      .set({ disabled: 1 })
      .where('username', '=', 'grace')
      .execute();
    expect(await isIn(visitor)).toBe(false);
  });

  test('requires a valid token', async () => {
    const visitor = new Visitor(dashboard.url);
    for (const token of ['', 'x', 'x'.repeat(43), '../', "' or '1'='1"]) {
      visitor.cookies.set('isccd_session', token);
      expect([token, await isIn(visitor)]).toEqual([token, false]);
    }
  });
});

describe('behind proxies', () => {
  test.each([
    [0, { 'X-Forwarded-Proto': 'https' }, false],
    [1, { 'X-Forwarded-Proto': 'https' }, true],
    [1, { 'X-Forwarded-Proto': 'http' }, false],
    [1, {}, false],
  ] as const)('with %d trusted proxies and %j, Secure cookies: %s', async (proxies, headers, secure) => {
    const behind = await startDashboard({ proxies });
    try {
      const visitor = new Visitor(behind.url, headers);
      expect((await visitor.login()).status).toBe(302);
      expect(visitor.setCookies.map((line) => line.endsWith('; Secure'))).toEqual([secure, secure]);
    } finally {
      await behind.close();
    }
  });
});

describe('refused logins', () => {
  test('are logged with the name of the account, unknown names are not', async () => {
    const logged = dashboard.logLines.length;
    for (const name of ['Olga', 'a-password-in-the-wrong-field'])
      await new Visitor(dashboard.url).login(name, 'wrong-password');
    await new Visitor(dashboard.url).login();
    const lines = dashboard.logLines.slice(logged).filter(({ msg }) => msg === 'login refused');
    expect(lines.map(({ level, account }) => [level, account])).toEqual([
      [40, OPERATOR],
      [40, null],
    ]);
    expect(JSON.stringify(dashboard.logLines)).not.toContain('wrong');
  });
});

describe('login attempts', () => {
  test('are limited per client, and the page says so', async () => {
    const limited = await startDashboard({ logins: 3, proxies: 1 });
    try {
      const visitor = new Visitor(limited.url, { 'X-Forwarded-For': '203.0.113.7' });
      const statuses: number[] = [];
      for (let at = 0; at < 3; at += 1) statuses.push((await visitor.login(OPERATOR, 'wrong')).status);
      expect(statuses).toEqual([200, 200, 200]);
      const refused = await visitor.login();
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const page = await refused.text();
      expect(page).toMatch(/role="alert">Too many attempts/);
      expect(page).toContain('name="password"');
      const other = new Visitor(limited.url, { 'X-Forwarded-For': '203.0.113.8' });
      expect((await other.login()).status).toBe(302);
    } finally {
      await limited.close();
    }
  });
});
