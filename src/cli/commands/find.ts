/** `isccd find FILE --in INDEX`: the assets of an index that a file matches, and what differs. */
import { NotFound } from '../../client/errors.js';
import type { ChunkMatch, Entry, GlobalMatch, SearchApi } from '../../client/search-api.js';
import { decomposeCode } from '../../iscc/codec.js';
import { type Span, spansByType, spanText } from '../../iscc/spans.js';
import { native, type UnitComparison } from '../../native.js';
import { present } from '../../platform/present.js';
import { printable } from '../../platform/printable.js';
import { indexArgument } from '../input/arguments.js';
import { SYMMETRIES, type Symmetry } from '../scan/symmetries.js';
import { type Paint, painter } from '../terminal/colour.js';
import { nameOf, unitName } from '../terminal/index-tables.js';
import { printJson } from '../terminal/lines.js';
import { using, type Where } from './index-command.js';
import { limitOption, queryOfFile, shareOption } from './index-search.js';

export interface FindOptions extends Where {
  readonly in: string;
  readonly limit?: string;
  readonly threshold?: string;
  /** Whether to find the picture mirrored and turned, too. */
  readonly symmetries?: boolean;
  readonly json?: boolean;
}

interface Found extends Pick<GlobalMatch, 'iscc_id' | 'score' | 'metadata'> {
  readonly relation: string;
  readonly units: readonly UnitComparison[];
  readonly symmetry?: Symmetry;
  /** Parts of a film or a recording that both have, by type. */
  readonly spans?: Readonly<Record<string, readonly Span[]>>;
}

/** A match, and the units with which it was found. */
interface Sought {
  readonly match: GlobalMatch;
  readonly units: readonly string[];
  /** How the picture of the asset looks to that of the file; absent if alike. */
  readonly symmetry?: Symmetry | undefined;
}

const INDENT = ' '.repeat(9);
const KIND_WIDTH = 16;

/** Main types of units from the one that says most, with what it says if it is equal, and if it is similar. */
const RELATIONS: readonly (readonly [main: string, equal: string, similar: string])[] = [
  ['INSTANCE', 'the same file', 'the same file'],
  ['CONTENT', 'the same content in another file', 'similar content'],
  ['DATA', 'almost the same bytes', 'similar bytes'],
  ['SEMANTIC', 'similar meaning', 'similar meaning'],
  ['META', 'only the same title or description', 'only a similar title or description'],
];

/** Prints the matches of a file, the best first, and for each what it is to the file and how far their units differ. */
export async function find(file: string, options: FindOptions): Promise<void> {
  const index = indexArgument(options.in);
  const parameters = present({
    limit: limitOption(options.limit),
    threshold: shareOption(options.threshold, '--threshold'),
  });
  const { query, symmetries, parts } = await queryOfFile(file);
  await using(options, async (service) => {
    const { global_matches: direct, chunk_matches: partial } = await service.search(index, query, parameters);
    const sought: Sought[] = direct.map((match) => ({ match, units: query.units }));
    for (const [at, code] of options.symmetries ? symmetries.entries() : []) {
      // A plain picture is like all others, however it is turned.
      if (native.isFeatureless(code)) break;
      const { global_matches: turned } = await service.search(index, { units: [code] }, parameters);
      sought.push(...turned.map((match) => ({ match, units: [code], symmetry: SYMMETRIES[at] })));
    }
    const found: Found[] = [];
    for (const { match, units, symmetry } of bestOf(sought, parameters.limit)) {
      const { iscc_id, score, metadata } = match;
      const differences = compared(units, unitsOf(await stored(service, index, iscc_id)));
      const relation = symmetry === undefined ? relationOf(match) : `${relationOf(match)}, ${symmetry}`;
      found.push({ iscc_id, score, relation, units: differences, metadata, ...(symmetry && { symmetry }) });
    }
    for (const match of partial) addSpans(found, match, spansByType(match.types, parts));
    if (options.json) return printJson({ iscc: query.iscc_code, matches: found });
    const paint = painter(process.stdout);
    if (found.length === 0) process.stdout.write(`no matches in ${index}\n`);
    for (const match of found) process.stdout.write(block(match, paint));
  });
}

/** Adds the times that a film or a recording has in common with the file to its match, or as a match of their own. */
function addSpans(found: Found[], match: ChunkMatch, all: Readonly<Record<string, readonly Span[]>>): void {
  const spans = Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
  if (Object.keys(spans).length === 0) return;
  const { iscc_id, score, metadata } = match;
  const at = found.findIndex((one) => one.iscc_id === iscc_id);
  const known = found[at];
  if (known !== undefined) found[at] = { ...known, spans };
  else found.push({ iscc_id, score, relation: 'has parts of the file', units: [], metadata, spans });
}

/** Each asset once, and the best of all. */
function bestOf(sought: readonly Sought[], limit: number | undefined): Sought[] {
  const byId = new Map<string, Sought>();
  for (const one of sought) {
    const known = byId.get(one.match.iscc_id);
    if (known === undefined || known.match.score < one.match.score) byId.set(one.match.iscc_id, one);
  }
  return [...byId.values()].sort((a, b) => b.match.score - a.match.score).slice(0, limit);
}

/** An asset; `undefined` if it was deleted after the search. */
async function stored(service: SearchApi, index: string, id: string): Promise<Entry | undefined> {
  try {
    return await service.getAsset(index, id);
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

function unitsOf(entry: Entry | undefined): readonly string[] {
  return entry?.units ?? (entry?.iscc_code ? decomposeCode(entry.iscc_code) : []);
}

/** For each unit of the file the nearest one of its type, if there is one. */
function compared(units: readonly string[], others: readonly string[]): UnitComparison[] {
  return units.flatMap((unit) =>
    others
      .flatMap((other) => native.compareCodes(unit, other))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 1),
  );
}

/** What a match is to the file, by the unit that says most of those that match. */
function relationOf({ types }: GlobalMatch): string {
  for (const [main, equal, similar] of RELATIONS) {
    const scores = Object.entries(types).filter(([type]) => type.startsWith(`${main}_`));
    if (scores.length > 0) return scores.some(([, score]) => score === 1) ? equal : similar;
  }
  return 'similar';
}

function block(match: Found, paint: Paint): string {
  const percent = `${(match.score * 100).toFixed(1)} %`.padStart(7);
  const name = printable(nameOf(match.metadata));
  const head = [percent, match.iscc_id, name, paint('green', match.relation)].filter((part) => part !== '');
  const lines = match.units.map(
    (unit) => `${INDENT}${unitName(unit.kind).padEnd(KIND_WIDTH)} ${difference(unit)}`,
  );
  for (const [type, spans] of Object.entries(match.spans ?? {}))
    for (const span of spans) lines.push(`${INDENT}${unitName(type).padEnd(KIND_WIDTH)} ${spanText(span)}`);
  return `${[head.join('  '), ...lines].join('\n')}\n`;
}

function difference({ kind, similarity, bits, distance, featureless }: UnitComparison): string {
  if (featureless) return 'means nothing: an image without features, or a document without text';
  if (similarity === 1) return 'equal';
  // A hash: how many of its bits differ says nothing.
  return kind.startsWith('INSTANCE_') ? 'differs' : `differs in ${distance} of ${bits} bits`;
}
