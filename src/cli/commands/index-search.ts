/** `isccd index search`: finds assets by a file, a code, units, or the ISCC-ID of an asset. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { InvalidRequest } from '../../client/errors.js';
import type { Query, SearchApi, SearchParameters, SearchResult } from '../../client/search-api.js';
import { decodeCode } from '../../iscc/codec.js';
import { hasTimes, type Parts, simprintType, spansByType } from '../../iscc/spans.js';
import { present } from '../../platform/present.js';
import { CODE_RULE, codeArgument, indexArgument } from '../input/arguments.js';
import { processedFile, withPipeline } from '../input/local-pipeline.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, EXIT_CONFIGURATION, reason, reasons } from '../terminal/failure.js';
import { type FoundPassages, matchTable } from '../terminal/index-tables.js';
import { printJson } from '../terminal/lines.js';
import { type Shown, showsTable, using } from './index-command.js';

export interface SearchOptions extends Shown {
  readonly limit?: string;
  readonly threshold?: string;
  readonly thresholdSimprints?: string;
  readonly minScore?: string;
  readonly unitTypes?: string;
  readonly exclude?: string;
  readonly filter?: readonly string[];
}

/** A query with the code and all units of a file. */
type CodedFile = Query & { readonly iscc_code: string; readonly units: string[] };

interface FileQuery {
  readonly query: CodedFile;
  /** Image-Codes of the picture mirrored and turned. */
  readonly symmetries: readonly string[];
  /** Simprints of a film or a recording, if they are configured. */
  readonly parts: readonly Parts[];
}

interface Sought {
  readonly query: Query;
  readonly parts: readonly Parts[];
}

/** MainTypes of an ISCC-CODE and an ISCC-ID, as numbered in the header. */
const [CODE, ID] = [5, 6];

/** Prints the result of a search with a file, an ISCC-CODE, an ISCC-ID, or one or more ISCC-UNITs. */
export async function search(name: string, sought: readonly string[], options: SearchOptions): Promise<void> {
  const index = indexArgument(name);
  const parameters = parametersOf(options);
  const { query, parts } = await soughtIn(sought);
  await using(options, async (service) => {
    if (!showsTable(options)) printJson(withSpans(await service.search(index, query, parameters), parts));
    else {
      const found = withSpans(await explained(service, index, query, parameters), parts);
      process.stdout.write(matchTable(found, painter(process.stdout)));
    }
  });
}

/** The result with the bits in which units differ, if the engine counts them. */
async function explained(
  service: SearchApi,
  index: string,
  query: Query,
  parameters: SearchParameters,
): Promise<SearchResult> {
  try {
    return await service.search(index, query, { ...parameters, explain: 'bits' });
  } catch (error) {
    // If another parameter is wrong, the second request fails with the same error.
    if (error instanceof InvalidRequest) return service.search(index, query, parameters);
    throw error;
  }
}

/** The result with the times of clips, if the query has simprints of a film or a recording. */
function withSpans(result: SearchResult, parts: readonly Parts[]): SearchResult {
  if (parts.length === 0) return result;
  const matches = result.chunk_matches.map(
    (match): FoundPassages => ({ ...match, spans: spansByType(match.types, parts) }),
  );
  return { ...result, chunk_matches: matches };
}

function parametersOf(options: SearchOptions): SearchParameters {
  return present({
    limit: limitOption(options.limit),
    threshold: shareOption(options.threshold, '--threshold'),
    threshold_simprints: shareOption(options.thresholdSimprints, '--threshold-simprints'),
    min_score: shareOption(options.minScore, '--min-score'),
    unit_types: options.unitTypes,
    exclude: options.exclude,
    filter: options.filter === undefined ? undefined : [...options.filter],
  });
}

/** Value of `--limit`. */
export function limitOption(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^0*[1-9]\d*$/.test(text)) return Number(text);
  throw new CommandFailed('--limit must be an integer of at least 1', EXIT_CONFIGURATION);
}

/** Value of an option that is a number from 0 to 1. */
export function shareOption(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new CommandFailed(`${option} must be a number from 0 to 1`, EXIT_CONFIGURATION);
}

/** The query of arguments. A code is not looked up as a file: `./NAME` is a file in any case. */
export async function queryOf(sought: readonly string[]): Promise<Query> {
  return (await soughtIn(sought)).query;
}

async function soughtIn(sought: readonly string[]): Promise<Sought> {
  const [first = '', ...others] = sought;
  if (others.length > 0) return { query: { units: sought.map(unit) }, parts: [] };
  const main = mainTypeOf(first);
  if (main instanceof Error) return queryOfFile(first, main.message);
  const code = codeArgument(first);
  const query = main === CODE ? { iscc_code: code } : main === ID ? { iscc_id: code } : { units: [code] };
  return { query, parts: [] };
}

function unit(text: string): string {
  const main = mainTypeOf(text);
  if (typeof main === 'number' && main !== CODE && main !== ID) return codeArgument(text);
  const problem = main instanceof Error ? main.message : `${text} is not an ISCC-UNIT`;
  throw new CommandFailed(`${problem}; several arguments must all be ISCC-UNITs`, EXIT_CONFIGURATION);
}

/** MainType of a code, or why the text is not a code. */
function mainTypeOf(text: string): number | Error {
  try {
    return decodeCode(codeArgument(text)).main;
  } catch (error) {
    return error instanceof CommandFailed
      ? error
      : new Error(`${text} is not a valid code: ${reason(error)}`);
  }
}

/**
 * All units of a file, as an index has them of files that `isccd code` has read, and the simprints of a film or a recording.
 *
 * @param problem why the argument is not a code, if it may be one
 */
export async function queryOfFile(file: string, problem?: string): Promise<FileQuery> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw new CommandFailed(`${file} is a folder, not a file`, EXIT_CONFIGURATION);
  if (found === undefined) {
    if (problem === undefined) throw new CommandFailed(`${file}: the file does not exist`);
    const looksLikeFile = /[./\\]/.test(file);
    const message = looksLikeFile ? `${file} is not a file, and not a code: ${CODE_RULE}` : problem;
    throw new CommandFailed(message, EXIT_CONFIGURATION);
  }
  const { result, symmetries } = await withPipeline({ files: 1, fallback: true }, async ({ pipeline }) => {
    const named = { path: file, filename: path.basename(file) };
    try {
      return await processedFile(pipeline, named, { granular: true, thumbnail: false });
    } catch (error) {
      throw new CommandFailed(`${file}: ${reasons(error)}`);
    }
  });
  const parts = (result.features ?? []).filter((feature) => hasTimes(simprintType(feature)));
  const query = { iscc_code: result.iscc, units: [...result.units], ...simprintsOf(parts) };
  return { query, symmetries, parts };
}

function simprintsOf(parts: readonly Parts[]): Pick<Query, 'simprints'> {
  if (parts.length === 0) return {};
  return { simprints: Object.fromEntries(parts.map((one) => [simprintType(one), [...one.simprints]])) };
}
