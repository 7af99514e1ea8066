/** What readers see of a manifest instead of its bytes: a summary, its thumbnail, and all that it contains. */
import type { ManifestReader } from '../../c2pa/manifest-reader.js';
import { manifestUrl } from '../../c2pa/manifest-url.js';
import { present } from '../../platform/present.js';
import { Slots } from '../../platform/slots.js';
import { StoreRefusal } from './errors.js';
import type { Manifests } from './manifests/manifests.js';
import type { ClaimedFacts, ManifestSummary } from './schema.js';
import { type FoundManifest, type StoreService, throwRefusal } from './service.js';
import { declarationView } from './upload-answer.js';
import type { Validator } from './validation/validator.js';

/** Manifests read concurrently: each takes one thread for some milliseconds. */
const READS_MAX = 2;
const READS_WAITING_MAX = 64;
const RETRY_AFTER_SECONDS = 1;
/** Manifests of which it is remembered whether they have a thumbnail. */
const REMEMBERED_MAX = 10_000;
const DATA_URL = /^data:(image\/[a-z]+);base64,(.+)$/;

export interface Thumbnail {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The addon's summary. The database has it without the thumbnail. */
interface Described extends Partial<ClaimedFacts> {
  readonly trustList?: string;
  readonly timeStampList?: string;
  readonly identityList?: string;
  /** Data URL. */
  readonly thumbnail?: string;
}

export class ManifestViews {
  readonly #service: StoreService;
  readonly #manifests: Manifests;
  readonly #url: string;
  readonly #validator: Validator;
  readonly #reader: ManifestReader;
  readonly #slots = new Slots(READS_MAX, READS_WAITING_MAX);
  /** By SHA-256. */
  readonly #hasThumbnail = new Map<string, boolean>();

  /** @param url public base address of the store */
  constructor(
    service: StoreService,
    {
      manifests,
      validator,
      reader,
      url,
    }: { manifests: Manifests; validator: Validator; reader: ManifestReader; url: string },
  ) {
    this.#service = service;
    this.#manifests = manifests;
    this.#validator = validator;
    this.#reader = reader;
    this.#url = url;
  }

  /** @throws {StoreRefusal} if the manifest is unknown or deleted, its file is missing, or too many reads are waiting */
  async summary(manifestId: string): Promise<ManifestSummary> {
    const file = await this.#service.fetch(manifestId);
    const stored = await this.#service.live(manifestId);
    const kept = await this.#manifests.summary(stored.key);
    // Without one, the manifest has not been indexed again since an update.
    const facts = kept === null ? ((await this.#describe(file)) ?? {}) : (JSON.parse(kept) as Described);
    const address = manifestUrl(this.#url, manifestId);
    return {
      manifestId,
      manifestUrl: address,
      sha256: stored.sha256,
      size: stored.size,
      storedAt: new Date(stored.uploadedAt).toISOString(),
      trusted: stored.trusted,
      ...present({
        trustList: stored.trusted ? facts.trustList : undefined,
        timeStampList: facts.timeStampList,
        identityList: facts.identityList,
      }),
      declaration: declarationView(stored),
      ...claimed(facts),
      ...((await this.#isPictured(file)) && { thumbnailUrl: `${address}/thumbnail` }),
    };
  }

  /**
   * All that the Manifest Store contains, as the detailed JSON of a C2PA reader. Equal for equal bytes and anchors.
   *
   * @throws {StoreRefusal} like {@link summary}, and if there is no such form of the store
   */
  async details(manifestId: string): Promise<string> {
    const file = await this.#service.fetch(manifestId);
    const details = await this.#read(file, (bytes) => this.#validator.details(bytes)).catch(throwRefusal);
    if (details === null) throw new StoreRefusal('NO_DETAILS');
    return details;
  }

  /** @throws {StoreRefusal} like {@link summary}, and if the manifest has no thumbnail */
  async thumbnail(manifestId: string): Promise<Thumbnail & Pick<FoundManifest, 'sha256'>> {
    const file = await this.#service.fetch(manifestId);
    const described = await this.#describe(file);
    const [, contentType, base64] = DATA_URL.exec(described?.thumbnail ?? '') ?? [];
    if (contentType === undefined || base64 === undefined) throw new StoreRefusal('NO_THUMBNAIL');
    return { contentType, bytes: Buffer.from(base64, 'base64'), sha256: file.sha256 };
  }

  /** @throws {StoreRefusal} like {@link summary} */
  async hasThumbnail(manifestId: string): Promise<boolean> {
    return this.#isPictured(await this.#service.fetch(manifestId));
  }

  async #isPictured(file: FoundManifest): Promise<boolean> {
    return this.#hasThumbnail.get(file.sha256) ?? (await this.#describe(file))?.thumbnail !== undefined;
  }

  /** `undefined` if the addon cannot read it, or not within its time limit. */
  async #describe(file: FoundManifest): Promise<Described | undefined> {
    const json = await this.#read(file, (bytes) => this.#reader.describe(bytes)).catch(throwRefusal);
    if (json === null) return undefined;
    const described = JSON.parse(json) as Described;
    if (this.#hasThumbnail.size >= REMEMBERED_MAX) this.#hasThumbnail.clear();
    this.#hasThumbnail.set(file.sha256, described.thumbnail !== undefined);
    return described;
  }

  async #read<T>(file: FoundManifest, read: (bytes: Uint8Array) => Promise<T>): Promise<T> {
    const done = await this.#slots.tryRun(async () => ({
      value: await read(await this.#service.read(file)),
    }));
    if (done === undefined) throw new StoreRefusal('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
    return done.value;
  }
}

function claimed({ title, format, signer, issuer, time, claimGenerator, ...rest }: Described): ClaimedFacts {
  const { actions = [], ingredients = [], training = {} } = rest;
  return {
    ...(title !== undefined && { title }),
    ...(format !== undefined && { format }),
    ...(signer !== undefined && { signer }),
    ...(issuer !== undefined && { issuer }),
    ...(time !== undefined && { time }),
    ...(claimGenerator !== undefined && { claimGenerator }),
    actions,
    ingredients,
    training,
  };
}
