/** Looks up who says what about mining and training of a content. */
import { bindingsOf, distinctBindings } from '../../../c2pa/content-query.js';
import type { ManifestReader, ManifestValidation } from '../../../c2pa/manifest-reader.js';
import type { CodedAsset } from '../../../content/coder.js';
import type { RightsField } from '../../../content/rights.js';
import { isccIdTime } from '../../../iscc/iscc-id.js';
import type { Trace } from '../../../platform/observe/trace.js';
import { RepositoryFailed, ResolverRefusal } from '../errors.js';
import { type Declaration, type ResolverService, unitsOfBindings } from '../service.js';
import { unitsOfCode } from './code-units.js';
import { embeddedPart, isSigned, type ManifestPart, manifestPart } from './manifest-source.js';
import { type RightsReport, SCORE_DEFAULT, type Source } from './schema.js';
import { summarise } from './summary.js';
import { fieldStatements, textOf } from './vocabulary.js';

/** Manifests that are read per look-up, those of the best matches. */
const MANIFESTS_MAX = 10;
/** Declarations without a manifest that are listed, the best matches. */
const BARE_MAX = 20;

export interface LookUpOptions {
  /** Sources about content that is less similar do not count. */
  readonly minScore?: number | undefined;
  readonly trace?: Trace;
}

/** A source without its id, and whether it could be read completely. */
interface Found {
  readonly source: Omit<Source, 'id'>;
  readonly isRead: boolean;
}

export class RightsLookUp {
  readonly #service: ResolverService;
  readonly #reader: ManifestReader;
  readonly #validator: ManifestValidation;

  constructor(service: ResolverService, reader: ManifestReader, validator: ManifestValidation) {
    this.#service = service;
    this.#reader = reader;
    this.#validator = validator;
  }

  /** @throws {BindingQueryInvalid} if the text is not a code with searchable units */
  async ofCode(text: string, options: LookUpOptions): Promise<RightsReport> {
    const { iscc, units } = unitsOfCode(text);
    return report(iscc, await this.#matching([units], options));
  }

  /** What the asset says itself, and what is said about its code. */
  async ofAsset(coded: CodedAsset, options: LookUpOptions): Promise<RightsReport> {
    const { credentials, manifest, rights } = coded;
    const own = manifest && [embedded(await embeddedPart(manifest, credentials, this.#validator))];
    const bindings = distinctBindings(await bindingsOf(coded, undefined, this.#reader));
    const matching = await this.#matching(unitsOfBindings(bindings), options);
    const unread = rights === undefined ? 'metadata of this type is not read' : rights.unread;
    return report(coded.iscc, {
      found: [...(own ?? []), ...metadata(rights?.fields ?? [], unread), ...matching.found],
      isComplete: matching.isComplete,
    });
  }

  async #matching(queries: readonly (readonly string[])[], options: LookUpOptions) {
    const declarations = await this.#service.declarations(queries, options.trace);
    const withManifest = declarations.filter(({ manifestId }) => manifestId !== undefined);
    const bare = declarations.filter(({ manifestId }) => manifestId === undefined).slice(0, BARE_MAX);
    const read = withManifest.slice(0, MANIFESTS_MAX).map((one) => this.#manifest(one, options));
    return {
      found: [...(await Promise.all(read)), ...bare.map(declared)],
      isComplete: withManifest.length <= MANIFESTS_MAX,
    };
  }

  async #manifest(
    declaration: Declaration,
    { minScore = SCORE_DEFAULT, trace }: LookUpOptions,
  ): Promise<Found> {
    const part = await this.#part(declaration, trace);
    const isSimilar = declaration.score >= minScore;
    const base = declared(declaration).source;
    const distant = isSimilar ? {} : { problem: `the content is less similar than ${minScore} %` };
    return {
      source: { ...base, kind: 'manifest', ...distant, ...part, counts: isSimilar && isSigned(part) },
      isRead: part.signature !== 'notChecked',
    };
  }

  async #part({ isccId, manifestId = '' }: Declaration, trace: Trace | undefined): Promise<ManifestPart> {
    const unavailable = (problem: string) => ({ signature: 'notChecked' as const, problem, statements: [] });
    try {
      const bytes = await this.#service.manifestOf(isccId.slice('ISCC:'.length), manifestId, trace);
      // The id of the declaration: that in an unreadable store may be another.
      return { ...(await manifestPart(bytes, this.#reader, this.#validator)), manifestId };
    } catch (error) {
      if (error instanceof ResolverRefusal) return unavailable('the address has no such manifest');
      if (error instanceof RepositoryFailed) return unavailable('the address of the manifest is unreachable');
      throw error;
    }
  }
}

/** What an entry of the index says by itself: that the content was declared, by what id, and when. */
function declared({ isccId, gateway, score, manifestId }: Declaration): Found {
  const source = {
    kind: 'declaration',
    place: 'match',
    signature: 'notChecked',
    counts: false,
    statements: [],
    since: isccIdTime(isccId).toISOString(),
    sinceFrom: 'declaration',
    isccId,
    gateway,
    similarityScore: score,
    ...(manifestId !== undefined && { manifestId }),
  } as const;
  return { source: { ...source, statements: [] }, isRead: true };
}

function embedded(part: ManifestPart): Found {
  const source = { kind: 'manifest', place: 'file', ...part, counts: isSigned(part) } as const;
  return { source, isRead: part.signature !== 'notChecked' };
}

/** The fields of a file, one source per place; a source without statements if they could not be read. */
function metadata(fields: readonly RightsField[], unread: string | undefined): Found[] {
  const base = { kind: 'metadata', place: 'file', signature: 'none' } as const;
  const places = [...new Set(fields.map(({ place }) => place))];
  const found = places.map((place): Found => {
    const there = fields.filter((field) => field.place === place);
    const statements = fieldStatements(there);
    const by = textOf(there, ['plus:CopyrightOwnerName', 'dc:creator', 'dc:rights']);
    const since = textOf(there, ['xmp:MetadataDate']);
    const source = {
      ...base,
      counts: true,
      statements,
      ...(by !== undefined && { by }),
      ...(since !== undefined && { since, sinceFrom: 'metadata' as const }),
    };
    return { source, isRead: true };
  });
  const speaking = found.filter(({ source }) => source.statements.length > 0);
  if (unread === undefined) return speaking;
  return [
    ...speaking,
    { source: { ...base, counts: false, problem: unread, statements: [] }, isRead: false },
  ];
}

function report(
  iscc: string,
  { found, isComplete }: { readonly found: readonly Found[]; readonly isComplete: boolean },
): RightsReport {
  const sources = found.map(({ source }, at) => ({ id: String(at + 1), ...source }));
  const complete = isComplete && found.every(({ isRead }) => isRead);
  return { iscc, summary: summarise(sources), complete, sources };
}
