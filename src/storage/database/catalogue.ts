/**
 * The catalogue: one narrow row per manifest, for lists and searches. The rows of `manifests` have summaries with
 * thumbnails, so that reading all of them takes seconds. Triggers copy later changes of the flags.
 */
import type { Transaction } from 'kysely';
import type { Tables } from './tables.js';

/** A summary as the validator writes it; all texts are claims of the signer. */
export interface Summary {
  readonly state?: string;
  /** Name of the list that vouched for the signer at the last check. */
  readonly trustList?: string;
  /** Names of the lists that vouched for its time-stamper and for its CAWG identity then. */
  readonly timeStampList?: string;
  readonly identityList?: string;
  readonly failures?: readonly string[];
  readonly title?: string;
  readonly format?: string;
  readonly signer?: string;
  readonly issuer?: string;
  readonly time?: string;
  readonly claimGenerator?: string;
  readonly actions?: readonly {
    readonly action: string;
    readonly when?: string;
    readonly digitalSourceType?: string;
  }[];
  readonly ingredients?: readonly Ingredient[];
  readonly training?: Readonly<Record<string, string>>;
  /** Data URL of a JPEG, PNG or WebP picture. */
  readonly thumbnail?: string;
}

export interface Ingredient {
  readonly title?: string;
  readonly format?: string;
  readonly relationship?: string;
  readonly manifestId?: string;
}

/** Parses the column `manifests.summary`. */
export function parseSummary(json: string | null): Summary {
  return json === null ? {} : (JSON.parse(json) as Summary);
}

const ROWS_PER_INSERT = 500;

/** Writes the rows of these manifests from their summaries. Call it after a summary was written. */
export async function fillCatalogue(
  transaction: Transaction<Tables>,
  keys: readonly number[],
): Promise<void> {
  await transaction.deleteFrom('catalogue').where('manifest_key', 'in', keys).execute();
  await transaction.deleteFrom('ingredients').where('manifest_key', 'in', keys).execute();
  const rows = await transaction
    .selectFrom('manifests')
    .select(['key', 'manifest_id', 'sha256', 'uploaded_at', 'size', 'trusted', 'live', 'summary'])
    .where('key', 'in', keys)
    .execute();
  const ingredients: Tables['ingredients'][] = [];
  const entries = rows.map(({ key: manifest_key, sha256, summary: json, ...row }) => {
    const summary = parseSummary(json);
    const [title, signer] = [storable(summary.title), storable(summary.signer)];
    const found = (summary.ingredients ?? []).flatMap(({ manifestId, relationship }) =>
      manifestId === undefined ? [] : [{ manifestId, relationship }],
    );
    for (const [ordinal, { manifestId, relationship }] of found.entries()) {
      const ingredient_id = storable(manifestId);
      ingredients.push({ manifest_key, ordinal, ingredient_id, relationship: storable(relationship) });
    }
    const search = [row.manifest_id, title, signer, storable(summary.issuer), sha256].join('\n');
    return { ...row, manifest_key, title, signer, search: search.toLowerCase() };
  });
  for (let at = 0; at < entries.length; at += ROWS_PER_INSERT) {
    await transaction
      .insertInto('catalogue')
      .values(entries.slice(at, at + ROWS_PER_INSERT))
      .execute();
  }
  for (let at = 0; at < ingredients.length; at += ROWS_PER_INSERT) {
    await transaction
      .insertInto('ingredients')
      .values(ingredients.slice(at, at + ROWS_PER_INSERT))
      .execute();
  }
}

/** Without control characters: PostgreSQL can't store NUL, and line breaks separate the searched texts. */
function storable(text = ''): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}
