/** Indexes, matches and entries as tables for terminals. Programs get JSON. */
import type {
  ChunkMatch,
  Entry,
  GlobalMatch,
  IndexInfo,
  QuarantinedUnit,
  SearchResult,
  Watch,
  WatchEvent,
} from '../../client/search-api.js';
import { type Span, spanText } from '../../iscc/spans.js';
import { printable } from '../../platform/printable.js';
import type { Paint } from './colour.js';

/** Members of metadata that name an asset, the best first. */
const NAMES = ['name', 'title', 'filename', 'source'];
const FIELD_WIDTH = 12;

export function indexTable(indexes: readonly IndexInfo[], paint: Paint): string {
  if (indexes.length === 0) return 'no indexes\n';
  const rows = indexes.map(({ name, assets, size, state = '' }) => [
    name,
    String(assets),
    `${size} MiB`,
    state,
  ]);
  return table(['NAME', 'ASSETS', 'SIZE', ''], rows, paint);
}

/** A match of passages, with those of films and recordings by type as spans of time. */
export interface FoundPassages extends ChunkMatch {
  readonly spans?: Readonly<Record<string, readonly Span[]>>;
}

export function matchTable(
  { global_matches: matches, chunk_matches: passages }: SearchResult,
  paint: Paint,
): string {
  const rows = [...matches.map(matchRow), ...passages.filter(isShown).map(passageRow)];
  if (rows.length === 0) return 'no matches\n';
  return table(['SCORE', 'ISCC-ID', 'NAME', 'DIFFERENCE'], rows, paint);
}

function matchRow({ score, iscc_id: id, metadata, explain, types }: GlobalMatch): string[] {
  const scores = Object.entries(types).map(([type, one]) => `${unitName(type)} ${one.toFixed(3)}`);
  const bits = explain?.map(({ type, distance, bits }) => `${unitName(type)} ${distance} of ${bits} bits`);
  return [score.toFixed(3), id, nameOf(metadata), (bits ?? scores).join(', ')];
}

/** Single parts of films and recordings that are similar say nothing without a span. */
function isShown({ types, spans = {} }: FoundPassages): boolean {
  return Object.keys(types).some((type) => spans[type]?.length !== 0);
}

function passageRow({ score, iscc_id: id, metadata, types, spans = {} }: FoundPassages): string[] {
  const parts = Object.entries(types).map(([type, { matches, queried }]) => {
    const times = spans[type]?.map((span) => spanText(span)).join(', ');
    return `${unitName(type)} ${times ?? `${matches} of ${queried} passages`}`;
  });
  return [score.toFixed(3), id, nameOf(metadata), parts.join(', ')];
}

export function watchTable(watches: readonly Watch[], paint: Paint): string {
  if (watches.length === 0) return 'no watches\n';
  const rows = watches.map(({ id, same_as, quarantine, query, filter = [], webhook = '' }) => [
    id,
    quarantine === true ? 'units set aside' : (same_as ?? query.iscc_code ?? query.units?.[0] ?? 'simprints'),
    filter.join(' and '),
    webhook,
  ]);
  return table(['WATCH', 'CONTENT', 'FILTER', 'WEBHOOK'], rows, paint);
}

export function quarantineTable(units: readonly QuarantinedUnit[], paint: Paint): string {
  if (units.length === 0) return 'no units are set aside\n';
  const rows = units.map(({ unit, state, matches, past, set_aside_at }) => [
    unit,
    state.replace('_', ' '),
    String(matches),
    past.toFixed(1),
    set_aside_at,
  ]);
  return table(['UNIT', 'STATE', 'MATCHES', 'BEFORE', 'SET ASIDE'], rows, paint);
}

/** An event as a line. */
export function eventLine(event: WatchEvent, paint: Paint): string {
  if (event.type === 'unit.set_aside') {
    const { unit, matches } = event.data;
    return `${paint('dim', event.timestamp)}  ${printable(unit)}  set aside after ${matches} matches\n`;
  }
  const { type, timestamp, data } = event;
  const { iscc_id: id, matches, global_match: whole, chunk_match: part } = data;
  const score = (whole ?? part)?.score.toFixed(3) ?? '';
  const what = type.replace(/^asset\./, '');
  const end = matches || type === 'asset.withdrawn' ? '' : ', matches no longer';
  return `${paint('dim', timestamp)}  ${score}  ${printable(id)}  ${what}${end}\n`;
}

/** `CONTENT_TEXT_V0` is `content text`. */
export function unitName(type: string): string {
  return type
    .replace(/_V\d+$/, '')
    .replaceAll('_', ' ')
    .replace(/ NONE$/, '')
    .toLowerCase();
}

/** The member of metadata that names an asset, or an empty text. */
export function nameOf(metadata: unknown): string {
  if (typeof metadata !== 'object' || metadata === null) return '';
  const known = metadata as Readonly<Record<string, unknown>>;
  const found = NAMES.map((name) => known[name]).find((value) => typeof value === 'string' && value !== '');
  return String(found ?? '');
}

export function entryTable({ metadata, simprints, ...fields }: Entry, paint: Paint): string {
  const rows: [string, string][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== null && one !== undefined) rows.push([name, String(one)]);
  }
  for (const [type, list] of Object.entries(simprints ?? {}))
    rows.push(['simprints', `${(list as readonly unknown[]).length} of ${unitName(type)}`]);
  for (const [name, value] of Object.entries(metadata ?? {}))
    rows.push([name, typeof value === 'string' ? shortened(value) : JSON.stringify(value)]);
  return rows
    .map(([name, value]) => `${paint('dim', printable(name).padEnd(FIELD_WIDTH))} ${printable(value)}\n`)
    .join('');
}

/** A thumbnail without its bytes, which say nothing on a terminal. */
function shortened(value: string): string {
  const [begin] = /^data:[^,]{1,100},/.exec(value) ?? [];
  return begin === undefined ? value : `${begin}… (${value.length} characters)`;
}

/** Columns of one width each. */
function table(head: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const shown = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, at) => Math.max(...shown.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return shown.map((row, at) => `${at === 0 ? paint('dim', line(row)) : line(row)}\n`).join('');
}
