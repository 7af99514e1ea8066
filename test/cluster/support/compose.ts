/** `compose.cluster.yaml` as processes: every service with an address of its own in 127.0.0.0/8 instead of a host name. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { SERVICE_NAMES, type ServiceName } from '../../../src/compose/service-names.js';
import { ROOT } from '../../deploy/support/dockerfile.js';

export interface ComposeService {
  readonly image: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: { readonly default: { readonly ipv4_address: string } };
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const COMPOSE_FILE = path.join(ROOT, 'compose.cluster.yaml');
export const compose = parse(readFileSync(COMPOSE_FILE, 'utf8'), { merge: true }) as ComposeFile;

/** The instances of a service. */
export function instancesOf(service: ServiceName): string[] {
  return Object.keys(compose.services).filter((name) => serviceOf(name) === service);
}

export const INSTANCES = SERVICE_NAMES.flatMap(instancesOf);

/** The service of isccd that an entry runs. */
export function serviceOf(name: string): ServiceName | undefined {
  const { image, command } = compose.services[name] as ComposeService;
  return image.startsWith('isccd:') ? SERVICE_NAMES.find((service) => service === command?.[1]) : undefined;
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, inner ones first.
 *
 * @throws if a variable without a default is missing
 */
export function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  const once = text.replace(/\$\{(\w+)(?::([-?])([^${}]*))?\}/g, (_, name: string, kind, rest = '') => {
    const value = variables[name];
    if (value !== undefined) return value;
    if (kind === '-') return rest;
    throw new Error(`compose.cluster.yaml needs ${name}: ${rest}`);
  });
  return once === text ? text : interpolated(once, variables);
}

/** A command as it runs here. */
export interface LocalCommand {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Translates what containers see into what processes of this machine see. */
export class Translation {
  readonly #variables: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #addresses: ReadonlyMap<string, string>;

  /** @param variables of `.env` */
  constructor(variables: Readonly<Record<string, string>>, folder: string) {
    this.#variables = variables;
    this.#folder = folder;
    // Other runs of the test on this machine have other networks.
    const network = `127.${64 + Math.floor(Math.random() * 128)}.${Math.floor(Math.random() * 256)}`;
    this.#addresses = new Map(
      Object.keys(compose.services).map((name, at) => [name, `${network}.${at + 1}`]),
    );
  }

  address(name: string): string {
    const address = this.#addresses.get(name);
    if (address === undefined) throw new Error(`compose.cluster.yaml has no service ${name}`);
    return address;
  }

  /** Folder of a service's volume. */
  dataOf(name: string): string {
    return path.join(this.#folder, name, 'data');
  }

  command(name: string): LocalCommand {
    const { entrypoint = [], command = [], environment = {} } = compose.services[name] as ComposeService;
    const local = (text: string) => this.local(text, name);
    return {
      args: [...entrypoint, ...command].map(local),
      environment: Object.fromEntries(
        Object.entries(environment).map(([variable, value]) => [variable, local(value)]),
      ),
    };
  }

  /** @param name of the service whose text it is */
  local(text: string, name: string): string {
    return this.#withAddresses(interpolated(text, this.#variables))
      .replaceAll('0.0.0.0', this.address(name))
      .replaceAll('/etc/isccd', path.join(ROOT, 'ops/cluster'))
      .replace(/(?:\/var\/lib\/postgresql)?\/data\b/, this.dataOf(name));
  }

  #withAddresses(text: string): string {
    const names = text.replace(
      /(?<=^|[@,=/\s])([a-z]+[a-z0-9]*(?:-[a-z0-9]+)*)(?=:\d|[,/]|$)/gm,
      (name) => this.#addresses.get(name) ?? name,
    );
    return [...this.#addresses].reduce((found, [name, address]) => {
      const fixed = compose.services[name]?.networks?.default.ipv4_address;
      return fixed === undefined ? found : found.replaceAll(fixed, address);
    }, names);
  }
}
