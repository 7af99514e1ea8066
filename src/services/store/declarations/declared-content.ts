/** The content that a declaration names: from the first ISCC binding that identifies a file. */
import { composeCode } from '../../../iscc/codec.js';
import type { IndexedBinding, SeqUnit } from '../validation/validator.js';

/** MainTypes by their number in a unit's header. */
const META = 0;
const SEMANTIC = 1;
const CONTENT = 2;
const DATA = 3;
const INSTANCE = 4;
/** A datahash is a multihash: BLAKE3 (1e), 32 bytes (20). */
const BLAKE3_HEAD = '1e20';

/** The members of a declaration that come from the manifest's content. */
export interface DeclaredContent {
  readonly isccCode: string;
  /** Multihash in hexadecimal. */
  readonly datahash: string;
  /** Meta, Semantic, Content and Data in this order, of 256 bits, where they exist. */
  readonly units: readonly string[];
}

/** `undefined` if no binding has both a Data- and an Instance-Code of 256 bits. */
export function declarableContent(
  bindings: readonly Pick<IndexedBinding, 'units'>[],
): DeclaredContent | undefined {
  for (const { units } of bindings) {
    const content = contentOf(units);
    if (content !== undefined) return content;
  }
  return undefined;
}

function contentOf(units: readonly SeqUnit[]): DeclaredContent | undefined {
  const first = firstOfEachType(units);
  const [data, instance] = [first.get(DATA), first.get(INSTANCE)];
  if (data === undefined || instance === undefined) return undefined;
  // An ISCC-CODE has one SubType for both.
  const [semantic, content] = [first.get(SEMANTIC), first.get(CONTENT)];
  if (semantic !== undefined && content !== undefined && semantic.subType !== content.subType)
    return undefined;
  const declared = [first.get(META), semantic, content, data].filter((unit) => unit !== undefined);
  return {
    isccCode: composeCode([...declared, instance].map(({ iscc }) => iscc)),
    datahash: BLAKE3_HEAD + Buffer.from(instance.body).toString('hex'),
    units: declared.map(({ iscc }) => iscc),
  };
}

function firstOfEachType(units: readonly SeqUnit[]): Map<number, SeqUnit> {
  const first = new Map<number, SeqUnit>();
  for (const unit of units) {
    if (unit.declarable && !first.has(unit.mainType)) first.set(unit.mainType, unit);
  }
  return first;
}
