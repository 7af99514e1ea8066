/** What the reference server answered in the same mode: hidden routes are equal, and `/status` and `/` have its members. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

interface Recorded {
  readonly status: number;
  readonly body: object;
}

const FILE = path.resolve(import.meta.dirname, '../fixtures/network/upstream.json');
const recorded = Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Recorded>)
  .map(([name, answer]) => ({ route: /^(GET|POST|DELETE) (\/\S*)/.exec(name), answer }))
  .flatMap(({ route, answer }) => (route === null ? [] : [{ method: route[1], address: route[2], answer }]));
const hidden = recorded.filter(({ answer }) => answer.status === 404);

let hub: HubDouble;
let node: Node;

beforeAll(async () => {
  hub = await HubDouble.start(1, 30);
  node = await Node.create(hub);
  await node.start();
}, 60_000);

afterAll(async () => {
  await node.remove();
  await hub.stop();
});

/** Names of the members that are objects, texts, numbers …, at every level; a list is its first element. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (value === null || typeof value !== 'object') return value === null ? expect.anything() : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]));
}

async function request(address: string, method = 'GET'): Promise<Recorded> {
  const body = method === 'POST' ? { body: '[]' } : {};
  const headers = { Accept: 'application/json' };
  const response = await fetch(node.urls.search + address, { method, headers, ...body });
  return { status: response.status, body: (await response.json()) as object };
}

describe('a node', { timeout: 60_000 }, () => {
  it('was recorded on hidden routes', () => expect(hidden.length).toBeGreaterThan(5));

  it.each(hidden)('answers $method $address like the reference', async ({ method, address = '', answer }) => {
    const { status, body } = await request(address, method);
    expect({ status, body }).toEqual({ status: answer.status, body: answer.body });
  });

  it('has the members of the reference in /status and /', async () => {
    await node.until(hub, 'following', 30);
    for (const address of ['/status', '/']) {
      const reference = recorded.find((each) => each.address === address)?.answer;
      const members = shape(reference?.body) as { index?: object; hubs?: { error: unknown }[] };
      // Names of engines are those of each program, and `error` is null while a hub is well.
      if (members.index !== undefined)
        members.index = expect.objectContaining({ name: 'string', assets: 'number' });
      for (const each of members.hubs ?? []) each.error = null;
      const { status, body } = await request(address);
      const ours = shape(body) as { hubs?: { error: unknown }[] };
      for (const each of ours.hubs ?? []) each.error = null;
      expect(status).toBe(200);
      expect(ours).toMatchObject(members);
    }
    expect((await node.state(hub))?.last_poll).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  });
});
