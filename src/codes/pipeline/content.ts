/** Runs content and extract jobs: the format module reads the file, then the Meta-Code is made from its metadata. */
import { native } from '../../native.js';
import { titleFromFilename } from '../filename.js';
import type { EmbeddedMetadata } from '../result.js';
import { UNIT_BITS } from './addon-calls.js';
import type { FormatContent } from './formats/format.js';
import { loadFormat } from './formats/table.js';
import type { ContentJob, ExtractJob, FileContent } from './jobs.js';
import { limitedFacts, limitedMetadata } from './metadata-limits.js';
import type { Stopwatch } from './stopwatch.js';

export async function contentOf(job: ContentJob, watch: Stopwatch): Promise<FileContent> {
  const format = await loadFormat(job.format);
  const content = await format.content(job, watch);
  return watch.measure('meta', () => withMetaCode(content, job.filename));
}

/** Metadata embedded in the file. */
export async function metadataOf(job: ExtractJob): Promise<EmbeddedMetadata> {
  const format = await loadFormat(job.format);
  return limitedMetadata(await format.metadata(job));
}

async function withMetaCode(content: FormatContent, filename: string): Promise<FileContent> {
  const { unit, semanticUnit, metadata: read, facts, ...rest } = content;
  const metadata = limitedMetadata(read);
  const { description, meta } = metadata;
  const name = metadata.name ?? titleFromFilename(filename);
  const code = await native.metaCode(
    { name, ...(description ? { description } : {}), ...(meta ? { meta } : {}) },
    UNIT_BITS,
  );
  return {
    ...rest,
    facts: limitedFacts(facts),
    units: [code.iscc, ...(semanticUnit === undefined ? [] : [semanticUnit]), unit],
    metahash: code.metahash,
    // Name and description as hashed: normalised and cut to their limits.
    metadata: {
      ...metadata,
      name: code.name,
      ...(code.description ? { description: code.description } : {}),
    },
    nameWasRead: metadata.name !== undefined,
  };
}
