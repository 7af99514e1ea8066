/** A hub with a transparency log, made for tests: signed declarations, deletions and checkpoints, with faults on request. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base58 } from '@scure/base';
import { composeCode, encodeUnit } from '../../../src/iscc/codec.js';
import { native } from '../../../src/native.js';
import { canonicalize, type Json } from '../../../src/platform/signing/jcs.js';

const NOTE = 'http://purl.org/iscc/schema/iscc-note-0.8.0.json';
const DELETE = 'http://purl.org/iscc/schema/iscc-note-delete-0.8.0.json';
const ENTRY = 'http://purl.org/iscc/schema/iscc-log-entry-0.8.0.json';
const START_US = 1_770_000_000_000_000;
const BLOCK = 256;
/** Numbers of ISO 24138. */
const [NONE, IMAGE, CONTENT, DATA, INSTANCE] = [0, 1, 2, 3, 4];

const unit = (main: number, sub: number, digest: Uint8Array) => encodeUnit(main, sub, 0, 256, digest);

const sha256 = (...parts: readonly (Uint8Array | string)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const leafHash = (record: Buffer) => sha256(Buffer.of(0), record);
const nodeHash = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right);

/** Head of a tree, by the definition of RFC 6962. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256('');
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

/** A declarer's or a hub's key. */
export class Key {
  readonly #private: KeyObject;
  readonly raw: Buffer;
  readonly multibase: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#private = privateKey;
    this.raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    this.multibase = `z${base58.encode(Buffer.concat([Buffer.of(0xed, 1), this.raw]))}`;
  }

  sign(bytes: Buffer): Buffer {
    return sign(null, bytes, this.#private);
  }

  signNote(note: object, version = 'ISCC-SIG v1.0'): object {
    const signature = { version, pubkey: this.multibase };
    const text = canonicalize({ ...note, signature } as Json) ?? '';
    const proof = `z${base58.encode(this.sign(Buffer.from(text)))}`;
    return { ...note, signature: { ...signature, proof } };
  }
}

interface Declared {
  readonly isccId: string;
  readonly asset: object;
  readonly key: Key;
}

export class HubDouble {
  readonly hubId: number;
  readonly #server: Server;
  readonly #actors = [new Key(), new Key(), new Key()];
  #key = new Key();
  readonly #didKeys: string[] = [];
  #records: Buffer[] = [];
  #declared: Declared[] = [];
  #salt = 0;
  /** Hashes of the first records, and roots by size. */
  readonly #hashed: Buffer[] = [];
  readonly #roots = new Map<number, string>();
  /** Name of the hub in its URL and of its log. */
  host = '127.0.0.1';
  /** Requested paths, in their order. */
  readonly requests: string[] = [];
  /** Serves the checkpoint of this size. */
  staleSize: number | undefined;
  /** Status of all responses. */
  failure: number | undefined;
  /** Closes all connections without a response. */
  isGone = false;
  corruptBundles = false;
  hidePartials = false;
  /** Pause before each response. */
  delayMs = 0;
  /** Responds itself, or returns false. */
  respond: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** Signs checkpoints of this size, whatever the log has. */
  claimedSize: number | undefined;

  private constructor(hubId: number, server: Server) {
    this.hubId = hubId;
    this.#server = server;
    this.#didKeys.push(this.#key.multibase);
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      if (this.isGone) return void request.socket.destroy();
      this.requests.push(path);
      if (this.respond?.(path, response) === true) return;
      const body = this.failure === undefined ? this.#resource(path) : undefined;
      response.statusCode = body === undefined ? (this.failure ?? 404) : 200;
      const end = () => response.end(body ?? '<html></html>');
      if (this.delayMs > 0) setTimeout(end, this.delayMs);
      else end();
    });
  }

  /** @param predecessor hub whose key it signs with */
  static async start(hubId: number, entries: number, predecessor?: HubDouble): Promise<HubDouble> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const hub = new HubDouble(hubId, server);
    if (predecessor !== undefined) hub.#setKey(predecessor.#key);
    hub.append(entries);
    return hub;
  }

  #setKey(key: Key): void {
    this.#key = key;
    this.#didKeys.splice(0, this.#didKeys.length, key.multibase);
  }

  get url(): string {
    return `http://${this.host}:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `${new URL(this.url).host}/log`;
  }

  get size(): number {
    return this.#records.length;
  }

  /** Assets that an index of the whole log must have. */
  get assets(): readonly object[] {
    return this.#declared.map(({ asset }) => asset);
  }

  get isccIds(): readonly string[] {
    return this.#declared.map(({ isccId }) => isccId);
  }

  /** ISCC-IDs of deleted declarations, oldest deletion first. */
  readonly deletedIds: string[] = [];

  /** Bytes of an entry. */
  record(index: number): Buffer {
    return this.#records[index] ?? Buffer.alloc(0);
  }

  /** The signed checkpoint. */
  get note(): string {
    return this.#checkpoint(this.size).toString();
  }

  /** Appends a note that a declarer signed. */
  publish(isccId: string, note: object): void {
    this.#push(isccId, note);
  }

  /** A hub list of these hubs, as YAML. */
  static list(...hubs: readonly HubDouble[]): string {
    const rows = hubs.map(({ hubId, url, listedKey }) => {
      return `    - hub_id: ${hubId}\n      pubkey: ${listedKey}\n      url: ${url}\n      active: true\n`;
    });
    return `version: 1\nnetwork: testnet\nhubs:\n${rows.join('')}`;
  }

  get listedKey(): string {
    return String(this.#didKeys[0]);
  }

  /** Appends entries; every twelfth deletes an earlier declaration. */
  append(count: number): void {
    for (let at = 0; at < count; at += 1) {
      const index = this.#records.length;
      if (index % 12 === 11) this.#delete(index);
      else this.#declare(index);
    }
  }

  /** Appends entries as they are. */
  appendRecords(records: readonly Buffer[]): void {
    this.#records.push(...records);
  }

  /** Replaces the log from an entry on by another branch of this size. */
  fork(at: number, size: number): void {
    this.#salt += 1;
    this.#records = this.#records.slice(0, at);
    this.#hashed.splice(at);
    this.#roots.clear();
    this.#declared = this.#declared.slice(0, Math.floor(at / 2));
    this.append(size - at);
  }

  /** Signs with a new key from now on; `listed`: the did:web document names it. */
  rotateKey(listed: boolean): void {
    this.#key = new Key();
    if (listed) this.#didKeys.push(this.#key.multibase);
  }

  listKey(): void {
    this.#didKeys.push(this.#key.multibase);
  }

  /** Closes all connections, so that the next request needs a new one. */
  disconnect(): void {
    this.#server.closeAllConnections();
  }

  stop(): Promise<void> {
    this.disconnect();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #declare(index: number): void {
    const isccId = native.isccId(0, START_US + index * 1_000_003, this.hubId);
    const digest = (name: string) => sha256(`${this.hubId}/${this.#salt}/${index}/${name}`);
    const content = unit(CONTENT, IMAGE, digest('content'));
    const data = unit(DATA, NONE, digest('data'));
    const instance = unit(INSTANCE, NONE, digest('instance'));
    const isccCode = composeCode([content, data, instance]);
    const gateway = index % 2 === 0 ? { gateway: `https://registry.example/m/${index}` } : {};
    const key = this.#actors[index % this.#actors.length] ?? new Key();
    const note = key.signNote({
      $schema: NOTE,
      iscc_code: isccCode,
      datahash: `1e20${digest('instance').toString('hex')}`,
      nonce: this.#nonce(index),
      units: [content, data],
      ...gateway,
    });
    this.#push(isccId, note);
    const asset = { iscc_id: isccId, iscc_code: isccCode, units: [content, data, instance] };
    const metadata = 'gateway' in gateway ? { metadata: gateway } : {};
    this.#declared.push({ isccId, key, asset: { ...asset, ...metadata } });
  }

  #delete(index: number): void {
    const victim = this.#declared.splice(index % this.#declared.length, 1)[0];
    if (victim === undefined) return;
    this.deletedIds.push(victim.isccId);
    const note = { $schema: DELETE, iscc_id: victim.isccId, nonce: this.#nonce(index) };
    this.#push(victim.isccId, victim.key.signNote(note));
  }

  #nonce(index: number): string {
    const random = sha256(`nonce/${this.#salt}/${index}`).toString('hex');
    return this.hubId.toString(16).padStart(3, '0') + random.slice(0, 29);
  }

  #push(isccId: string, note: object): void {
    this.#records.push(Buffer.from(canonicalize({ $schema: ENTRY, iscc_id: isccId, note } as Json)));
  }

  #resource(path: string): Buffer | undefined {
    if (path === '/.well-known/did.json') return this.#didDocument();
    if (path === '/log/checkpoint') return this.#checkpoint(this.staleSize ?? this.size);
    const file = /^\/log\/tile\/(entries|1)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path);
    if (file === null) return undefined;
    const [, kind, digits = '', width] = file;
    if (width !== undefined && this.hidePartials) return undefined;
    const index = Number(digits.replace(/[x/]/g, ''));
    const count = width === undefined ? BLOCK : Number(width);
    return kind === 'entries' ? this.#bundle(index, count) : this.#tile(index, count);
  }

  #bundle(index: number, count: number): Buffer | undefined {
    const records = this.#records.slice(index * BLOCK, index * BLOCK + count);
    if (records.length < count) return undefined;
    const framed = records.flatMap((record) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(record.length);
      return [length, record];
    });
    const bundle = Buffer.concat(framed);
    if (this.corruptBundles) bundle[bundle.length - 9] = (bundle.at(-9) ?? 0) ^ 1;
    return bundle;
  }

  #tile(index: number, count: number): Buffer | undefined {
    const leaves = this.#leaves();
    const roots = Array.from({ length: count }, (_, at) => {
      const start = (index * BLOCK + at) * BLOCK;
      return leaves.slice(start, start + BLOCK);
    });
    return roots.some((block) => block.length < BLOCK) ? undefined : Buffer.concat(roots.map(rootOf));
  }

  #checkpoint(size: number): Buffer {
    const root = this.#root(size);
    const text = `${this.origin}\n${this.claimedSize ?? size}\n${root}\n`;
    const keyId = sha256(this.origin, '\n', Buffer.of(1), this.#key.raw).subarray(0, 4);
    const signature = Buffer.concat([keyId, this.#key.sign(Buffer.from(text))]).toString('base64');
    return Buffer.from(`${text}\n\u2014 ${this.origin} ${signature}\n`);
  }

  #leaves(): readonly Buffer[] {
    for (const record of this.#records.slice(this.#hashed.length)) this.#hashed.push(leafHash(record));
    return this.#hashed;
  }

  /** Base64. */
  #root(size: number): string {
    const known = this.#roots.get(size);
    if (known !== undefined) return known;
    const root = rootOf(this.#leaves().slice(0, size)).toString('base64');
    this.#roots.set(size, root);
    return root;
  }

  #didDocument(): Buffer {
    const did = `did:web:${new URL(this.url).host.replace(':', '%3A')}`;
    const ids = this.#didKeys.map((key) => `${did}#${key}`);
    const verificationMethod = this.#didKeys.map((key, at) => {
      return { id: ids[at], type: 'Multikey', controller: did, publicKeyMultibase: key };
    });
    return Buffer.from(JSON.stringify({ id: did, verificationMethod, assertionMethod: ids }));
  }
}
