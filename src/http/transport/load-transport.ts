/** Chooses the transport. */
import type { Logger } from '../../platform/observe/log.js';
import { checkTransport, stopsWhenPaused } from './check-transport.js';
import { nodeTransport } from './node.js';
import type { Transport } from './transport.js';
import { loadUws } from './uws.js';
import { NoBinary } from './uws-binding.js';

/**
 * `auto` uses uWebSockets.js up to this body limit, the default of uploads. uWebSockets.js can receive slightly less
 * (999,999,999 bytes), but giving up its speed for that difference is not worth it.
 */
const USUAL_BODY_BYTES_MAX = 1024 ** 3;

/** `auto` uses a build that reads on while a body is paused up to this body limit: any upload may have to stay in memory. */
const UNPAUSED_BODY_BYTES_MAX = 16 * 1024 * 1024;

/** What is known of a build. The services of a process use one, and the first one that needs to know has checked it. */
interface Checks {
  sound?: Promise<void>;
  stops?: Promise<boolean>;
}
const checks = new WeakMap<() => Transport, Checks>();

const READS_ON =
  'uWebSockets.js: this build reads on while a body is paused, and bodies may have more than 16 MiB';

/**
 * Loads the named transport. `auto` chooses uWebSockets.js if its binary loads and the service accepts bodies of at
 * most 1 GiB; `reason` of the other one says why not.
 *
 * @param bodyBytes largest body that the service accepts
 * @throws if `choice` is `uws` and the binary does not load
 */
export function loadTransport(
  choice: 'auto' | 'uws' | 'node',
  log: Logger,
  bodyBytes = 0,
  load: () => Transport = loadUws,
): Transport {
  if (choice === 'node') return nodeTransport;
  if (choice === 'auto' && bodyBytes > USUAL_BODY_BYTES_MAX)
    return { ...nodeTransport, reason: 'bodies may have more than 1 GiB' };
  try {
    return load();
  } catch (error) {
    return withoutUws(choice, log, error);
  }
}

/**
 * Loads the named transport as {@link loadTransport} does, and lets uWebSockets.js serve some requests that unsound builds
 * fail at, once per process. Without success it counts as not loading. A build that does not stop reading while a body is
 * paused is used for services with small bodies only.
 *
 * @throws if `choice` is `uws` and the binary does not load or fails
 */
export async function provenTransport(
  choice: 'auto' | 'uws' | 'node',
  log: Logger,
  bodyBytes = 0,
  load: () => Transport = loadUws,
): Promise<Transport> {
  const transport = loadTransport(choice, log, bodyBytes, load);
  if (choice === 'node' || transport.name === 'node') return transport;
  const known = checks.get(load) ?? {};
  checks.set(load, known);
  try {
    known.sound ??= checkTransport(transport);
    await known.sound;
    if (choice === 'uws' || bodyBytes <= UNPAUSED_BODY_BYTES_MAX) return transport;
    known.stops ??= stopsWhenPaused(transport);
    return (await known.stops) ? transport : { ...nodeTransport, reason: READS_ON };
  } catch (error) {
    return withoutUws(choice, log, error);
  }
}

/** @throws if nothing else may be used */
function withoutUws(choice: 'auto' | 'uws', log: Logger, error: unknown): Transport {
  const reason = `uWebSockets.js: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  if (choice === 'uws')
    throw new Error(`ISCCD_TRANSPORT=uws does not work here (${reason})`, { cause: error });
  // Without a binary, the reason in the line `listening` is enough.
  if (!(error instanceof NoBinary)) log.warn({ reason }, 'uWebSockets.js fails, using node:http');
  return { ...nodeTransport, reason };
}
