/** Lists of files with their codes, as this program, iscc-sdk and iscc-sum write them. */
import { readFile } from 'node:fs/promises';
import { decomposeCode } from '../../iscc/codec.js';
import { CommandFailed, reason } from '../terminal/failure.js';

export interface ListEntry {
  /** As in the list; the code is one of a whole folder if it ends with a slash. */
  readonly path: string;
  /** Units of any length; empty if the list has none. */
  readonly units: readonly string[];
  /** Multihash of the bytes, if the list has it. */
  readonly datahash: string | undefined;
  /** All members of a line of JSON. */
  readonly members: Readonly<Record<string, unknown>>;
}

/**
 * The entries of a list: JSON (a line each, objects one after the other, or one array) or lines of iscc-sum, in its
 * own form or in that of BSD. Lines with an error instead of a code are left out.
 *
 * @throws {CommandFailed} if the file can't be read, or a line is something else
 */
export async function readCodeList(file: string): Promise<ListEntry[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandFailed(`${file}: ${reason(error)}`);
  });
  const entries: ListEntry[] = [];
  let pending = '';
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n|\0/)
    .entries()) {
    pending = pending === '' ? line : `${pending}\n${line}`;
    const found = entriesOf(pending);
    if (found === undefined && isJsonStart(pending)) continue;
    if (found === undefined) throw invalidLine(file, at + 1);
    entries.push(...found);
    pending = '';
  }
  if (pending.trim() !== '') throw invalidLine(file, text.split('\n').length);
  return entries;
}

function invalidLine(file: string, line: number): CommandFailed {
  return new CommandFailed(
    `${file}, line ${line} is neither a result in JSON nor a line of iscc-sum, such as "ISCC:K4A… *FILE"`,
  );
}

function isJsonStart(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** `undefined` for text that is not, or not yet, a part of a list. */
function entriesOf(text: string): ListEntry[] | undefined {
  if (text.trim() === '' || text.startsWith('#')) return [];
  if (isJsonStart(text)) {
    // Objects over several lines end with a line of their own.
    if (!/[}\]]\s*$/.test(text)) return undefined;
    return jsonEntries(text);
  }
  const [, code, name] = /^(ISCC:[A-Z2-7]+) [ *](.+)$/s.exec(text) ?? [];
  const [, bsdName, bsdCode] = /^ISCC-SUM \((.+)\) = (ISCC:[A-Z2-7]+)$/s.exec(text) ?? [];
  return entryOf({ path: name ?? bsdName, iscc: code ?? bsdCode });
}

function jsonEntries(text: string): ListEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const all: unknown[] = Array.isArray(value) ? value : [value];
    const found = all.map((one) => entryOf(one));
    return found.some((one) => one === undefined) ? undefined : found.flatMap((one) => one ?? []);
  } catch {
    return undefined;
  }
}

function entryOf(value: unknown): ListEntry[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const path = members.path ?? members.filename;
  if (typeof path !== 'string' || path === '') return undefined;
  const units = unitsOf(members);
  const datahash = typeof members.datahash === 'string' ? members.datahash : undefined;
  if (units !== undefined && (units.length > 0 || datahash !== undefined))
    return [{ path, units, datahash, members }];
  return members.error === undefined ? undefined : [];
}

/** `undefined` if a code is invalid. */
function unitsOf({ units, iscc }: Readonly<Record<string, unknown>>): string[] | undefined {
  try {
    if (Array.isArray(units) && units.length > 0) return units.flatMap((unit) => decomposeCode(String(unit)));
    return typeof iscc === 'string' ? decomposeCode(iscc) : [];
  } catch {
    return undefined;
  }
}
