/** The did:web identifier of a service, and the DID document that publishes its key. */

export interface DidDocument {
  readonly id: string;
  readonly verificationMethod: readonly {
    readonly id: string;
    readonly type: 'Multikey';
    readonly controller: string;
    readonly publicKeyMultibase: string;
  }[];
  readonly authentication: readonly string[];
  readonly assertionMethod: readonly string[];
  readonly capabilityDelegation: readonly string[];
  readonly capabilityInvocation: readonly string[];
}

/** `did:web:` plus the host of an address, and `%3A` plus its port if it has one. The path is ignored. */
export function didOf(address: string): string {
  const { hostname, port } = new URL(address);
  return `did:web:${hostname.toLowerCase()}${port === '' ? '' : `%3A${port}`}`;
}

/** The DID document for `/.well-known/did.json`. */
export function didDocument(did: string, publicKey: string): DidDocument {
  const id = `${did}#${publicKey}`;
  return {
    id: did,
    verificationMethod: [{ id, type: 'Multikey', controller: did, publicKeyMultibase: publicKey }],
    authentication: [id],
    assertionMethod: [id],
    capabilityDelegation: [id],
    capabilityInvocation: [id],
  };
}
