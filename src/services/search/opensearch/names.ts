/**
 * Names of indexes and aliases. An engine in memory has the same names without assets: it knows the rules and the responses.
 * The registry in OpenSearch decides.
 */
import { randomBytes } from 'node:crypto';
import { native, type SearchEngine } from '../../../native.js';
import { Slots } from '../../../platform/slots.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import type { Client } from './client.js';
import { OpenSearchError } from './errors.js';
import type { OpenSearchLocation } from './location.js';
import { creation, internalAlias, physicalIndex, publicAlias } from './mapping.js';
import type { Registry, RegistryDocument, StoredIndex } from './registry.js';

const UID_BYTES = 6;
/** Separates a name from a uid in a reference to an index. No name contains it. */
const HELD = '\0';
/** Less than clients wait for. */
const MANAGER_TIME = 'cluster_manager_timeout=10s';

type Changed = Pick<Registry, 'indexes' | 'aliases'>;

/** What a change of names does to the registry, and before and after that in OpenSearch. */
interface NameChange {
  readonly next: Changed;
  readonly before?: () => Promise<void>;
  readonly after?: () => Promise<void>;
  readonly undo?: () => Promise<void>;
}

export interface NamesOptions {
  readonly client: Client;
  readonly location: OpenSearchLocation;
  readonly document: RegistryDocument;
  /** Called with errors of work after the registry was written, which a later start repeats. */
  readonly onLeftover: (error: unknown) => void;
}

export class Names {
  readonly #options: NamesOptions;
  readonly #mirror: SearchEngine;
  /** One change of the mirror at a time. */
  readonly #turn = new Slots(1);
  #shown: Registry | undefined;

  private constructor(options: NamesOptions, mirror: SearchEngine) {
    this.#options = options;
    this.#mirror = mirror;
  }

  static async open(options: NamesOptions): Promise<Names> {
    return new Names(options, await native.openSearchEngine('memory://'));
  }

  /** Reads the registry; the names are then those that any process has acknowledged. */
  async refresh(): Promise<Registry> {
    const { registry } = await this.#options.document.read();
    await this.#turn.run(() => this.#show(registry));
    return registry;
  }

  /** An index of the last registry that was read: callers have waited for it. If that has none, of a later one. */
  async lookup(name: string): Promise<StoredIndex | undefined> {
    const known = this.#shown && this.find(this.#shown, name);
    return known ?? this.find(await this.refresh(), name);
  }

  /** A reference to an index, in place of its name: see the engine's port. */
  async hold(name: string): Promise<string> {
    const index = await this.lookup(name);
    return index === undefined ? this.missing(name) : `${name}${HELD}${index.uid}`;
  }

  /** An index by its name or an alias, or of a reference that `hold` returned. */
  find(registry: Registry, name: string): StoredIndex | undefined {
    const [, held] = name.split(HELD);
    if (held !== undefined) return Object.values(registry.indexes).find(({ uid }) => uid === held);
    return own(registry.indexes, own(registry.aliases, name) ?? name);
  }

  /** The rejection of a request for a missing index. */
  async missing(name: string): Promise<never> {
    await this.#mirror.getIndex(plainName(name));
    throw new StorageUnavailable(`the index ${plainName(name)} was created while it was looked up`);
  }

  listAliases = () => this.#mirror.listAliases();
  getAlias = (alias: string) => this.#mirror.getAlias(alias);
  aliasTarget = (alias: string) => this.#mirror.aliasTarget(alias);
  getPaths = (index: string) => this.#mirror.getPaths(index);
  metrics = () => this.#mirror.metrics();
  close = () => this.#mirror.close();

  create(body: Uint8Array): Promise<Buffer> {
    return this.#change(
      (mirror) => mirror.createIndex(body),
      ({ indexes, aliases }, response) => {
        const { name } = JSON.parse(response.toString()) as { readonly name: string };
        const uid = `u_${randomBytes(UID_BYTES).toString('hex')}`;
        const state = { simprintTypes: [], simprintBits: [] };
        return {
          next: { indexes: { ...indexes, [name]: { uid, state } }, aliases },
          before: () => this.#createIndex(name, uid),
          undo: () => this.#deleteIndex(uid),
        };
      },
    );
  }

  delete(name: string): Promise<Buffer> {
    return this.#change(
      (mirror) => mirror.deleteIndex(name),
      ({ indexes, aliases }) => {
        const { [name]: deleted, ...rest } = indexes;
        const uid = (deleted as StoredIndex).uid;
        return { next: { indexes: rest, aliases }, after: () => this.#deleteIndex(uid) };
      },
    );
  }

  rename(name: string, body: Uint8Array): Promise<Buffer> {
    return this.#change(
      (mirror) => mirror.renameIndex(name, body),
      ({ indexes, aliases }, response) => {
        const to = (JSON.parse(response.toString()) as { readonly name: string }).name;
        const { [name]: renamed, ...rest } = indexes;
        const stored = renamed as StoredIndex;
        const moved = Object.entries(aliases).map(([alias, of]) => [alias, of === name ? to : of]);
        return {
          next: { indexes: { ...rest, [to]: stored }, aliases: Object.fromEntries(moved) },
          after: () => this.#renameAlias(stored.uid, name, to),
        };
      },
    );
  }

  putAlias(alias: string, body: Uint8Array): Promise<Buffer> {
    return this.#change(
      (mirror) => mirror.putAlias(alias, body),
      ({ indexes, aliases }, response) => {
        const { index } = JSON.parse(response.toString()) as { readonly index: string };
        return { next: { indexes, aliases: { ...aliases, [alias]: index } } };
      },
    );
  }

  deleteAlias(alias: string): Promise<Buffer> {
    return this.#change(
      (mirror) => mirror.deleteAlias(alias),
      ({ indexes, aliases }) => {
        const { [alias]: _, ...rest } = aliases;
        return { next: { indexes, aliases: rest } };
      },
    );
  }

  /** Stores another state of an index, unless it has changed since `from`. Returns whether it is stored. */
  async putState(from: StoredIndex, state: StoredIndex['state']): Promise<boolean> {
    const { document } = this.#options;
    for (;;) {
      const { registry, version } = await document.read();
      const found = Object.entries(registry.indexes).find(([, { uid }]) => uid === from.uid);
      if (found === undefined || JSON.stringify(found[1].state) !== JSON.stringify(from.state)) return false;
      const indexes = { ...registry.indexes, [found[0]]: { ...from, state } };
      if (!(await document.write({ ...registry, indexes }, version))) continue;
      await this.refresh();
      return true;
    }
  }

  /** Applies a request to the mirror, which refuses it or returns the response, and then to the registry. */
  #change(
    apply: (mirror: SearchEngine) => Promise<Buffer>,
    changeOf: (registry: Registry, response: Buffer) => NameChange,
  ): Promise<Buffer> {
    const { document, onLeftover } = this.#options;
    return this.#turn.run(async () => {
      for (;;) {
        const { registry, version } = await document.read();
        await this.#show(registry);
        const response = await apply(this.#mirror);
        // Until the registry is written, the mirror is ahead of it.
        this.#shown = undefined;
        const { next, before, after, undo } = changeOf(registry, response);
        await before?.();
        if (await document.write({ ...registry, ...next }, version)) {
          await this.#show({ ...registry, ...next });
          await after?.().catch(onLeftover);
          return response;
        }
        await undo?.().catch(onLeftover);
      }
    });
  }

  /** Gives the mirror the names of a registry. */
  async #show(registry: Registry): Promise<void> {
    const isSame = this.#shown !== undefined && sameNames(this.#shown, registry);
    if (!isSame) await this.#mirrorNames(registry);
    this.#shown = registry;
  }

  async #mirrorNames(registry: Registry): Promise<void> {
    const mirror = this.#mirror;
    const listed = JSON.parse((await mirror.listIndexes()).toString()) as readonly {
      readonly name: string;
    }[];
    const aliases = JSON.parse(mirror.listAliases().toString()) as readonly {
      readonly name: string;
      readonly index: string;
    }[];
    for (const { name, index } of aliases)
      if (own(registry.aliases, name) !== index) await mirror.deleteAlias(name);
    const known = new Set(listed.map(({ name }) => name));
    for (const name of known) if (own(registry.indexes, name) === undefined) await mirror.deleteIndex(name);
    for (const name of Object.keys(registry.indexes))
      if (!known.has(name)) await mirror.createIndex(json({ name }));
    for (const [alias, index] of Object.entries(registry.aliases))
      if (mirror.aliasTarget(alias) !== index) await mirror.putAlias(alias, json({ index }));
  }

  async #createIndex(name: string, uid: string): Promise<void> {
    const { client, location } = this.#options;
    const path = `/${physicalIndex(location, uid)}?${MANAGER_TIME}`;
    await client.send({ method: 'PUT', path, body: creation(location, name, uid), isRead: false });
  }

  async #deleteIndex(uid: string): Promise<void> {
    const { client, location } = this.#options;
    const path = `/${physicalIndex(location, uid)}?ignore_unavailable=true&${MANAGER_TIME}`;
    await removed(client, path);
  }

  /** The name for operators. */
  async #renameAlias(uid: string, from: string, to: string): Promise<void> {
    const { client, location } = this.#options;
    const index = physicalIndex(location, uid);
    const actions = [
      { remove: { index, alias: publicAlias(location, from), must_exist: false } },
      { add: { index, alias: publicAlias(location, to) } },
    ];
    await client.send({ method: 'POST', path: '/_aliases', body: { actions }, isRead: false });
  }

  /** Name of an index in OpenSearch. */
  alias(index: StoredIndex): string {
    return internalAlias(this.#options.location, index.uid);
  }
}

/** Deletes what may be deleted already. */
export async function removed(client: Client, path: string): Promise<void> {
  try {
    await client.send({ method: 'DELETE', path, isRead: false });
  } catch (error) {
    if (!(error instanceof OpenSearchError && error.status === 404)) throw error;
  }
}

/** A member, unlike those that every object has, such as `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function sameNames(a: Registry, b: Registry): boolean {
  const names = ({ indexes, aliases }: Registry) =>
    JSON.stringify([Object.keys(indexes).sort(), Object.entries(aliases).sort()]);
  return names(a) === names(b);
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** The name that a reference to an index was made from. */
export function plainName(reference: string): string {
  return reference.split(HELD)[0] ?? reference;
}
