/** `isccd store check-log`: verifies the transparency log that a store serves, and keeps its checkpoint for the next time. */
import { readFile } from 'node:fs/promises';
import { assertionKeys, DID_DOCUMENT_BYTES_MAX, didDocumentUrl } from '../../network/did-document.js';
import { HubClient } from '../../network/hub-client.js';
import { FileUnavailable, LogFiles } from '../../network/log-files.js';
import { didOf } from '../../platform/signing/did-web.js';
import { LogRefused, ServedLog, type SignedHead } from '../../services/store/log/served-log.js';
import { logOrigin } from '../../services/store/log/store-log.js';
import { absent } from '../../storage/data/absent.js';
import { replaceDurably } from '../../storage/data/durable.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';

/** A log of millions of entries takes minutes. */
const TIME_MS_MAX = 60 * 60 * 1000;
const DID_TIMEOUT_MS = 10_000;

export interface CheckLogOptions {
  readonly key?: string;
  readonly kept?: string;
  readonly entries?: boolean;
  readonly origin?: string;
  readonly json?: boolean;
}

export interface LogPlace {
  /** Address of the store. */
  readonly url: string;
  /** Name of the log in its checkpoints. */
  readonly origin: string;
}

/** Prints the head. @throws {CommandFailed} naming the first check that failed */
export async function checkLog(address: string, options: CheckLogOptions): Promise<void> {
  const url = address.replace(/\/+$/, '');
  if (!URL.canParse(url)) throw new CommandFailed(`${address} is not the address of a store`);
  const place = { url, origin: options.origin ?? logOrigin(url) };
  const keys = options.key === undefined ? await publishedKeys(place) : [options.key];
  const { earlier, head } = await withLog(place, keys, async (log) => {
    const kept = await keptNote(options.kept);
    const earlier = kept === undefined ? undefined : log.headOf(kept);
    const head = await log.head();
    await log.requireExtension(head, earlier ?? head);
    if (options.entries) await log.requireEntries(head);
    return { earlier, head };
  });
  if (options.kept !== undefined && earlier?.note !== head.note)
    await replaceDurably(options.kept, head.note);
  print(place, head, earlier, options);
}

/**
 * Runs checks of the log at a place.
 *
 * @throws {CommandFailed} if the log does not pass, or can not be read
 */
export async function withLog<T>(
  { url, origin }: LogPlace,
  keys: readonly string[],
  work: (log: ServedLog) => Promise<T>,
): Promise<T> {
  const client = clientOf(url);
  try {
    const files = new LogFiles(client, url, AbortSignal.timeout(TIME_MS_MAX));
    return await work(new ServedLog(files, origin, keys));
  } catch (error) {
    if (error instanceof LogRefused)
      throw new CommandFailed(`the log of ${url} is not valid: ${error.message}`);
    if (error instanceof FileUnavailable)
      throw new CommandFailed(`the log of ${url} can't be read: ${error.message}`);
    throw error;
  } finally {
    await client.close();
  }
}

/** The operator names the address, so it may be of any host. */
function clientOf(url: string): HubClient {
  return new HubClient({ allowed: new Set([new URL(url).hostname]) });
}

async function publishedKeys({ url, origin }: LogPlace): Promise<readonly string[]> {
  const client = clientOf(url);
  try {
    const fetched = await client.get(didDocumentUrl(url), {
      resource: 'did',
      bytesMax: DID_DOCUMENT_BYTES_MAX,
      timeoutMs: DID_TIMEOUT_MS,
    });
    const did = didOf(`https://${origin}`);
    const keys = fetched.kind === 'ok' ? assertionKeys(JSON.parse(fetched.bytes.toString()), did) : undefined;
    if (keys !== undefined && keys.length > 0) return keys;
  } catch (error) {
    throw new CommandFailed(`the DID document of ${url} can't be read: ${reason(error)}; or give --key`);
  } finally {
    await client.close();
  }
  throw new CommandFailed(`${url} publishes no key for ${origin} in its DID document; give --key`);
}

async function keptNote(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : readFile(file, 'utf8').catch(absent);
}

function print(
  { origin }: LogPlace,
  { size, root }: SignedHead,
  earlier: SignedHead | undefined,
  { kept, entries, json }: CheckLogOptions,
): void {
  const head = `${size}:${root.toString('hex')}`;
  if (json) {
    printJson({
      origin,
      head,
      entries: size,
      earlierEntries: earlier?.size ?? null,
      allRead: entries ?? false,
    });
    return;
  }
  process.stdout.write(`log        ${origin}, ${size} entries\nhead       ${head}\n`);
  if (earlier !== undefined)
    process.stdout.write(`earlier    begins with the ${earlier.size} entries of ${kept}\n`);
  else if (kept !== undefined) process.stdout.write(`earlier    none; the checkpoint is kept in ${kept}\n`);
  if (entries) process.stdout.write('entries    all read; none is backdated\n');
}
