/** Replays a recorded session with the reference service: every exchange, in order, for each backend. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/http/server.js';
import { DECISIONS, type Decision } from './support/decisions.js';
import { BACKENDS, engineOf, has } from './support/engines.js';
import { type Exchange, type Reply, send } from './support/exchange.js';
import { expectedBody, isSearchBody, type Moved, repliedBody } from './support/expected.js';
import { type Backend, indexUri } from './support/locations.js';
import { post, rows, startSearch } from './support/search-server.js';

const SECRET = 's3cret';
/** Pages are tested in a browser; the recording has only their length. */
const PAGES = new Set(['root-html']);
const HEADERS = ['content-type', 'access-control-allow-origin', 'access-control-max-age'];

let folder: string;
let all: Exchange[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
  all = (await rows<Exchange>('http.jsonl')).filter(({ step }) => !PAGES.has(step));
  return () => rm(folder, { recursive: true, force: true });
});

describe.each(BACKENDS)('the session recorded with %s', (backend) => {
  let server: RunningServer;
  const moved: Moved = { refused: new Set(), codeOnly: new Set() };
  const start = (name: string, secret?: string) =>
    startSearch(folder, {
      INDEXSVC_INDEX_URI: indexUri(backend, path.join(folder, name)),
      ...(secret === undefined ? {} : { INDEXSVC_API_SECRET: secret }),
    });
  const decided = new Set<Decision>();
  const recorded = (name: string) => all.filter((exchange) => exchange.backend === name);
  const engine = engineOf(backend);
  const isAfterRestart = (step: string) => step.startsWith('restart-');
  beforeAll(async () => {
    server = await start(backend);
  });
  afterAll(() => server.stop());

  async function replay(exchanges: readonly Exchange[]): Promise<void> {
    expect(exchanges.length).toBeGreaterThan(0);
    for (const exchange of exchanges) {
      const before = await saved(server.url, exchange);
      const reply = await send(server.url, exchange);
      await before?.restore();
      note(moved, exchange, reply);
      const decision = compare(backend, exchange, reply, moved);
      if (decision) decided.add(decision);
    }
  }

  test('gets the recorded responses, or those that a decision lists', async () => {
    await replay(recorded(engine).filter(({ step }) => !isAfterRestart(step)));
  });

  test.runIf(has(backend, 'persistence'))('gets them after a restart, too', async () => {
    await server.stop();
    server = await start(backend);
    await replay(recorded(engine).filter(({ step }) => isAfterRestart(step)));
  });

  test('gets them with a secret, too', async () => {
    await server.stop();
    server = await start(`${backend}-secret`, SECRET);
    await replay(recorded(`${engine}+secret`));
  });

  test('needs every decision that is listed for it', () => {
    const listed = DECISIONS.filter(
      (decision) =>
        concerns(decision, backend) && (has(backend, 'persistence') || !decision.steps.every(isAfterRestart)),
    );
    expect(listed.filter((decision) => !decided.has(decision)).map(({ steps }) => steps)).toEqual([]);
  });
});

function concerns(decision: Decision, backend: Backend): boolean {
  const { backends } = decision;
  return backends === undefined || backends.includes(backend) || backends.includes(engineOf(backend));
}

/** Compares a reply with the recording, or with the decision for its step; returns that decision. */
function compare(backend: Backend, exchange: Exchange, reply: Reply, moved: Moved): Decision | undefined {
  const { step, status } = exchange;
  const wanted = expectedBody(exchange, moved);
  const body = repliedBody(reply.body, moved);
  const isSame = reply.status === status && (wanted === undefined || isDeepStrictEqual(body, wanted));
  const decision = DECISIONS.find((one) => one.steps.includes(step) && concerns(one, backend));
  if (decision === undefined) {
    expect.soft({ step, status: reply.status }).toEqual({ step, status });
    if (wanted !== undefined) expect.soft({ step, body }).toEqual({ step, body: wanted });
    // The reference has no content type for missing bodies and another one for YAML.
    const isUntyped = exchange.response === null || step === 'openapi-yaml';
    const names = HEADERS.filter(
      (name) => name in exchange.response_headers && !(isUntyped && name === 'content-type'),
    );
    const [ours, theirs] = [reply.headers, exchange.response_headers].map((all) => headers(all, names));
    expect.soft({ step, ...ours }).toEqual({ step, ...theirs });
    return undefined;
  }
  expect.soft([step, isSame ? 'is as recorded: remove its decision' : 'differs']).toEqual([step, 'differs']);
  expect.soft([step, reply.status]).toEqual([step, decision.status ?? status]);
  if (decision.detail !== undefined) {
    const detail =
      typeof decision.detail === 'string' ? decision.detail : expect.stringMatching(decision.detail);
    expect.soft([step, body]).toEqual([step, { detail }]);
  }
  if (decision.has !== undefined) expect.soft([step, body]).toMatchObject([step, decision.has]);
  const ids = (list: 'global_matches' | 'chunk_matches') =>
    isSearchBody(body) ? body[list].map(({ iscc_id }) => iscc_id) : undefined;
  if (decision.globalIds) expect.soft([step, ids('global_matches')]).toEqual([step, decision.globalIds]);
  if (decision.chunkIds) expect.soft([step, ids('chunk_matches')]).toEqual([step, decision.chunkIds]);
  return decision;
}

function headers(all: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, String(all[name]).split(';')[0]]));
}

/** Tracks which assets are stored differently, from the requests and replies of adds. */
function note({ refused, codeOnly }: Moved, exchange: Exchange, reply: Reply): void {
  if (!exchange.path.endsWith('/assets') || !Array.isArray(exchange.body)) return;
  const entries = exchange.body as { iscc_id?: string; iscc_code?: string; units?: unknown }[];
  for (const { iscc_id: id, iscc_code, units } of entries) {
    if (id === undefined) continue;
    if (reply.status === 201) {
      refused.delete(id);
      if (iscc_code !== undefined && units === undefined) codeOnly.add(id);
      else codeOnly.delete(id);
    } else if (exchange.status === 201) {
      refused.add(id);
    }
  }
}

/** Saves the asset that an exchange deletes here but not in the reference, to restore it afterwards. */
async function saved(url: string, { method, path, status }: Exchange) {
  if (method !== 'DELETE' || status !== 405) return undefined;
  const entry: unknown = await (await fetch(url + path)).json();
  return {
    async restore() {
      expect((await fetch(url + path)).status).toBe(404);
      const added = await post(url + path.slice(0, path.lastIndexOf('/')), [entry]);
      expect(added.status).toBe(201);
    },
  };
}
