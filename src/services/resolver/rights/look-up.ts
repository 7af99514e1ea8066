/** Looks up who says what about mining and training of a content, and about the part of AI in making it. */
import { bindingsOf, distinctBindings } from '../../../c2pa/content-query.js';
import type { ManifestReader, ManifestValidation } from '../../../c2pa/manifest-reader.js';
import type { CodedAsset } from '../../../content/coder.js';
import type { RightsField } from '../../../content/rights.js';
import { canonicalIsccId, isccIdTime, isIsccId } from '../../../iscc/iscc-id.js';
import type { Trace } from '../../../platform/observe/trace.js';
import { unitsOfCode } from '../code-units.js';
import { RepositoryFailed, ResolverRefusal } from '../errors.js';
import { type Declaration, type ResolverService, unitsOfBindings } from '../service.js';
import type { AddressReader } from './address-reader.js';
import { fieldDisclosures } from './disclosure.js';
import { embeddedPart, isSigned, type ManifestPart, manifestPart } from './manifest-source.js';
import { type RightsReport, SCORE_DEFAULT, type Source } from './schema.js';
import { answersOf, summarise } from './summary.js';
import { fieldStatements, textOf } from './vocabulary.js';

/** Manifests that are read per look-up, those of the best matches. */
const MANIFESTS_MAX = 10;
/** Declarations without a manifest that are listed, the best matches, and those of them whose address is read. */
const BARE_MAX = 20;
const ADDRESSES_MAX = 10;

export interface LookUpOptions {
  /** Sources about content that is less similar do not count. */
  readonly minScore?: number | undefined;
  /** Address that the content comes from. */
  readonly sourceUrl?: string | undefined;
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
  readonly #addresses: AddressReader;

  constructor(
    service: ResolverService,
    {
      reader,
      validator,
      addresses,
    }: { reader: ManifestReader; validator: ManifestValidation; addresses: AddressReader },
  ) {
    this.#service = service;
    this.#reader = reader;
    this.#validator = validator;
    this.#addresses = addresses;
  }

  /** @throws {BindingQueryInvalid} if the text is not a code with searchable units */
  async ofCode(text: string, options: LookUpOptions): Promise<RightsReport> {
    const { iscc, units } = unitsOfCode(text);
    return report(iscc, await this.#matching([units], iscc, options));
  }

  /** What the asset says itself, and what is said about its code. */
  async ofAsset(coded: CodedAsset, options: LookUpOptions): Promise<RightsReport> {
    const { credentials, manifest, rights } = coded;
    const own = manifest && [embedded(await embeddedPart(manifest, credentials, this.#validator))];
    const bindings = distinctBindings(await bindingsOf(coded, undefined, this.#reader));
    const matching = await this.#matching(unitsOfBindings(bindings), coded.iscc, options);
    const unread = rights === undefined ? 'metadata of this type is not read' : rights.unread;
    return report(coded.iscc, {
      found: [...(own ?? []), ...metadata(rights?.fields ?? [], unread), ...matching.found],
      isComplete: matching.isComplete,
    });
  }

  async #matching(queries: readonly (readonly string[])[], iscc: string, options: LookUpOptions) {
    const { sourceUrl, trace } = options;
    const named = sourceUrl === undefined ? [] : this.#named(sourceUrl, iscc, trace);
    const declarations = await this.#service.declarations(queries, trace);
    const withManifest = declarations.filter(({ manifestId }) => manifestId !== undefined);
    const bare = declarations.filter(({ manifestId }) => manifestId === undefined).slice(0, BARE_MAX);
    const read = withManifest.slice(0, MANIFESTS_MAX).map((one) => this.#manifest(one, options));
    const addressed = bare.map(async (one, at) =>
      at < ADDRESSES_MAX ? this.#addressed(one, iscc, options) : [declared(one)],
    );
    const found = [await named, await Promise.all(read), ...(await Promise.all(addressed))];
    return {
      found: found.flat(),
      isComplete: withManifest.length <= MANIFESTS_MAX && bare.length <= ADDRESSES_MAX,
    };
  }

  /** What the address that the content comes from says. */
  async #named(address: string, iscc: string, trace: Trace | undefined): Promise<Found[]> {
    const { parts, problem } = await this.#addresses.read(address, trace);
    const found = parts.map(({ iscc: name, ...part }): Found => {
      const isOther = name !== undefined && name !== iscc;
      const counts = !isOther && part.signature !== 'invalid';
      return {
        source: { place: 'address', ...part, ...(isOther && OTHER_CONTENT), counts },
        isRead: true,
      };
    });
    if (problem === undefined) return found;
    const unread = { kind: 'http', place: 'address', signature: 'none', counts: false, address } as const;
    return [...found, { source: { ...unread, problem, statements: [] }, isRead: false }];
  }

  /** What the address of a declaration says; the declaration itself if that says nothing. */
  async #addressed(
    declaration: Declaration,
    iscc: string,
    { minScore = SCORE_DEFAULT, trace }: LookUpOptions,
  ): Promise<Found[]> {
    const { isccId, gateway, score } = declaration;
    const { parts, problem } = await this.#addresses.read(gateway, trace);
    const isSimilar = score >= minScore;
    const place = { place: 'match', isccId, gateway, similarityScore: score } as const;
    const found = parts.map(async ({ iscc: name, ...part }): Promise<Found> => {
      const isNamed = name === undefined || (await this.#names(name, declaration, iscc, trace));
      const problems = { ...(!isSimilar && distant(minScore)), ...(!isNamed && OTHER_CONTENT) };
      const counts = isSimilar && isNamed && part.signature !== 'invalid';
      return { source: { ...place, ...part, ...problems, counts }, isRead: true };
    });
    if (problem === undefined && found.length > 0) return Promise.all(found);
    const { source } = declared(declaration);
    const itself = { ...source, ...(problem !== undefined && { problem }) };
    return [...(await Promise.all(found)), { source: itself, isRead: problem === undefined }];
  }

  /** Whether an object is about the declared content: by its ISCC-ID, or by the code of it or of the query. */
  async #names(
    name: string,
    { isccId }: Declaration,
    iscc: string,
    trace: Trace | undefined,
  ): Promise<boolean> {
    if (isIsccId(name)) return canonicalIsccId(name) === canonicalIsccId(isccId);
    return name === iscc || name === (await this.#service.codeOf(isccId, trace));
  }

  async #manifest(
    declaration: Declaration,
    { minScore = SCORE_DEFAULT, trace }: LookUpOptions,
  ): Promise<Found> {
    const part = await this.#part(declaration, trace);
    const isSimilar = declaration.score >= minScore;
    const base = declared(declaration).source;
    return {
      source: {
        ...base,
        kind: 'manifest',
        ...(!isSimilar && distant(minScore)),
        ...part,
        counts: isSimilar && isSigned(part),
      },
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

const OTHER_CONTENT = { problem: 'it names another content' } as const;

function distant(minScore: number): { readonly problem: string } {
  return { problem: `the content is less similar than ${minScore} %` };
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
    const disclosures = fieldDisclosures(there);
    const by = textOf(there, ['plus:CopyrightOwnerName', 'dc:creator', 'dc:rights']);
    const since = textOf(there, ['xmp:MetadataDate']);
    const source = {
      ...base,
      counts: true,
      statements,
      ...(disclosures.length > 0 && { disclosures }),
      ...(by !== undefined && { by }),
      ...(since !== undefined && { since, sinceFrom: 'metadata' as const }),
    };
    return { source, isRead: true };
  });
  const speaking = found.filter(
    ({ source: { statements, disclosures } }) => statements.length > 0 || disclosures !== undefined,
  );
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
  const summary = summarise(sources);
  return { iscc, answers: answersOf(sources, summary), summary, complete, sources };
}
