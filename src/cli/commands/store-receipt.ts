/** `isccd store verify-receipt`: verifies a receipt without a connection to the store. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { printable } from '../../platform/printable.js';
import { isSignedBy } from '../../platform/signing/iscc-sig.js';
import { KeyInvalid, parsePublicKey } from '../../platform/signing/key.js';
import { provenHead } from '../../services/store/log/receipt-proof.js';
import { type EntryProof, logOrigin } from '../../services/store/log/store-log.js';
import { logProofIn, type Receipt, withoutVerification } from '../../services/store/receipts.js';
import { RECEIPT_TYPE } from '../../services/store/schema.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { withLog } from './store-log.js';

export interface VerifyOptions extends TrustedKeys {
  readonly manifest?: string;
  /** Whether the log is read: from its address in the receipt, or from this one. */
  readonly log?: boolean | string;
  readonly json?: boolean;
}

/** Whose signatures count. */
export interface TrustedKeys {
  readonly key?: string;
  readonly did?: string;
}

/** Prints what was verified. @throws {CommandFailed} naming the first check that failed */
export async function verifyReceipt(file: string, options: VerifyOptions): Promise<void> {
  const receipt = receiptIn(await jsonOf(file), file);
  const { signature, manifestId, sha256, size, storedAt } = receipt;
  if ((options.key === undefined) === (options.did === undefined)) {
    throw new CommandFailed('give the public key of the store with either --key or --did');
  }
  const problem = await signatureProblem(receipt, file, options);
  if (problem !== undefined) throw new CommandFailed(problem);
  if (options.manifest !== undefined) await compare(options.manifest, receipt);
  const log = await checkedLog(receipt, file, options.log);
  const verified = {
    manifestId,
    sha256,
    size,
    storedAt,
    signedBy: signature.controller,
    key: signature.pubkey,
    isManifestCompared: options.manifest !== undefined,
    ...(log !== undefined && { log }),
  };
  if (options.json) {
    process.stdout.write(`${JSON.stringify(verified)}\n`);
    return;
  }
  const lines = [
    `signature  valid, by ${signature.controller} with the key ${signature.pubkey}`,
    `manifest   ${manifestId}`,
    `bytes      ${size}, SHA-256 ${sha256}${options.manifest === undefined ? '; not compared, see --manifest' : `; equal to ${options.manifest}`}`,
    `stored at  ${storedAt}, by the clock of the store`,
    `log        ${logLine(log)}`,
  ];
  process.stdout.write(`${lines.map(printable).join('\n')}\n`);
}

interface CheckedLog {
  readonly leafIndex: number;
  readonly treeSize: number;
  /** Number of entries of the log as it is now, if it was read. */
  readonly entries?: number;
}

/** Checks the proof in the receipt, and the log itself if that is wanted. `undefined`: the receipt has no proof. */
async function checkedLog(
  receipt: Receipt,
  file: string,
  wanted: boolean | string | undefined,
): Promise<CheckedLog | undefined> {
  const { signature, repository } = receipt;
  const proof = logProofIn({ ...receipt });
  if (proof === undefined) {
    if (wanted === undefined) return undefined;
    throw new CommandFailed(`${file} has no proof of an entry in the log: a store without one issued it`);
  }
  const storeUrl = repository?.uri;
  if (typeof storeUrl !== 'string') throw new CommandFailed(`${file} does not name its store`);
  const head = provenHead({ ...receipt, storeUrl, publicKey: signature.pubkey, proof });
  if ('problem' in head) throw new CommandFailed(`the log proves nothing for ${file}: ${head.problem}`);
  const { leafIndex, treeSize } = proof as EntryProof;
  if (wanted === undefined) return { leafIndex, treeSize };
  const place = { url: typeof wanted === 'string' ? wanted : storeUrl, origin: logOrigin(storeUrl) };
  const entries = await withLog(place, [signature.pubkey], async (log) => {
    const now = await log.head();
    await log.requireExtension(now, head);
    await log.requireInOrder(now, leafIndex);
    return now.size;
  });
  return { leafIndex, treeSize, entries };
}

function logLine(log: CheckedLog | undefined): string {
  if (log === undefined) return 'not in this receipt: it is of an earlier version of the store';
  const { leafIndex, treeSize, entries } = log;
  const proven = `entry ${leafIndex} is in the checkpoint with ${treeSize} entries`;
  if (entries === undefined) return `${proven}; not compared with the log of today, see --log`;
  return `${proven}, with which the log of today, of ${entries} entries, begins`;
}

/** What is wrong with the signature. Without a trusted key, any key counts. @throws {CommandFailed} for invalid keys */
export async function signatureProblem(
  receipt: Receipt,
  file: string,
  keys: TrustedKeys,
): Promise<string | undefined> {
  const { pubkey, controller } = receipt.signature;
  const isTrusted = await trustedKeys(keys);
  if (!isTrusted(pubkey, controller)) {
    return `${file} is signed by ${pubkey} of ${controller}, which is not the given key`;
  }
  if (isSignedBy(receipt, pubkey)) return undefined;
  return `the signature of ${file} is not valid: the receipt was changed`;
}

/** Returns whether a key is the one that the caller trusts. */
async function trustedKeys({
  key,
  did,
}: TrustedKeys): Promise<(pubkey: string, controller: string | undefined) => boolean> {
  if (key === undefined && did === undefined) return () => true;
  if (key !== undefined) {
    checkKey(key, '--key');
    return (pubkey) => pubkey === key;
  }
  const file = did ?? '';
  const document = (await jsonOf(file)) as {
    id?: unknown;
    verificationMethod?: { controller?: unknown; publicKeyMultibase?: unknown }[];
  } | null;
  if (typeof document?.id !== 'string' || !Array.isArray(document.verificationMethod)) {
    throw new CommandFailed(`${file} is not a DID document: id and verificationMethod are missing`);
  }
  const { id, verificationMethod } = document;
  const keys = verificationMethod
    .filter(({ controller }) => controller === id)
    .map(({ publicKeyMultibase }) => publicKeyMultibase);
  return (pubkey, controller) => controller === id && keys.includes(pubkey);
}

function checkKey(key: string, option: string): void {
  try {
    parsePublicKey(key);
  } catch (error) {
    throw error instanceof KeyInvalid ? new CommandFailed(`${option} ${error.message}`) : error;
  }
}

async function compare(file: string, { sha256, size }: Receipt): Promise<void> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new CommandFailed(`${file} can't be read: ${reason(error)}`);
  });
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest === sha256 && bytes.length === size) return;
  throw new CommandFailed(`${file} is not what the receipt names: its SHA-256 is ${digest}, not ${sha256}`);
}

async function jsonOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    throw new CommandFailed(`${file} can't be read as JSON: ${reason(error)}`);
  }
}

/** The receipt itself, or that of an upload. */
export function receiptIn(value: unknown, file: string): Receipt {
  const receipt = (value as { receipt?: unknown } | null)?.receipt ?? value;
  const { type, signature } = (receipt ?? {}) as { type?: unknown; signature?: { pubkey?: unknown } };
  if (type === RECEIPT_TYPE && typeof signature?.pubkey === 'string')
    return withoutVerification({ ...(receipt as Receipt) }) as unknown as Receipt;
  throw new CommandFailed(`${file} is not a receipt: its type must be ${RECEIPT_TYPE}, with a signature`);
}
