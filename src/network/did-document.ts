/** Keys in a hub's did:web document. */
import { z } from 'zod';
import { native } from '../native.js';

export const DID_DOCUMENT_BYTES_MAX = 65_536;

const method = z.object({
  id: z.string(),
  controller: z.string(),
  publicKeyMultibase: z.string(),
});

const didDocument = z.object({
  id: z.string(),
  verificationMethod: z.array(z.unknown()).optional(),
  assertionMethod: z.array(z.unknown()).optional(),
});

/** The did:web of the host of a log, e.g. `did:web:hub.example%3A8443`. */
export function didOfOrigin(origin: string): string {
  return `did:web:${origin.replace(/\/log$/, '').replaceAll(':', '%3A')}`;
}

/** Address of the document of a hub. */
export function didDocumentUrl(hubUrl: string): string {
  return `${hubUrl}/.well-known/did.json`;
}

/**
 * Ed25519 keys for assertions, as multibase texts. `revoked` and `expires` do not count: a checkpoint has no time.
 *
 * @returns `undefined` if the document is not that of `did`
 */
export function assertionKeys(document: unknown, did: string): readonly string[] | undefined {
  const parsed = didDocument.safeParse(document);
  if (!parsed.success || parsed.data.id !== did) return undefined;
  const { verificationMethod = [], assertionMethod = [] } = parsed.data;
  const known = verificationMethod.flatMap((each) => method.safeParse(each).data ?? []);
  const named = assertionMethod.flatMap((entry) => {
    if (typeof entry !== 'string') return method.safeParse(entry).data ?? [];
    const id = entry.startsWith('#') ? did + entry : entry;
    return known.filter((each) => each.id === id || (each.id.startsWith('#') && did + each.id === id));
  });
  const keys = named.filter(({ controller }) => controller === did).map((each) => each.publicKeyMultibase);
  return [...new Set(keys)].filter((key) => native.isLogKey(key));
}
