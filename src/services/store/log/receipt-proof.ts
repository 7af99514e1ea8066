/** Checks the proof in a receipt that the manifest's entry is in the log of the store, without a connection to it. */
import { z } from 'zod';
import { native } from '../../../native.js';
import { HASH_BYTES } from '../../../network/log-path.js';
import { type LoggedManifest, recordOf, statementOf } from './entries.js';
import { type LogHead, logOrigin } from './store-log.js';

/** The part of a receipt that says where its entry is. */
export const entryProof = z.object({
  uri: z
    .string()
    .meta({ format: 'uri' })
    .describe('Address of the log: `checkpoint` and `tile/…` are below it'),
  entry: z.string().describe('The entry of the upload, verbatim'),
  leafIndex: z.int().describe('Number of the entry, from 0'),
  treeSize: z.int().describe('Number of entries of the checkpoint'),
  checkpoint: z.string().describe('The signed head of the log (C2SP tlog-checkpoint), verbatim'),
  inclusionProof: z.array(z.string()).describe('Hashes in Base64, from the entry up (RFC 6962)'),
});

/** What a receipt states, with its proof. */
export interface ProvenStatement extends LoggedManifest {
  readonly storedAt: string;
  readonly storeUrl: string;
  /** Multibase. */
  readonly publicKey: string;
  readonly proof: unknown;
}

/** The head that the receipt proves, or why it does not. */
export type ProvenHead = LogHead | { readonly problem: string };

export function provenHead({
  storedAt,
  storeUrl,
  publicKey,
  proof,
  ...manifest
}: ProvenStatement): ProvenHead {
  const { success, data } = entryProof.safeParse(proof);
  if (!success) return { problem: 'the proof of its entry in the log is malformed' };
  const at = Date.parse(storedAt);
  const record = Number.isNaN(at)
    ? undefined
    : recordOf({ act: 'stored', at, statement: statementOf(manifest) });
  if (record?.toString() !== data.entry)
    return { problem: 'its entry in the log is of another manifest or time' };
  const { refused, size, root } = native.judgeLogCheckpoint(
    Buffer.from(data.checkpoint),
    logOrigin(storeUrl),
    [publicKey],
  );
  if (size == null || root == null) return { problem: `its checkpoint is refused: ${refused}` };
  const hashes = data.inclusionProof.map((hash) => Buffer.from(hash, 'base64'));
  const isWellFormed = hashes.every((hash) => hash.length === HASH_BYTES) && data.treeSize === size;
  const found = isWellFormed
    ? native.logInclusionRoot(record, data.leafIndex, size, Buffer.concat(hashes))
    : null;
  if (found?.equals(root) !== true) return { problem: 'its entry is not in the tree of its checkpoint' };
  return { size, root };
}
