/** Runs content and extract jobs: the format module reads the file, then the Meta-Code is made from its metadata. */
import { limitedFields, titled } from '../../../iscc/file-meta.js';
import { native } from '../../../native.js';
import type { EmbeddedMetadata } from '../result.js';
import { checkBoxes } from './formats/cost.js';
import type { FormatContent } from './formats/format.js';
import { loadFormat } from './formats/table.js';
import type { ContentJob, ExtractJob, FileContent } from './jobs.js';
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
  return limitedFields(await format.metadata(job));
}

async function withMetaCode(content: FormatContent, job: ContentJob): Promise<FileContent> {
  const { unit, semanticUnit, metadata: embedded, facts, ...rest } = content;
  const read = job.ignoresMetadata ? {} : embedded;
  const { unit: meta, ...file } = await titled(native, job.filename, { ...read }, job.given);
  return {
    ...rest,
    ...file,
    facts: limitedFields(facts),
    units: [meta, ...(semanticUnit === undefined ? [] : [semanticUnit]), unit],
  };
}
