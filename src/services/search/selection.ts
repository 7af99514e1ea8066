/** The parameters of a search as the engine takes them. */
import type { z } from 'zod';
import type { SearchSelection } from '../../native.js';
import { present } from '../../platform/present.js';
import { type assetParameters, LIMIT_DEFAULT, type searchParameters } from './schema.js';

/** What the engine takes for the parameters of a request. */
export function engineParameters(query: z.output<typeof searchParameters>): SearchParameters {
  const { limit = LIMIT_DEFAULT, skip_featureless: skipFeatureless, ...rest } = query;
  // Most searches have no further parameter: the engine then needs no object.
  const own = { limit, ...(skipFeatureless !== undefined && { skipFeatureless }) };
  if (Object.values(rest).every((value) => value === undefined)) return own;
  const selection = {
    threshold: rest.threshold,
    thresholdSimprints: rest.threshold_simprints,
    unitTypes: rest.unit_types,
    exclude: rest.exclude,
    minScore: rest.min_score,
    filters: rest.filter,
    notIn: rest.not_in,
    cursor: rest.cursor,
    explain: rest.explain,
    exact: rest.exact,
    fields: metadataFields(rest),
  };
  return { ...own, selection: present(selection) };
}

/** Members of the metadata that a response has; none with `metadata=false`. Default: all. */
export function metadataFields({ metadata, fields }: z.output<typeof assetParameters>): string[] | undefined {
  return metadata === false ? [] : fields;
}

/** Parameters of a search besides its query. */
export interface SearchParameters {
  /** Any integer; the engine checks its bounds. */
  readonly limit: number;
  /** Whether to leave out featureless Image-Codes. Default: as configured. */
  readonly skipFeatureless?: boolean;
  /** Which matches are wanted. Default: all. */
  readonly selection?: SearchSelection;
}
