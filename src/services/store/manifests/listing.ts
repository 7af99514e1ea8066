/** Lists of live manifests, in the order in which they were stored: pages, and all as JSON lines. */
import { manifestUrl } from '../../../c2pa/manifest-url.js';
import type { Db } from '../../../storage/database/tables.js';
import type { ClaimedFacts, ListedManifest } from '../schema.js';
import { declarationView } from '../upload-answer.js';

/** Rows per statement of a list of all. */
const ROWS_PER_READ = 500;

export interface ListSelection {
  /** Only manifests of this publisher; `undefined`: all. */
  readonly publisher: string | undefined;
  /** Only manifests stored after the one with this key. */
  readonly after: number;
}

export interface ListPage {
  readonly manifests: readonly ListedManifest[];
  /** `after` of the next page; `undefined` on the last. */
  readonly next: number | undefined;
}

export class Listing {
  readonly #db: Db;
  readonly #url: string;

  /** @param url public base address of the store */
  constructor(db: Db, url: string) {
    this.#db = db;
    this.#url = url;
  }

  /** Root-relative address of the list. A proxy may serve the store below a path, which the public address has then. */
  get address(): string {
    return `${new URL(this.#url).pathname.replace(/\/$/, '')}/v1/manifests`;
  }

  async page(selection: ListSelection, limit: number): Promise<ListPage> {
    // One more row than wanted says whether there is a next page.
    const rows = await this.#read(selection, limit + 1);
    const manifests = rows.slice(0, limit);
    return { manifests, next: rows.length > limit ? manifests.at(-1)?.key : undefined };
  }

  /** One line of JSON per manifest, read as fast as they are sent. Includes manifests stored in the meantime. */
  async *lines({ publisher, after }: ListSelection): AsyncGenerator<string> {
    let last = after;
    for (;;) {
      const rows = await this.#read({ publisher, after: last }, ROWS_PER_READ);
      if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      last = rows.at(-1)?.key ?? last;
      if (rows.length < ROWS_PER_READ) return;
    }
  }

  async #read({ publisher, after }: ListSelection, limit: number): Promise<ListedManifest[]> {
    let query = this.#db
      .selectFrom('manifests as m')
      .innerJoin('declarations as d', 'd.manifest_key', 'm.key')
      .select(['m.key', 'm.manifest_id', 'm.sha256', 'm.size', 'm.uploaded_at', 'm.trusted'])
      .select(['m.publisher', 'm.summary', 'd.status', 'd.hub', 'd.iscc_id'])
      .where('m.live', '=', 1)
      .where('m.key', '>', after);
    if (publisher !== undefined) query = query.where('m.publisher', '=', publisher);
    const rows = await query.orderBy('m.key').limit(limit).execute();
    return rows.map((row) => ({
      key: row.key,
      manifestId: row.manifest_id,
      manifestUrl: manifestUrl(this.#url, row.manifest_id),
      sha256: row.sha256,
      size: row.size,
      storedAt: new Date(row.uploaded_at).toISOString(),
      trusted: row.trusted === 1,
      ...(row.publisher !== null && { publisher: row.publisher }),
      declaration: declarationView({ status: row.status, hub: row.hub, isccId: row.iscc_id }),
      ...claims(row.summary),
    }));
  }
}

function claims(summary: string | null): Pick<ListedManifest, 'title' | 'format' | 'signer' | 'time'> {
  if (summary === null) return {};
  const { title, format, signer, time } = JSON.parse(summary) as ClaimedFacts;
  return {
    ...(title !== undefined && { title }),
    ...(format !== undefined && { format }),
    ...(signer !== undefined && { signer }),
    ...(time !== undefined && { time }),
  };
}
