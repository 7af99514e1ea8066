/** Requests to a hub over HTTP: their form, and the result of each failure. */
import dns from 'node:dns';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SigningKey } from '../../../src/platform/signing/key.js';
import { declarableContent } from '../../../src/services/store/declarations/declared-content.js';
import { HubClient } from '../../../src/services/store/declarations/hub-client.js';
import { declarationNote, withdrawalNote } from '../../../src/services/store/declarations/iscc-note.js';
import { type Fault, HubServer } from '../../support/hub-server.js';
import { indexedBinding } from '../support/fixtures.js';
import { A } from './assets.js';

/** Only for hubs that hang: on a busy machine a working hub may take longer. */
const IMPATIENT_MS = 300;
const PATIENT_MS = 30_000;
/** An accepting response above the limit of 64 KiB. */
const LONG = JSON.stringify({ iscc_id: 'ISCC:MAIWMDAMBQSYSEAB', pad: 'x'.repeat(70_000) });
const signer = {
  key: new SigningKey(Buffer.alloc(32, 3)),
  controller: 'did:web:store.example',
  hubId: 1,
};

function note() {
  const content = declarableContent([indexedBinding('io.iscc.v0', A.binding)]);
  if (content === undefined) throw new Error('nothing to declare');
  return declarationNote(content, 'https://store.example/v1/manifests/a', '0.8.0', signer, Date.now());
}

let server: HubServer;
let url: string;
let client: HubClient;
beforeEach(async () => {
  server = new HubServer();
  url = await server.listen();
  client = new HubClient(url, PATIENT_MS);
});
afterEach(async () => {
  await client.close();
  await server.close();
});

describe('a working hub', () => {
  it('accepts our signatures, finds declarations and withdraws them', async () => {
    const sent = note();
    const accepted = await client.declare(sent, false);
    if (accepted.type !== 'accepted') throw new Error(JSON.stringify(accepted));
    const { isccId } = accepted;
    const pubkey = signer.key.publicKey;
    const found = { type: 'records', records: [{ isccId, pubkey, gateway: sent.gateway }] };
    expect(await client.resolve(isccId)).toEqual(found);
    expect(await client.lookup(sent.datahash)).toEqual(found);
    expect(await client.declare(note(), false)).toEqual({
      type: 'duplicate',
      existing: isccId,
      actor: pubkey,
    });
    expect((await client.declare(note(), true)).type).toBe('accepted');
    expect((await client.declare(sent, true)).type).toBe('nonce-used');
    const withdrawal = () => withdrawalNote(isccId, signer, Date.now());
    expect(await client.withdraw(withdrawal())).toEqual({ type: 'withdrawn' });
    expect(await client.withdraw(withdrawal())).toEqual({ type: 'withdrawn' });
    expect(await client.resolve(isccId)).toEqual({ type: 'records', records: [] });
  });

  it('refuses a note that was changed after signing', async () => {
    const changed = { ...note(), gateway: 'https://store.example/v1/manifests/b' };
    expect(await client.declare(changed, false)).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('invalid_signature'),
    });
  });

  it('gets requests for JSON, with the force header only where requested', async () => {
    await client.declare(note(), false);
    await client.declare(note(), true);
    const [plain, forced] = server.requests.map(({ headers }) => headers);
    expect(plain).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
    expect(plain?.['x-force-declaration']).toBeUndefined();
    expect(forced?.['x-force-declaration']).toBe('true');
  });

  it('gets each request with its path, body and trace', async () => {
    const trace = { traceId: 'ab'.repeat(16), isSampled: true, spanId: 'cd'.repeat(8) };
    const [sent, withdrawn] = [note(), withdrawalNote('ISCC:MAIWMDAMBQSYSEAB', signer, 0)];
    await client.declare(sent, false, trace);
    await client.withdraw(withdrawn, trace);
    await client.resolve('ISCC:MAIWMDAMBQSYSEAB', trace);
    await client.lookup('1e20', trace);
    await client.lookup('1e20');
    const json = 'application/json';
    const traced = `00-${trace.traceId}-${trace.spanId}-01`;
    expect(
      server.requests.map(({ method, path, body, headers }) => {
        const { accept, traceparent, 'content-type': type } = headers;
        return [method, path, body, accept, type, traceparent];
      }),
    ).toEqual([
      ['POST', '/declaration', JSON.stringify(sent), json, json, traced],
      ['DELETE', '/declaration/ISCC:MAIWMDAMBQSYSEAB', JSON.stringify(withdrawn), json, json, traced],
      ['GET', '/ISCC:MAIWMDAMBQSYSEAB', '', json, undefined, traced],
      ['GET', '/lookup?datahash=1e20', '', json, undefined, traced],
      ['GET', '/lookup?datahash=1e20', '', json, undefined, undefined],
    ]);
  });

  it('gets each request on a connection of its own', async () => {
    for (let request = 0; request < 3; request += 1) await client.lookup('1e20');
    expect(server.requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close', 'close']);
  });

  it.each(['/hub', '/hub/'])('may have the base path %s', async (base) => {
    const below = new HubClient(url + base, PATIENT_MS);
    await below.lookup('1e20');
    await below.close();
    expect(server.trace()).toEqual(['GET /hub/lookup']);
  });
});

describe('a failure', () => {
  const lost = { type: 'unanswered', uncertain: true };
  const cases: [string, Fault, object][] = [
    ['no response in time', { processed: false, answer: 'hang' }, { ...lost, unreachable: true }],
    ['a cut connection', { processed: true, answer: 'reset' }, { ...lost, unreachable: true }],
    ['an HTML page', { processed: false, answer: { contentType: 'text/html', body: '<html>' } }, lost],
    ['a response that is too long', { processed: false, answer: { body: 'x'.repeat(70_000) } }, lost],
    ['a valid response that is too long', { processed: false, answer: { status: 201, body: LONG } }, lost],
    ['an error of a proxy', { processed: false, answer: { status: 502, body: 'Bad Gateway' } }, lost],
  ];
  it.each(cases)('%s', async (_, fault, answer) => {
    server.faults = () => fault;
    const client = new HubClient(url, fault.answer === 'hang' ? IMPATIENT_MS : PATIENT_MS);
    expect(await client.declare(note(), false)).toMatchObject(answer);
    expect(await client.withdraw(withdrawalNote('ISCC:MAIWMDAMBQSYSEAB', signer, 0))).toMatchObject(answer);
    expect(await client.lookup('1e20')).toMatchObject(answer);
    expect(await client.resolve('ISCC:MAIWMDAMBQSYSEAB')).toMatchObject(answer);
    await client.close();
  });

  it('a request in flight ends when the client closes', async () => {
    let closed: Promise<void> | undefined;
    server.faults = () => {
      closed = client.close();
      return { processed: false, answer: 'hang' };
    };
    expect(await client.declare(note(), false)).toMatchObject({ ...lost, unreachable: true });
    await closed;
  });

  it('a response that is too long says that the hub is reachable', async () => {
    server.faults = () => ({ processed: false, answer: { body: 'x'.repeat(70_000) } });
    expect(await client.lookup('1e20')).toMatchObject({
      ...lost,
      unreachable: false,
      reason: expect.stringMatching(/^no response: ./),
    });
  });

  it('a redirect is not followed', async () => {
    server.faults = () => ({ processed: false, answer: { status: 307, location: '/elsewhere' } });
    expect(await client.declare(note(), false)).toMatchObject(lost);
    expect(server.trace()).toEqual(['POST /declaration']);
  });

  it('a slow response is aborted by the time-out', async () => {
    const slow = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(drip));
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const address = slow.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const other = new HubClient(`http://127.0.0.1:${port}`, IMPATIENT_MS);
    expect(await other.declare(note(), false)).toMatchObject({ ...lost, unreachable: true });
    await other.close();
    slow.close();
  });

  it.each(['EAI_AGAIN', 'ENOTFOUND'])(
    '%s of the name is certain not to have delivered the note',
    async (code) => {
      const error = Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' });
      const spy = vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
        (args.at(-1) as (error: Error) => void)(error);
      }) as unknown as typeof dns.lookup);
      onTestFinished(() => spy.mockRestore());
      const unknown = new HubClient('http://hub.example', PATIENT_MS);
      expect(await unknown.declare(note(), false)).toMatchObject({
        type: 'unanswered',
        uncertain: false,
        unreachable: true,
      });
      await unknown.close();
    },
  );

  it('a refused connection is certain not to have delivered the note', async () => {
    await server.close();
    expect(await client.declare(note(), false)).toMatchObject({
      type: 'unanswered',
      uncertain: false,
      unreachable: true,
      reason: expect.stringMatching(/^no response: .*ECONNREFUSED/),
    });
  });
});
