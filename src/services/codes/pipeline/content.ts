/** Runs content and extract jobs: the format module reads the file, then the Meta-Code is made from its metadata. */
import { native } from '../../../native.js';
import { present } from '../../../platform/present.js';
import { titleFromFilename } from '../filename.js';
import type { EmbeddedMetadata } from '../result.js';
import { UNIT_BITS } from './addon-calls.js';
import { checkBoxes } from './formats/cost.js';
import type { FormatContent } from './formats/format.js';
import { loadFormat } from './formats/table.js';
import type { ContentJob, ExtractJob, FileContent } from './jobs.js';
import { limitedFacts, limitedMetadata } from './metadata-limits.js';
import type { Stopwatch } from './stopwatch.js';

export async function contentOf(job: ContentJob, watch: Stopwatch): Promise<FileContent> {
  checkBoxes(job);
  const format = await loadFormat(job.format);
  const content = await format.content(job, watch);
  return watch.measure('meta', () => withMetaCode(content, job));
}

/** Metadata embedded in the file. */
export async function metadataOf(job: ExtractJob): Promise<EmbeddedMetadata> {
  checkBoxes(job);
  const format = await loadFormat(job.format);
  return limitedMetadata(await format.metadata(job));
}

async function withMetaCode(content: FormatContent, job: ContentJob): Promise<FileContent> {
  const { unit, semanticUnit, metadata: embedded, facts, ...rest } = content;
  const { given = {}, filename } = job;
  const read = job.ignoresMetadata ? {} : limitedMetadata(embedded);
  const name = await titleOf(given.name ?? read.name, filename);
  const { description, meta } = { ...read, ...present(given) };
  const code = await native.metaCode(
    { name, ...(description ? { description } : {}), ...metaInput(meta) },
    UNIT_BITS,
  );
  return {
    ...rest,
    facts: limitedFacts(facts),
    units: [code.iscc, ...(semanticUnit === undefined ? [] : [semanticUnit]), unit],
    metahash: code.metahash,
    // Name and description as hashed: normalised and cut to their limits.
    metadata: {
      ...read,
      ...(given.description !== undefined && { description: undefined }),
      ...(given.meta !== undefined && { meta: code.meta }),
      name: code.name,
      ...(code.description ? { description: code.description } : {}),
    },
    nameWasRead: given.name === undefined && read.name !== undefined,
  };
}

/** The title, unless nothing of it remains after normalisation; then the file name without extension. */
async function titleOf(title: string | undefined, filename: string): Promise<string> {
  const isEmpty = title === undefined || (await native.textClean(title)).trim() === '';
  return isEmpty ? titleFromFilename(filename) : title;
}

/** Extended metadata is a Data-URL or, from a caller, also JSON. */
function metaInput(meta: string | undefined): { meta?: string; metaJson?: string } {
  if (!meta) return {};
  return /^data:/i.test(meta) ? { meta } : { metaJson: meta };
}
