/** The list of a network's hubs: YAML or JSON, accepted as a whole or not at all. */
import { isAlias, isScalar, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { native } from '../native.js';
import type { NetworkName } from './networks.js';

export const HUB_LIST_BYTES_MAX = 1024 * 1024;
const HUB_ID_MAX = 4095;

export interface ListedHub {
  /** 0 to 4095. */
  readonly hubId: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** Name of the hub's log, e.g. `iscc.id/log`. */
  readonly origin: string;
  readonly active: boolean;
  /** Multibase texts; empty if only the did:web document has keys. */
  readonly keys: readonly string[];
}

/** The list violates a rule. The message names the rule. */
export class HubListInvalid extends Error {
  override readonly name = 'HubListInvalid';
}

const listed = z.object({
  hub_id: z.number().int().min(0).max(HUB_ID_MAX),
  url: z.string(),
  pubkey: z.string().refine(native.isLogKey, 'is not an Ed25519 key in multibase').nullish(),
  active: z.boolean().nullish(),
});

const hubList = z.object({
  network: z.string(),
  hubs: z.array(listed).nullish(),
});

/**
 * @param allowHttp host names that may be reached by http; for tests
 * @throws {HubListInvalid}
 */
export function parseHubList(
  text: string,
  network: NetworkName,
  allowHttp: ReadonlySet<string> = new Set(),
): readonly ListedHub[] {
  if (Buffer.byteLength(text) > HUB_LIST_BYTES_MAX) throw new HubListInvalid('is larger than 1 MiB');
  const parsed = hubList.safeParse(plainYaml(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new HubListInvalid(`${issue?.path.join('.') || 'list'}: ${issue?.message}`);
  }
  if (parsed.data.network !== network) throw new HubListInvalid(`is not the list of ${network}`);
  const hubs = (parsed.data.hubs ?? []).map(({ hub_id: hubId, url, pubkey, active }) => {
    const place = hubPlace(url, allowHttp);
    return { hubId, ...place, active: active === true, keys: pubkey == null ? [] : [pubkey] };
  });
  if (new Set(hubs.map(({ hubId }) => hubId)).size < hubs.length)
    throw new HubListInvalid('has a hub_id twice');
  if (new Set(hubs.map(({ url }) => url)).size < hubs.length) throw new HubListInvalid('has an url twice');
  return hubs;
}

/** YAML 1.2 without anchors, aliases and tags of its own. */
function plainYaml(text: string): unknown {
  const document = parseDocument(text, { version: '1.2', uniqueKeys: true, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw new HubListInvalid(`is not YAML: ${error.code}`);
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || ('anchor' in node && node.anchor))
        throw new HubListInvalid('has anchors or aliases');
      if (isScalar(node) && typeof node.value === 'bigint')
        throw new HubListInvalid('has too large a number');
    },
  });
  return document.toJS();
}

/** `https://host[:port]` with at most one slash after it. */
function hubPlace(address: string, allowHttp: ReadonlySet<string>): { url: string; origin: string } {
  if (!/^https?:\/\/[^/\\?#@\s]+\/?$/i.test(address) || !URL.canParse(address))
    throw new HubListInvalid('url: is not https://host[:port]');
  const { protocol, host, hostname } = new URL(address);
  if (protocol !== 'https:' && !allowHttp.has(hostname)) throw new HubListInvalid('url: is not https');
  return { url: `${protocol}//${host}`, origin: `${host}/log` };
}
