/** Content jobs: a format gives what is in the file, and the Meta-Code is made of what it says about itself. */
import { native } from '../../native.js';
import { titleFromFilename } from '../filename.js';
import type { EmbeddedMetadata } from '../result.js';
import type { FormatContent } from './formats/format.js';
import { loadFormat } from './formats/table.js';
import type { Content, ContentJob, ExtractJob } from './jobs.js';
import { limitedFacts, limitedMetadata } from './metadata-limits.js';
import type { Stopwatch } from './stopwatch.js';
import { UNIT_BITS } from './units.js';

export async function contentOf(job: ContentJob, watch: Stopwatch): Promise<Content> {
  const format = await loadFormat(job.format);
  const content = await format.content(job, job, watch);
  return watch.measure('meta', () => withMetaCode(content, job.filename));
}

/** What a file says about itself. */
export async function metadataOf(job: ExtractJob): Promise<EmbeddedMetadata> {
  const format = await loadFormat(job.format);
  return limitedMetadata(await format.metadata(job));
}

async function withMetaCode(content: FormatContent, filename: string): Promise<Content> {
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
    // As they went into the code: cleaned and cut.
    metadata: {
      ...metadata,
      name: code.name,
      ...(code.description ? { description: code.description } : {}),
    },
  };
}
