/** Client of the resolver. */
import { filenameParameter, sendJson } from '../requests.js';
import { fromBase32 } from '../unit.js';

/** Of an asset at an address. */
const DOWNLOAD_BYTES_MAX = 64 * 1024 * 1024;

/** What a manifest says of its asset. Texts are claims of its signer. */
export interface Credentials {
  readonly manifestId: string;
  readonly state: 'valid' | 'trusted' | 'invalid';
  /** Name of the list that vouches for the signer. */
  readonly trustList?: string;
  readonly failures: readonly string[];
  readonly title?: string;
  readonly format?: string;
  readonly signer?: string;
  readonly issuer?: string;
  readonly time?: string;
  readonly claimGenerator?: string;
  /** In order. */
  readonly actions: readonly {
    readonly action: string;
    readonly when?: string;
    readonly digitalSourceType?: string;
  }[];
  readonly ingredients: readonly {
    readonly title?: string;
    readonly relationship?: string;
    /** Of the ingredient itself. */
    readonly manifestId?: string;
  }[];
  readonly training?: Readonly<Record<string, string>>;
  /** Data URL */
  readonly thumbnail?: string;
}

export interface Match {
  readonly manifestId: string;
  readonly endpoint: string;
  readonly similarityScore: number;
  readonly isccId: string;
  readonly credentials?: Credentials;
}

/** What is known of the content with these units. */
export interface CheckedUnits {
  readonly matches: readonly Match[];
  /** Of the file itself. Only a check of the file has them. */
  readonly credentials?: Credentials;
}

export interface Checked extends CheckedUnits {
  readonly iscc: string;
  readonly mediatype: string;
}

/** What the resolver can do. */
interface Settings {
  /** The largest file that it checks, in bytes; 0 if it checks none. */
  readonly bytesMax: number;
  /** Whether it looks up rights. */
  readonly rights: boolean;
}

let known: Promise<Settings> | undefined;

/** Asks again after a failure. @throws {RequestFailed} */
function settings(): Promise<Settings> {
  known ??= sendJson<Settings>('resolver', '/check/settings').catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** The largest file that the server checks, in bytes; 0 if it checks none. @throws {RequestFailed} */
export async function checkLimit(): Promise<number> {
  return (await settings()).bytesMax;
}

export interface Answer {
  readonly answer: string;
  readonly signature?: string;
  readonly by?: readonly string[];
}

/** What all sources say about a content, wherever they are. */
export interface Answers {
  readonly mayTrain: Answer;
  readonly madeByAi: Answer;
}

/** What is said about the content with a code; `undefined` if the server looks up no rights. @throws {RequestFailed} */
export async function rightsByCode(iscc: string): Promise<Answers | undefined> {
  if (!(await settings()).rights) return undefined;
  const path = '/v1/rights/byCode';
  const report = sendJson<{ answers: Answers }>('resolver', path, { method: 'POST', json: { iscc } });
  return (await report).answers;
}

/** Sends a file to be checked. @throws {RequestFailed} */
export function checkFile(file: File, signal?: AbortSignal): Promise<Checked> {
  return sendJson('resolver', `/check?${filenameParameter(file)}`, {
    method: 'POST',
    file,
    ...(signal && { signal }),
  });
}

/** The manifests that match these units, with what they say. @throws {RequestFailed} */
export function checkUnits(units: readonly string[]): Promise<CheckedUnits> {
  return sendJson('resolver', '/check/binding', { method: 'POST', json: bindingOf(units) });
}

/** Manifests that are bound to these units. @throws {RequestFailed} */
export async function findByUnits(codes: readonly string[]): Promise<readonly Match[]> {
  const json = bindingOf(codes);
  const found = sendJson<{ matches: readonly Match[] }>('resolver', '/v1/matches/byBinding', {
    method: 'POST',
    json,
  });
  return (await found).matches;
}

/** Units as a soft binding. */
function bindingOf(codes: readonly string[]): { readonly alg: string; readonly value: string } {
  const bytes = codes.flatMap((code) => fromBase32(code.replace(/^ISCC:/, '')) ?? []);
  return { alg: 'io.iscc.v0', value: btoa(String.fromCharCode(...bytes)) };
}

/** Manifests of an asset that the server downloads; `undefined` if it downloads none. @throws {RequestFailed} */
export async function findByAddress(url: string): Promise<readonly Match[] | undefined> {
  const { supportedCapabilities } = await sendJson<{ supportedCapabilities: readonly string[] }>(
    'resolver',
    '/v1/services/capabilities',
  );
  if (!supportedCapabilities.includes('queryByReference')) return undefined;
  const json = { referenceUrl: url, assetLength: DOWNLOAD_BYTES_MAX };
  const found = sendJson<{ matches: readonly Match[] }>('resolver', '/v1/matches/byReference', {
    method: 'POST',
    json,
  });
  return (await found).matches;
}

/** The path of a manifest. */
export function manifestPath(id: string): string {
  return `/v1/manifests/${encodeURIComponent(id)}`;
}
