/** `isccd check health [TARGET…]`: whether services answer. Starts fast: container engines run it every few seconds. */

import { SERVICE_NAMES, type ServiceName } from '../../compose/service-names.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';

interface Target {
  readonly name: string;
  readonly url: string;
}

interface Health extends Target {
  readonly healthy: boolean;
  readonly ms: number;
  /** Why it is not well. */
  readonly problem?: string;
}

interface HealthOptions {
  readonly json?: boolean;
  /** Seconds. */
  readonly timeout: string;
}

export async function checkHealth(targets: readonly string[], options: HealthOptions): Promise<void> {
  const timeoutMs = milliseconds(options.timeout);
  const named = targets.length === 0 ? SERVICE_NAMES : targets;
  const asked = await Promise.all(named.map(targetOf));
  const states = await Promise.all(asked.map((target) => healthOf(target, timeoutMs)));
  for (const state of states) process.stdout.write(options.json ? `${JSON.stringify(state)}\n` : line(state));
  if (!states.every(({ healthy }) => healthy)) throw new CommandFailed('not all is well');
}

function milliseconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && Number.isFinite(seconds)) return Math.ceil(seconds * 1000);
  throw new CommandFailed('--timeout takes a number of seconds', EXIT_CONFIGURATION);
}

/** The configuration is read only where a service is asked for by its name. */
async function targetOf(target: string): Promise<Target> {
  const name = SERVICE_NAMES.find((service) => service === target);
  if (name !== undefined) return { name, url: await configuredUrl(name) };
  if (/^https?:\/\//.test(target) && URL.canParse(target)) {
    return { name: new URL(target).host, url: target.replace(/\/+$/, '') };
  }
  throw new CommandFailed(`${target} is no address and no service`, EXIT_CONFIGURATION);
}

async function configuredUrl(name: ServiceName): Promise<string> {
  const { SERVICES } = await import('../../compose/services.js');
  const { environment } = await import('../../config/env.js');
  const { readVariables } = await import('../../config/variable.js');
  const { host, port } = SERVICES[name].variables;
  const address = readVariables({ host, port }, environment());
  return `http://${reachable(String(address.host))}:${String(address.port)}`;
}

/** Who listens everywhere also listens here. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

async function healthOf(target: Target, timeoutMs: number): Promise<Health> {
  const start = performance.now();
  const problem = await problemOf(target.url, timeoutMs);
  const ms = Math.round(performance.now() - start);
  return { ...target, healthy: problem === undefined, ms, ...(problem === undefined ? {} : { problem }) };
}

/** Alive first, then ready; not every service has something to say about the latter. */
async function problemOf(url: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const alive = await ask(`${url}/healthz`, timeoutMs);
    if (alive.status !== 200) return `/healthz answers ${alive.status}`;
    const ready = await ask(`${url}/readyz`, timeoutMs);
    if (ready.status === 200 || ready.status === 404) return undefined;
    return `/readyz answers ${ready.status}${ready.reason === undefined ? '' : `: ${ready.reason}`}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `no answer: ${reason(cause)}`;
  }
}

async function ask(url: string, timeoutMs: number): Promise<{ status: number; reason?: string }> {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  const body: unknown = await answer.json().catch(() => undefined);
  const told = typeof body === 'object' && body !== null && 'reason' in body ? body.reason : undefined;
  return { status: answer.status, ...(typeof told === 'string' ? { reason: told } : {}) };
}

function line({ name, url, healthy, ms, problem }: Health): string {
  const paint = painter(process.stdout);
  const state = healthy ? paint('green', 'well') : paint('red', `not well: ${problem}`);
  return `${name.padEnd(9)} ${url}  ${state}  (${ms} ms)\n`;
}
