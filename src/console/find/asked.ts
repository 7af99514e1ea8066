/** What a text in the field of the page is. */
import { t } from '../language.js';
import { linked } from '../link.js';
import type { Query } from '../search/api.js';
import { parseQuery } from '../search/query.js';

export type Asked =
  | { readonly kind: 'codes'; readonly query: Query; readonly index?: string | undefined }
  | { readonly kind: 'manifest'; readonly id: string }
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'text'; readonly text: string };

/** Identifiers of C2PA manifests. */
const MANIFEST = /^(?:[\w.-]+:)?urn:(?:c2pa|uuid):\S+$/i;
const ADDRESS = /^https?:\/\/\S+$/i;
const PREFIXED = /^iscc:/i;
/** A code without its prefix, as it is printed. */
const BARE = /^[A-Z2-7]{16,}$/;
/** In lower case, a digit tells it from a word. */
const BARE_LOWER = /^(?=[a-z]*[2-7])[a-z2-7]{16,}$/;

/**
 * Codes, JSON with codes, the id of a manifest, an address, or else a text.
 *
 * @throws with a message for the user, e.g. for a code that is too short
 */
export function asked(typed: string): Asked {
  const text = typed.trim();
  if (text === '') throw new Error(t('Paste a code, a text or an address first.'));
  if (MANIFEST.test(text)) return { kind: 'manifest', id: text };
  if (ADDRESS.test(text)) return atAddress(text);
  if (text.startsWith('{') || isCodes(text)) return { kind: 'codes', query: parseQuery(text) };
  return { kind: 'text', text };
}

function isCodes(text: string): boolean {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  const isCode = (word: string) => PREFIXED.test(word) || BARE.test(word) || BARE_LOWER.test(word);
  return words.every(isCode);
}

/** An address may be a link to a result, or the address of a manifest; else it is that of a file. */
function atAddress(url: string): Asked {
  const { hash, pathname } = new URL(url);
  const { search, manifest } = linked(hash);
  if (search !== undefined) return { kind: 'codes', query: parseQuery(search.code), index: search.index };
  const id = manifest ?? decoded(pathname.split('/').at(-1) ?? '');
  return MANIFEST.test(id) ? { kind: 'manifest', id } : { kind: 'address', url };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
