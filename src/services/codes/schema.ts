/**
 * Schemas of requests and responses. The OpenAPI document is generated from them. Names of schemas and operations are those
 * of the reference, where it has them.
 */
import { z } from 'zod';
import { filenameParameter } from '../../content/sent-filename.js';
import { MEDIA_ID_PATTERN, type MediaId } from './uploads/media-id.js';

export const NAME_CHARACTERS_MAX = 128;
export const DESCRIPTION_CHARACTERS_MAX = 4096;
export const META_CHARACTERS_MAX = 16384;

export const mediaIdParams = z.object({
  media_id: z
    .string()
    .regex(MEDIA_ID_PATTERN)
    .transform((text) => text as MediaId)
    .describe('Id of an upload'),
});

export const isccParams = z.object({
  iscc: z.string().min(1).describe('An ISCC in any form, with or without the `ISCC:` prefix'),
});

export const uploadHeaders = z.object({
  'x-upload-filename': z
    .string()
    .optional()
    .describe(
      'Base64 of the UTF-8 file name, unless the parameter `filename` names the file. Characters that file systems reserve are removed; of a Windows path only the ' +
        'last part is kept.',
    )
    .meta({ example: 'cGhvdG8uanBn' }),
});

export const uploadQuery = z.object({ filename: filenameParameter });

const base64Text = z.string().optional();

/** Headers of a file that gets its code. */
export const processHeaders = z.object({
  'x-upload-filename': uploadHeaders.shape['x-upload-filename'].describe(
    'As for `POST /media`; may be absent if the file comes from a source, which names it',
  ),
  'x-upload-source': z
    .string()
    .max(8192)
    .optional()
    .describe(
      'Address of the file, instead of a body; so is the first line of a body of type `text/uri-list`. Only for ' +
        'servers in `CODEWEB_SOURCES`',
    ),
  'x-upload-name': base64Text.describe('Base64 of the UTF-8 title, which replaces the title in the file'),
  'x-upload-description': base64Text.describe(
    'Base64 of the UTF-8 description, which replaces that in the file',
  ),
  'x-upload-meta': base64Text.describe(
    'Extended metadata for the Meta-Code: a base64 Data-URL, as `isccd seed` prints it, its base64, or the ' +
      'base64 of a JSON object',
  ),
  'x-upload-metadata': base64Text.describe(
    'Base64 of a JSON object with `name`, `description` and `meta`; the single headers have priority',
  ),
});

/** `true`, `false`, `1` or `0` in any case. */
const flag = z
  .string()
  .refine((text) => /^(?:true|false|[01])$/i.test(text), 'must be true, false, 1 or 0')
  .meta({ type: 'boolean' })
  .transform((text) => text === '1' || text.toLowerCase() === 'true')
  .optional();

/** Long enough to avoid accidental collisions between clients behind the same address. */
const progressKey = z.string().regex(/^[A-Za-z0-9_-]{16,64}$/, 'must be 16 to 64 letters, digits, _ or -');

export const processQuery = uploadQuery.extend({
  semantic: flag.describe('Add the experimental Semantic-Code unit (text and images)'),
  granular: flag.describe(
    'Include granular simprints in `features`: of texts, and of audio and video with `CODESDK_GRANULAR_MEDIA`',
  ),
  fallback: z
    .enum(['sum', 'off'])
    .optional()
    .describe(
      '`sum`: a damaged, encrypted or too short file gets an ISCC-SUM with a `note` instead of an error',
    ),
  compat: z
    .enum(['exact', 'better'])
    .optional()
    .describe(
      '`exact`: codes equal those of iscc-sdk; `better`: they also have what iscc-sdk loses: gray levels of more than ' +
        '8 bits, values of PDF forms, text beside the box of turned PDF pages, characters beyond U+FFFF such as emoji',
    ),
  progress: progressKey.optional().describe('Key chosen by the client to query `/progress/{key}`'),
});

export const progressParams = z.object({
  key: progressKey.describe('The `progress` key of an upload of the same client'),
});

export const progressQuery = z.object({
  after: z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text), 'must be a whole number')
    .meta({ type: 'integer', minimum: 0, maximum: 999_999_999 })
    .transform(Number)
    .optional()
    .describe('`changes` of the last response; waits up to 8 s for more'),
});

export const progress = z
  .object({
    changes: z.int().nonnegative(),
    done: z.boolean().describe('Whether the upload has been answered'),
    steps: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          ms: z.number().optional().describe('Milliseconds; absent until the step ends'),
          percent: z.int().optional().describe('How much of the step is done; for films and long sound'),
        }),
      )
      .describe('In starting order'),
  })
  .meta({ id: 'Progress' });

export const featureSet = z
  .object({
    maintype: z.enum(['content', 'semantic']),
    subtype: z
      .enum(['text', 'audio', 'video'])
      .describe('`audio` and `video` are experimental, and only there with `CODESDK_GRANULAR_MEDIA`'),
    version: z.int().nonnegative(),
    byte_offsets: z
      .boolean()
      .optional()
      .describe(
        'Unit of offsets and sizes in a text: UTF-8 bytes if true, else characters; absent for audio and video, where it is milliseconds',
      ),
    simprints: z.array(z.string()).describe('256-bit simprints, base64url'),
    offsets: z.array(z.int().nonnegative()),
    sizes: z.array(z.int().nonnegative()),
  })
  .meta({ id: 'FeatureSet' });

const embedded = {
  name: z.string().optional().describe('Title of the work'),
  description: z.string().optional(),
  meta: z.string().optional().describe('Data-URL with further metadata'),
  creator: z.string().optional(),
  license: z.string().optional(),
  acquire: z.string().optional(),
  credit: z.string().optional(),
  rights: z.string().optional(),
  identifier: z.string().optional(),
};

export const storedResult = z
  .object({
    '@context': z.url(),
    '@type': z.enum(['CreativeWork', 'TextDigitalDocument', 'ImageObject', 'AudioObject', 'VideoObject']),
    $schema: z.url(),
    iscc: z.string().describe('ISCC-CODE with its `ISCC:` prefix'),
    ...embedded,
    keywords: z.string().optional(),
    mode: z.enum(['text', 'image', 'audio', 'video']).optional(),
    filename: z.string(),
    filesize: z.int().nonnegative().describe('Bytes'),
    mediatype: z.string(),
    duration: z.number().optional().describe('Seconds'),
    fps: z.number().optional(),
    width: z.int().nonnegative().optional().describe('Pixels'),
    height: z.int().nonnegative().optional().describe('Pixels'),
    characters: z.int().nonnegative().optional(),
    language: z.string().optional(),
    features: z.array(featureSet).optional(),
    units: z.array(z.string()).describe('ISCC-UNITs of 256 bits'),
    generator: z.string(),
    thumbnail: z.string().optional().describe('Data-URL of a WebP image'),
    metahash: z.string().optional(),
    datahash: z.string(),
    note: z
      .string()
      .optional()
      .describe(
        'A code and its text: why there is no Content-Code (an error code, with `fallback=sum`), or what it lacks of ' +
          'the file (see `compat`)',
      ),
  })
  .meta({ id: 'StoredIsccMetadata' });

const links = {
  media_id: z.string(),
  content: z.url().describe('Download URL of the file'),
};

export const isccResult = storedResult.extend(links).meta({ id: 'IsccMetadata' });

export const embedResult = isccResult
  .extend({
    not_embedded: z
      .array(z.string())
      .optional()
      .describe('Submitted fields that a fresh extraction of the copy does not show; absent if it shows all'),
  })
  .meta({ id: 'EmbedResult' });

export const uploadResult = z.object(links).meta({ id: 'UploadResponse' });

export const embeddedMetadata = z.object(embedded).meta({ id: 'EmbeddedMetadata' });

const DATA_URL = /^data:[^,]*;base64,(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/;
const WEB_SCHEME = /^(?:https?|ftp):/i;
/** Programs that show metadata make links of addresses; these would run in their pages. */
const RUNNABLE = /^(?:javascript|vbscript|data):/i;
const WEB_HOST = /^\w+:\/\/[^/?#]/;
/** A name without any such character becomes empty when normalised. */
const VISIBLE = /[^\p{C}\p{Z}]/u;

/** A string that XML can hold, with at most `charactersMax` code points. */
function text(charactersMax?: number) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to reject
  const unstorable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u;
  const clean = z.string().refine((value) => !unstorable.test(value), 'has characters that XML can not hold');
  if (charactersMax === undefined) return clean;
  return clean
    .refine((value) => characters(value, charactersMax), `must have at most ${charactersMax} characters`)
    .meta({ maxLength: charactersMax });
}

function characters(value: string, max: number): boolean {
  return value.length <= max || [...value].length <= max;
}

function isAbsoluteUri(value: string): boolean {
  if (!WEB_SCHEME.test(value)) return ABSOLUTE_URI.test(value);
  return ABSOLUTE_URI.test(value) && WEB_HOST.test(value) && URL.canParse(value);
}

const uri = text()
  .refine(isAbsoluteUri, 'must be an absolute URI')
  .refine(
    (value) => !RUNNABLE.test(value),
    'must be the address of a page or an identifier, not a script or data',
  )
  .meta({ format: 'uri' });

const keywords = z
  .union([text(), z.array(text())], 'must be text with commas between keywords, or an array of texts')
  .refine(
    (value) => typeof value === 'string' || !value.some((keyword) => keyword.includes(',')),
    'a keyword must not contain a comma, which separates keywords',
  )
  .transform((value) => (typeof value === 'string' ? value : value.join(', ')));

/** Clients that serialise a model with all its fields send `null` for missing ones. */
function optional<T extends z.ZodType>(field: T) {
  return field.nullish().transform((value) => value ?? undefined);
}

/** Inputs of the Meta-Code. */
export const submittedFields = {
  name: optional(text(NAME_CHARACTERS_MAX).refine((value) => VISIBLE.test(value), 'must not be empty')),
  description: optional(text(DESCRIPTION_CHARACTERS_MAX)),
  meta: optional(
    text(META_CHARACTERS_MAX).refine((value) => DATA_URL.test(value), 'must be a base64 Data-URL'),
  ),
};

export const embedRequest = z
  .object({
    ...submittedFields,
    identifier: optional(text()),
    creator: optional(text()),
    license: optional(uri),
    acquire: optional(uri),
    credit: optional(text()),
    rights: optional(text()),
    keywords: optional(keywords),
  })
  .meta({ id: 'InlineMetadata' });

export type EmbedRequest = z.output<typeof embedRequest>;

const unit = z
  .object({
    iscc_unit: z.string(),
    readable: z.string(),
    hash_hex: z.string(),
    hash_uint: z.string(),
    hash_bits: z.string(),
    featureless: z
      .literal(true)
      .optional()
      .describe('Present for an Image-Code without features, whose matches mean nothing'),
  })
  .meta({ id: 'IsccUnit' });

export const explanation = z
  .object({
    iscc: z.string(),
    readable: z.string(),
    multiformat: z.string(),
    decomposed: z.string(),
    units: z.array(unit),
  })
  .meta({ id: 'IsccDetail' });

export const simprintRequest = z.object({ text: z.string().min(1) }).meta({ id: 'SimprintRequest' });

export const simprintResult = z
  .object({
    CONTENT_TEXT_V0: z.array(z.string()),
    SEMANTIC_TEXT_V0: z.array(z.string()).optional(),
  })
  .meta({ id: 'Simprints' });
