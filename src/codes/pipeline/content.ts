/** Content jobs: a format gives what is in the file, and the Meta-Code is made of what it says about itself. */
import { native } from '../../native.js';
import type { FormatContent } from './formats/format.js';
import { loadFormat } from './formats/table.js';
import type { Content, ContentJob } from './jobs.js';
import type { Stopwatch } from './stopwatch.js';
import { UNIT_BITS } from './units.js';

export async function contentOf(job: ContentJob, watch: Stopwatch): Promise<Content> {
  const format = await loadFormat(job.format);
  const content = await format.content(job, job, watch);
  return watch.measure('meta', () => withMetaCode(content, job.filename));
}

async function withMetaCode(content: FormatContent, filename: string): Promise<Content> {
  const { unit, semanticUnit, metadata, ...rest } = content;
  const { description, meta } = metadata;
  const name = metadata.name ?? titleFromFilename(filename);
  const code = await native.metaCode(
    { name, ...(description ? { description } : {}), ...(meta ? { meta } : {}) },
    UNIT_BITS,
  );
  return {
    ...rest,
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

/** `my-notes_v2.txt` is called "my notes v2". */
export function titleFromFilename(filename: string): string {
  const stem = filename.replace(/(?<=[^.])\.[^.]*$/, '');
  return stem.replace(/[-_]/g, ' ');
}
