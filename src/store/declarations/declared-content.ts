/** The content that a declaration names: the manifest's first ISCC binding that identifies a file. */
import { composeCode, decodeCode } from '../../codec.js';
import { native } from '../../native.js';

const ALGORITHM = 'io.iscc.v0';
const UNIT_BITS = 256;
/** MainTypes: first field of a unit's header. */
const META = 0;
const SEMANTIC = 1;
const CONTENT = 2;
const DATA = 3;
const INSTANCE = 4;
/** A datahash is a multihash: BLAKE3 (1e), 32 bytes (20). */
const BLAKE3_HEAD = '1e20';

export interface Binding {
  readonly alg: string;
  /** Bytes of the soft binding; an ISCC-SEQ for `io.iscc.v0`. */
  readonly value: Uint8Array;
}

/** The members of a declaration that come from the manifest's content. */
export interface DeclaredContent {
  readonly isccCode: string;
  /** Multihash in hexadecimal. */
  readonly datahash: string;
  /** The 256-bit Meta-, Semantic-, Content- and Data-Code that exist, in this order. */
  readonly units: readonly string[];
}

/** `undefined` if no binding has both a Data- and an Instance-Code of 256 bits. */
export function declarableContent(bindings: readonly Binding[]): DeclaredContent | undefined {
  for (const { alg, value } of bindings) {
    const content = alg === ALGORITHM ? contentOf(value) : undefined;
    if (content !== undefined) return content;
  }
  return undefined;
}

interface Unit {
  readonly iscc: string;
  readonly sub: number;
  readonly body: Uint8Array;
}

function contentOf(sequence: Uint8Array): DeclaredContent | undefined {
  const units = firstOfEachType(sequence);
  const [data, instance] = [units.get(DATA), units.get(INSTANCE)];
  if (data === undefined || instance === undefined) return undefined;
  // An ISCC-CODE has a single SubType for both.
  const [semantic, content] = [units.get(SEMANTIC), units.get(CONTENT)];
  if (semantic !== undefined && content !== undefined && semantic.sub !== content.sub) return undefined;
  const declared = [units.get(META), semantic, content, data].filter((unit) => unit !== undefined);
  return {
    isccCode: composeCode([...declared, instance].map(({ iscc }) => iscc)),
    datahash: BLAKE3_HEAD + Buffer.from(instance.body).toString('hex'),
    units: declared.map(({ iscc }) => iscc),
  };
}

function firstOfEachType(sequence: Uint8Array): Map<number, Unit> {
  const first = new Map<number, Unit>();
  for (const iscc of units(sequence)) {
    const unit = decode(iscc);
    if (unit === undefined || unit.version !== 0 || unit.bits !== UNIT_BITS || first.has(unit.main)) continue;
    first.set(unit.main, { iscc, sub: unit.sub, body: unit.body });
  }
  return first;
}

function units(sequence: Uint8Array): readonly string[] {
  try {
    return native.decodeSeq(sequence);
  } catch {
    return [];
  }
}

/** `undefined` for SubTypes and versions that are not defined yet. */
function decode(iscc: string) {
  try {
    return decodeCode(iscc);
  } catch {
    return undefined;
  }
}
