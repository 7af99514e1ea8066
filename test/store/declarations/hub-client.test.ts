/** Requests to a hub over HTTP: what they look like, and what every failure on the way is taken for. */
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SigningKey } from '../../../src/signing/key.js';
import { declarableContent } from '../../../src/store/declarations/declared-content.js';
import { HubClient } from '../../../src/store/declarations/hub-client.js';
import { declarationNote, withdrawalNote } from '../../../src/store/declarations/iscc-note.js';
import { type Fault, HubServer } from '../../support/hub-server.js';
import { A } from './assets.js';

/** For hubs that hang; a busy machine may take longer for an honest answer. */
const IMPATIENT_MS = 300;
const PATIENT_MS = 30_000;
const signer = {
  key: new SigningKey(Buffer.alloc(32, 3)),
  controller: 'did:web:store.example',
  hubId: 1,
};

function note() {
  const content = declarableContent([{ alg: 'io.iscc.v0', value: A.binding }]);
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

describe('a sound hub', () => {
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

  it('refuses what was changed after it was signed', async () => {
    const changed = { ...note(), gateway: 'https://store.example/v1/manifests/b' };
    expect(await client.declare(changed, false)).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('invalid_signature'),
    });
  });

  it('is asked for JSON, and told to force only where it is to', async () => {
    await client.declare(note(), false);
    await client.declare(note(), true);
    const [plain, forced] = server.requests.map(({ headers }) => headers);
    expect(plain).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
    expect(plain?.['x-force-declaration']).toBeUndefined();
    expect(forced?.['x-force-declaration']).toBe('true');
  });

  it('may be below a path', async () => {
    const below = new HubClient(`${url}/hub`, PATIENT_MS);
    await below.lookup('1e20');
    await below.close();
    expect(server.trace()).toEqual(['GET /hub/lookup']);
  });
});

describe('a failure', () => {
  const lost = { type: 'unanswered', uncertain: true };
  const cases: [string, Fault, object][] = [
    ['no answer in time', { processed: false, answer: 'hang' }, { ...lost, unreachable: true }],
    ['a cut connection', { processed: true, answer: 'reset' }, { ...lost, unreachable: true }],
    ['a page', { processed: false, answer: { contentType: 'text/html', body: '<html>' } }, lost],
    ['an answer that is too long', { processed: false, answer: { body: 'x'.repeat(70_000) } }, lost],
    ['a proxy', { processed: false, answer: { status: 502, body: 'Bad Gateway' } }, lost],
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

  it('redirects are not followed', async () => {
    server.faults = () => ({ processed: false, answer: { status: 307, location: '/elsewhere' } });
    expect(await client.declare(note(), false)).toMatchObject(lost);
    expect(server.trace()).toEqual(['POST /declaration']);
  });

  it('an answer that trickles is cut as well', async () => {
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

  it('a hub that does not listen leaves no doubt', async () => {
    await server.close();
    expect(await client.declare(note(), false)).toMatchObject({
      type: 'unanswered',
      uncertain: false,
      unreachable: true,
    });
  });
});
