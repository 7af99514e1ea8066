/** A log with every kind of entry that a node counts. All but its keys depends only on the seed. */
import { createHash } from 'node:crypto';
import { composeCode, encodeUnit } from '../../../src/iscc/codec.js';
import { native } from '../../../src/native.js';
import { canonicalize, type Json } from '../../../src/platform/signing/jcs.js';
import { Random } from '../../support/torture.js';
import { Key } from './hub-double.js';

const ENTRY = 'http://purl.org/iscc/schema/iscc-log-entry-0.8.0.json';
const NOTE = 'http://purl.org/iscc/schema/iscc-note-0.8.0.json';
const DELETE = 'http://purl.org/iscc/schema/iscc-note-delete-0.8.0.json';
const START_US = 1_770_000_000_000_000;
/** Numbers of ISO 24138. */
const [NONE, IMAGE, CONTENT, DATA, INSTANCE] = [0, 1, 2, 3, 4];
/** A quarter of the entries are of one of these kinds; half of the others delete or declare again. */
const FAULTS = [
  'oversize',
  'not json',
  'schema',
  'id',
  'realm',
  'hub',
  'nonce of another hub',
  'datahash',
  'proof',
  'version',
  'nonce again',
  'orphan',
  'foreign deletion',
  'foreign declaration',
  'revival',
] as const;
type Fault = (typeof FAULTS)[number];

interface Declared {
  readonly isccId: string;
  readonly key: Key;
  readonly nonce: string;
}

/** Entries of the log of a test network's hub. */
export function hostileLog(hubId: number, count: number, seed: number): Buffer[] {
  const log = new HostileLog(hubId, new Random(seed));
  return Array.from({ length: count }, (_, index) => log.entry(index));
}

class HostileLog {
  readonly #hubId: number;
  readonly #random: Random;
  readonly #keys = [new Key(), new Key(), new Key()];
  readonly #inForce: Declared[] = [];
  readonly #deleted: Declared[] = [];

  constructor(hubId: number, random: Random) {
    this.#hubId = hubId;
    this.#random = random;
  }

  entry(index: number): Buffer {
    const dice = this.#random.below(100);
    const known = this.#any(this.#inForce);
    if (known === undefined || dice < 45) return this.#declaration(index);
    if (dice < 60) return this.#deletion(index, known);
    if (dice < 75) return record(known.isccId, known.key.signNote(this.#note(index)));
    return this.#fault(this.#random.pick(FAULTS), index, known);
  }

  #declaration(index: number): Buffer {
    const key = this.#random.pick(this.#keys);
    const note = this.#note(index);
    const isccId = this.#id(index);
    this.#inForce.push({ isccId, key, nonce: note.nonce });
    return record(isccId, key.signNote(note));
  }

  #deletion(index: number, known: Declared): Buffer {
    this.#inForce.splice(this.#inForce.indexOf(known), 1);
    this.#deleted.push(known);
    return record(known.isccId, known.key.signNote(this.#deletionNote(known.isccId, index)));
  }

  #fault(fault: Fault, index: number, known: Declared): Buffer {
    const { key, isccId, nonce } = known;
    const note = this.#note(index);
    const fresh = this.#id(index);
    const foreign = new Key();
    switch (fault) {
      case 'oversize':
        return record(fresh, { ...key.signNote(note), padding: 'x'.repeat(17_000) });
      case 'not json':
        return Buffer.of(0xef, 0xbb, 0xbf, 0x7b, index & 127);
      case 'schema':
        return record(fresh, key.signNote({ ...note, $schema: `${NOTE}#` }));
      case 'id':
        return record(fresh.toLowerCase(), key.signNote(note));
      case 'realm':
        return record(native.isccId(1, START_US + index, this.#hubId), key.signNote(note));
      case 'hub':
        return record(native.isccId(0, START_US + index, this.#hubId ^ 1), key.signNote(note));
      case 'nonce of another hub':
        return record(fresh, key.signNote({ ...note, nonce: `fff${note.nonce.slice(3)}` }));
      case 'datahash':
        return record(fresh, key.signNote({ ...note, datahash: `1e20${'0'.repeat(63)}` }));
      case 'proof':
        return record(fresh, { ...key.signNote(note), timestamp: '2026-01-01T00:00:00Z' });
      case 'version':
        return record(fresh, key.signNote(note, 'ISCC-SIG v2.0'));
      case 'nonce again':
        return record(fresh, key.signNote({ ...note, nonce }));
      case 'orphan':
        return record(fresh, key.signNote(this.#deletionNote(fresh, index)));
      case 'foreign deletion':
        return record(isccId, foreign.signNote(this.#deletionNote(isccId, index)));
      case 'foreign declaration':
        return record(isccId, foreign.signNote(note));
      case 'revival': {
        const gone = this.#any(this.#deleted) ?? known;
        return record(gone.isccId, gone.key.signNote(note));
      }
      default:
        return fault satisfies never;
    }
  }

  #note(index: number) {
    const digest = (name: string) => hash(`${this.#hubId}/${index}/${name}`);
    const bits = this.#random.pick([64, 128, 256]);
    const unit = (main: number, sub: number, name: string, length = bits) =>
      encodeUnit(main, sub, 0, length, digest(name));
    const content = unit(CONTENT, IMAGE, 'content');
    const data = unit(DATA, NONE, 'data');
    const gateway = 'https://registry.example/{iscc_id}{/iscc_code}{.datahash}';
    return {
      $schema: NOTE,
      iscc_code: composeCode([content, data, unit(INSTANCE, NONE, 'instance', 256)]),
      datahash: `1e20${digest('instance').toString('hex')}`,
      nonce: this.#nonce(index),
      ...(index % 3 > 0 && { units: [content, data] }),
      ...(index % 2 > 0 && { gateway }),
    };
  }

  #deletionNote(isccId: string, index: number) {
    return { $schema: DELETE, iscc_id: isccId, nonce: this.#nonce(index) };
  }

  #nonce(index: number): string {
    return (
      this.#hubId.toString(16).padStart(3, '0') + hash(`${this.#hubId}/${index}`).toString('hex').slice(0, 29)
    );
  }

  #id(index: number): string {
    return native.isccId(0, START_US + index * 1_000_003, this.#hubId);
  }

  #any(declared: readonly Declared[]): Declared | undefined {
    return declared[this.#random.below(declared.length)];
  }
}

function record(isccId: string, note: object): Buffer {
  return Buffer.from(canonicalize({ $schema: ENTRY, iscc_id: isccId, note } as Json));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
