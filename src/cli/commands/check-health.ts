/** `isccd check health [TARGET…]`: health of services. Starts fast, as container engines run it every few seconds. */
import { SERVICE_NAMES, type ServiceName } from '../../compose/service-names.js';
import { printable } from '../../platform/printable.js';
import { reachableUrl, startedFolder, startedServices } from '../started-services.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';

interface Target {
  readonly name: string;
  /** `undefined` while the service starts. */
  readonly url?: string;
}

export interface Health extends Target {
  readonly healthy: boolean;
  readonly ms: number;
  /** Why the service is unhealthy. */
  readonly problem?: string;
}

const HEALTH_MS_MAX = 2_000;

interface HealthOptions {
  readonly json?: boolean;
  readonly started?: boolean;
  /** Seconds. */
  readonly timeout: string;
}

export async function checkHealth(targets: readonly string[], options: HealthOptions): Promise<void> {
  const timeoutMs = milliseconds(options.timeout);
  const resolved = await (options.started ? startedTargets(targets) : namedTargets(targets));
  const states = await Promise.all(resolved.map((target) => healthOf(target, timeoutMs)));
  for (const state of states) process.stdout.write(options.json ? `${JSON.stringify(state)}\n` : line(state));
  const unhealthy = states.filter(({ healthy }) => !healthy).length;
  if (unhealthy > 0) throw new CommandFailed(`${unhealthy} of ${states.length} services unhealthy`);
}

function milliseconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && Number.isFinite(seconds)) return Math.ceil(seconds * 1000);
  throw new CommandFailed('--timeout must be a number of seconds above 0', EXIT_CONFIGURATION);
}

/** The health of all configured services of this machine. */
export async function configuredHealth(): Promise<Health[]> {
  const targets = await namedTargets([]);
  return Promise.all(targets.map((target) => healthOf(target, HEALTH_MS_MAX)));
}

/** Without names, all configured services. */
function namedTargets(targets: readonly string[]): Promise<Target[]> {
  return Promise.all((targets.length === 0 ? SERVICE_NAMES : targets).map(targetOf));
}

/** Reads no configuration: the services may have another one. */
function startedTargets(targets: readonly string[]): Target[] {
  if (targets.length > 0)
    throw new CommandFailed('--started names the services: remove the others', EXIT_CONFIGURATION);
  const services = startedServices();
  if (services.length > 0) return services;
  throw new CommandFailed(
    `no service that isccd serve has started is running, as far as ${startedFolder()} says`,
  );
}

/** Reads the configuration only if the target is the name of a service. */
async function targetOf(target: string): Promise<Target> {
  const name = SERVICE_NAMES.find((service) => service === target);
  if (name !== undefined) return { name, url: await configuredUrl(name) };
  if (/^https?:\/\//.test(target) && URL.canParse(target)) {
    return { name: new URL(target).host, url: target.replace(/\/+$/, '') };
  }
  throw new CommandFailed(`${target} is not a URL or service name`, EXIT_CONFIGURATION);
}

/** Address of a service of this configuration, as reached from this machine. */
export async function configuredUrl(name: ServiceName): Promise<string> {
  const { SERVICES } = await import('../../compose/services.js');
  const { environment } = await import('../../platform/config/env.js');
  const { readVariables } = await import('../../platform/config/variable.js');
  const { host, port } = SERVICES[name].variables;
  const address = readVariables({ host, port }, environment());
  const listened = String(address.host);
  return reachableUrl(
    `http://${listened.includes(':') ? `[${listened}]` : listened}:${String(address.port)}`,
  );
}

async function healthOf({ name, url }: Target, timeoutMs: number): Promise<Health> {
  if (url === undefined) return { name, healthy: false, ms: 0, problem: 'is starting' };
  const start = performance.now();
  const problem = await problemOf(url, timeoutMs);
  const ms = Math.round(performance.now() - start);
  return { name, url, healthy: problem === undefined, ms, ...(problem === undefined ? {} : { problem }) };
}

/** Checks liveness, then readiness. A 404 for `/readyz` is healthy: not every service has it. */
async function problemOf(url: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const alive = await query(`${url}/healthz`, timeoutMs);
    if (alive.status !== 200) return `/healthz returned ${alive.status}`;
    const ready = await query(`${url}/readyz`, timeoutMs);
    if (ready.status === 200 || ready.status === 404) return undefined;
    return `/readyz returned ${ready.status}${ready.reason === undefined ? '' : `: ${ready.reason}`}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `no response: ${reason(cause)}`;
  }
}

async function query(url: string, timeoutMs: number): Promise<{ status: number; reason?: string }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  const body: unknown = await response.json().catch(() => undefined);
  const reason = typeof body === 'object' && body !== null && 'reason' in body ? body.reason : undefined;
  return { status: response.status, ...(typeof reason === 'string' ? { reason } : {}) };
}

function line({ name, url, healthy, ms, problem }: Health): string {
  const paint = painter(process.stdout);
  const state = healthy ? paint('green', 'healthy') : paint('red', `unhealthy: ${printable(problem ?? '')}`);
  return `${name.padEnd(9)} ${url ?? '-'}  ${state}  (${ms} ms)\n`;
}
