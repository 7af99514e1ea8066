/** What a node serves to others: accepted checkpoints, inclusion proofs, evidence, and the files of mirrored logs. */
import type { LogClaim, LogProof } from '../native.js';
import { BLOCK, wholeRecords } from './log-files.js';
import { hashTexts, type LogFile, parsedTile } from './log-path.js';
import type { LogStore } from './log-store.js';
import type { HubRow, LogHead } from './state.js';

/** That an entry is in the tree of a checkpoint (RFC 6962, section 2.1.1). */
export interface EntryProof {
  readonly leafIndex: number;
  /** Base64. */
  readonly inclusionProof: readonly string[];
}

/** In the form of a hub's receipt. */
export interface InclusionProof extends EntryProof {
  readonly type: 'IsccLogInclusionProof';
  /** The signed note, verbatim. */
  readonly checkpoint: string;
  readonly treeSize: number;
  /** The deletion, once deleted. */
  readonly deletion?: EntryProof;
}

export class Published {
  readonly #index: LogStore;
  readonly #row: (hubId: number) => HubRow | undefined;

  /** @param row returns the present row of a hub */
  constructor(index: LogStore, row: (hubId: number) => HubRow | undefined) {
    this.#index = index;
    this.#row = row;
  }

  /** The accepted note of a hub; `undefined` before the first one. */
  checkpoint(hubId: number): string | undefined {
    return this.#row(hubId)?.head?.note;
  }

  /** The stored contradictions of a hub, oldest first; `undefined` for unknown hubs. */
  async evidence(hubId: number): Promise<readonly unknown[] | undefined> {
    const stored = await this.#index.evidence(hubId);
    if (stored.length === 0 && this.#row(hubId) === undefined) return undefined;
    return stored.map((text) => JSON.parse(text) as unknown);
  }

  /** `undefined` if no log has the ISCC-ID; `pending` while entries below the checkpoint are still being applied. */
  async inclusion(isccId: string): Promise<InclusionProof | 'pending' | undefined> {
    const found = await this.#index.inclusion(isccId);
    if (found === null) return undefined;
    const { head } = JSON.parse(found.row) as { head: LogHead | null };
    const declaration = entryProof(found.declaration);
    const deletion = found.deletion && entryProof(found.deletion);
    if (head === null || declaration === undefined) return 'pending';
    return {
      type: 'IsccLogInclusionProof',
      checkpoint: head.note,
      treeSize: head.size,
      ...declaration,
      ...(deletion !== undefined && { deletion }),
    };
  }

  /** Who declared each ISCC-ID; `null` where no log has it. */
  claims(isccIds: readonly string[]): Promise<readonly (LogClaim | null)[]> {
    return this.#index.claims([...isccIds]);
  }

  /**
   * A file of a hub's log.
   *
   * @param path relative to the log, e.g. `tile/entries/000`, in its canonical form
   */
  async file(hubId: number, path: string): Promise<LogFile | undefined> {
    if (path === 'checkpoint') {
      const row = this.#row(hubId);
      // A log serves a checkpoint only with all its files.
      const note = row?.head != null && row.cursor >= row.head.size ? row.head.note : undefined;
      return note === undefined ? undefined : { bytes: Buffer.from(note), isFull: false };
    }
    const named = parsedTile(path);
    if (named === undefined) return undefined;
    const { level, index, width } = named;
    const bytes =
      level === 'entries'
        ? await this.#bundle(hubId, index, width)
        : await this.#index.tile(hubId, level, index, width);
    return bytes == null ? undefined : { bytes, isFull: width === BLOCK };
  }

  async #bundle(hubId: number, block: number, width: number): Promise<Buffer | undefined> {
    // The hashes say whether the checkpoint covers the entries.
    const leaves = await this.#index.tile(hubId, 0, block, width);
    const bundle = leaves === null ? null : await this.#index.bundle(hubId, block);
    return bundle === null ? undefined : wholeRecords(bundle, width);
  }
}

function entryProof({ leaf, proof }: LogProof): EntryProof | undefined {
  return proof == null ? undefined : { leafIndex: leaf, inclusionProof: hashTexts(proof) };
}
