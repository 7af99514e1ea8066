/** What a node of the network returns for the same queries and ISCC-IDs, to compare two programs on the same logs. */
import { decodeCode, encodeUnit } from '../../src/iscc/codec.js';
import type { HubDouble } from '../../test/network/support/hub-double.js';

const INDEX = 'idptest';
/** Above the number of assets that are similar to one query. */
const LIMIT = 100;
/** Distances of the peer are 32-bit floats. */
const SCORE_DIGITS = 5;
const PER_HUB = 60;
const DELETED_PER_HUB = 20;
/** Bits of the Content-Code that differ from the declared one. */
const DISTANCES = [1, 9, 30];

interface Asset {
  readonly iscc_id: string;
  readonly iscc_code: string;
  readonly units: readonly string[];
}

interface Match {
  readonly iscc_id: string;
  readonly score: number;
  readonly types: Readonly<Record<string, number>>;
  readonly metadata?: unknown;
}

/** Responses by the name of the request. Equal results have equal texts: ties and absent members do not count. */
export type Answers = ReadonlyMap<string, string>;

/** Asks a server for assets, also deleted ones, and for similar ones. */
export async function answersOf(url: string, hubs: readonly HubDouble[]): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const { assets, deletedIds } of hubs) {
    const some = spread(assets as readonly Asset[], PER_HUB);
    for (const id of [...some.map(({ iscc_id }) => iscc_id), ...spread(deletedIds, DELETED_PER_HUB)])
      answers.set(`asset ${id}`, await asset(url, id));
    for (const { iscc_id: id, iscc_code, units } of some) {
      for (const [name, query] of Object.entries(queries(iscc_code, units)))
        answers.set(`${name} of ${id}`, await search(url, query));
    }
  }
  return answers;
}

/** Names of requests with different results. */
export function differences(ours: Answers, theirs: Answers): string[] {
  return [...ours.keys()].filter((name) => ours.get(name) !== theirs.get(name));
}

function queries(isccCode: string, units: readonly string[]): Record<string, object> {
  const [content = '', ...others] = units;
  const near = DISTANCES.map((bits) => [
    `${bits} other bits`,
    { units: [changed(content, bits), ...others] },
  ]);
  return {
    code: { iscc_code: isccCode },
    units: { units },
    'last unit': { units: units.slice(-1) },
    ...Object.fromEntries(near),
  };
}

/** The unit with its first bits inverted, 8 apart. */
function changed(unit: string, count: number): string {
  const { main, sub, version, bits, body } = decodeCode(unit);
  const bytes = Buffer.from(body);
  for (let at = 0; at < count; at += 1) {
    const bit = (at * 8 + Math.floor((at * 8) / bits)) % bits;
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  }
  return encodeUnit(main, sub, version, bits, bytes);
}

async function asset(url: string, id: string): Promise<string> {
  const response = await fetch(`${url}/indexes/${INDEX}/assets/${id}`);
  const { iscc_id, iscc_code, units, metadata } = (await response.json()) as Asset & { metadata?: unknown };
  return JSON.stringify([response.status, iscc_id, iscc_code, units, metadata ?? null]);
}

async function search(url: string, query: object): Promise<string> {
  const response = await fetch(`${url}/indexes/${INDEX}/search?limit=${LIMIT}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(query),
  });
  const { global_matches = [] } = (await response.json()) as { global_matches?: readonly Match[] };
  const matches = global_matches.map(({ iscc_id, score, types, metadata }) => {
    const scores = Object.entries(types).map(([type, each]) => `${type} ${each.toFixed(SCORE_DIGITS)}`);
    return JSON.stringify([iscc_id, score.toFixed(SCORE_DIGITS), scores.sort(), metadata ?? null]);
  });
  return JSON.stringify([response.status, matches.sort()]);
}

function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, at) => at % step === 0).slice(0, count);
}
