/** The soft binding of a file (`io.iscc.v0`, IEP-0020): the units by which its manifest is found again. */
import { ISCC_ALGORITHM } from '../../c2pa/documents.js';
import { UNIT_BITS } from '../../iscc/file-meta.js';
import { native } from '../../native.js';
import { version } from '../../platform/version.js';
import { CodesRefusal, type ErrorCode } from './errors.js';
import { mediaTypeOf } from './pipeline/addon-calls.js';
import type { NamedFile, Pipeline, SourceFile } from './pipeline/pipeline.js';

export interface SoftBinding {
  /** Units of 256 bits: Meta, Semantic, Content, Data, Instance. Those that cannot identify the file are left out. */
  readonly units: readonly string[];
  /** The ISCC-SEQ of the units. */
  readonly value: Buffer;
  /** Why units were left out, one sentence each. */
  readonly notes: readonly string[];
}

/** Documents that have no readable text are bound by their bytes. */
const WITHOUT_TEXT: ReadonlySet<ErrorCode> = new Set([
  'FILE_EMPTY',
  'FILE_NO_TEXT',
  'FILE_DAMAGED',
  'FILE_ENCRYPTED',
  'FORMAT_UNSUPPORTED',
]);

/**
 * The soft binding that iscc-sdk 0.9.7 makes. The Meta-Code covers title and description of the file, never the file
 * name; a featureless Image-Code and the Text-Code of an empty text are left out.
 *
 * @param pipeline must accept unsupported media types
 */
export async function softBinding(
  pipeline: Pipeline,
  file: NamedFile,
  options: { readonly semantic: boolean },
): Promise<SoftBinding> {
  const source = await pipeline.open(file.path, file.filename);
  const { units, notes } = await mediaUnits(pipeline, source, options.semantic);
  const all = [...units, ...source.sum.units];
  return { units: all, value: native.encodeSeq(all, true), notes };
}

interface MediaUnits {
  readonly units: readonly string[];
  readonly notes: readonly string[];
}

/** Meta-, Semantic- and Content-Code. */
async function mediaUnits(pipeline: Pipeline, file: SourceFile, semantic: boolean): Promise<MediaUnits> {
  const { mode } = mediaTypeOf(file.filename, file.head);
  const { signal } = new AbortController();
  const options = { granular: false, semantic };
  try {
    const { result, nameWasRead } = await pipeline.process(file, options, signal);
    if (result.mode === undefined) return bytesOnly('the media type is not supported');
    const meta = nameWasRead ? await metaUnit(result) : [];
    if (result.characters === 0) return { units: meta, notes: ['no Text-Code: the document has no text'] };
    // The first is the Meta-Code, the last two are Data- and Instance-Code.
    return withoutFeatureless(meta, result.units.slice(1, -2));
  } catch (error) {
    if (!(mode === 'text' && error instanceof CodesRefusal && WITHOUT_TEXT.has(error.code))) throw error;
    const meta = await metaUnit(await pipeline.extract(file));
    return { units: meta, notes: [`no Text-Code: ${error.message}`] };
  }
}

function bytesOnly(reason: string): MediaUnits {
  return { units: [], notes: [`Data-Code and Instance-Code only: ${reason}`] };
}

function withoutFeatureless(meta: readonly string[], content: readonly string[]): MediaUnits {
  const kept = content.filter((unit) => !native.isFeatureless(unit));
  const notes = kept.length < content.length ? ['no Image-Code: the image is featureless'] : [];
  return { units: [...meta, ...kept], notes };
}

/** Without extended metadata, because readers of a manifest do not have it. */
async function metaUnit(fields: {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}): Promise<string[]> {
  const { name = '', description } = fields;
  if ((await native.textClean(name)).trim() === '') return [];
  const { iscc } = await native.metaCode({ name, ...(description ? { description } : {}) }, UNIT_BITS);
  return [iscc];
}

const INFORMATION = 'https://ieps.iscc.codes/iep-0020/';

/** The assertion `c2pa.soft-binding` for a manifest definition, with the value as a list of bytes. */
export function softBindingAssertion({ value }: SoftBinding): object {
  return {
    label: 'c2pa.soft-binding',
    created: true,
    data: {
      alg: ISCC_ALGORITHM,
      blocks: [{ scope: {}, value: [...value] }],
      bindingMetadata: {
        informationalUrl: INFORMATION,
        'io.iscc.generator': { name: 'isccd', version },
      },
    },
  };
}

/** {@link softBindingAssertion} as indented JSON with the value on one line, as the reference prints it. */
export function softBindingText(binding: SoftBinding): string {
  const text = JSON.stringify(softBindingAssertion(binding), undefined, 2);
  return text.replace(/\[\s*\d[\d,\s]*\]/, `[${[...binding.value].join(', ')}]`);
}
