/** Calls of the resolver's page. */

/** What a manifest says of its asset. Texts are claims of its signer. */
export interface Credentials {
  readonly manifestId: string;
  readonly state: 'valid' | 'trusted' | 'invalid';
  readonly failures: readonly string[];
  readonly title?: string;
  readonly format?: string;
  readonly signer?: string;
  readonly issuer?: string;
  readonly time?: string;
  readonly claimGenerator?: string;
  readonly actions: readonly { readonly action: string; readonly digitalSourceType?: string }[];
  readonly ingredients: readonly { readonly title?: string; readonly relationship?: string }[];
  readonly training?: Readonly<Record<string, string>>;
  /** Data URL */
  readonly thumbnail?: string;
}

export interface Match {
  readonly manifestId: string;
  readonly endpoint: string;
  readonly similarityScore: number;
  readonly isccId: string;
  readonly credentials?: Credentials;
}

export interface Checked {
  readonly iscc: string;
  readonly mediatype: string;
  readonly matches: readonly Match[];
  /** Of the file itself. */
  readonly credentials?: Credentials;
}

/** The largest file that the server checks, in bytes; 0 if it checks none. */
export async function checkLimit(): Promise<number> {
  return ((await received(await fetch('/check'))) as { bytesMax: number }).bytesMax;
}

/** Sends a file to be checked. @throws with the server's reason */
export async function checkFile(file: File): Promise<Checked> {
  return (await received(await fetch('/check', { method: 'POST', body: file }))) as Checked;
}

async function received(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const detail = (body as { detail?: unknown } | undefined)?.detail;
  throw new Error(typeof detail === 'string' ? detail : `The server returned status ${response.status}.`);
}
