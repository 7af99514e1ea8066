/** Downloads a trust list from an address that the operator names. */
import { isLoopback } from '../../platform/config/listen.js';
import { outgoingFetch } from '../../platform/egress/fetch.js';
import { CommandFailed, reason } from '../terminal/failure.js';

const REDIRECTS_MAX = 2;
/** The addon refuses a list of this size, too. */
export const LIST_BYTES_MAX = 2 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** @throws {CommandFailed} if the address is not https, or the list can't be fetched */
export async function fetchTrustList(address: string): Promise<string> {
  try {
    return await fetched(address);
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CommandFailed(`${address} can't be fetched: ${reason(cause)}`);
  }
}

async function fetched(address: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let url = checked(address, address);
  for (let redirects = 0; ; redirects += 1) {
    const response = await outgoingFetch(url.href, { signal, redirect: 'manual' });
    const { status, headers } = response;
    if (status === 200) return bounded(response, address);
    await response.body?.cancel();
    const location = headers.get('location');
    if (status < 300 || status > 399 || location === null)
      throw new CommandFailed(`${address} can't be fetched: the server responds with status ${status}`);
    if (redirects === REDIRECTS_MAX)
      throw new CommandFailed(`${address} can't be fetched: more than ${REDIRECTS_MAX} redirects`);
    url = checked(new URL(location, url).href, address);
  }
}

/** Anyone on the way could change a list that comes over http. */
function checked(text: string, address: string): URL {
  if (!URL.canParse(text)) throw new CommandFailed(`${address} is not a valid URL`);
  const url = new URL(text);
  if (url.username + url.password !== '')
    throw new CommandFailed(
      'the address must have no user name and password: download the file, and name it',
    );
  if (url.protocol === 'https:') return url;
  if (url.protocol === 'http:' && isLoopback(url.hostname)) return url;
  const which = text === address ? address : `${text}, to which ${address} redirects,`;
  throw new CommandFailed(`${which} must begin with https://: download the file, and name it`);
}

async function bounded(response: Response, address: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > LIST_BYTES_MAX) throw new CommandFailed(`${address} has more than 2 MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
