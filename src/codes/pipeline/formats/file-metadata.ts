/** What the addon read from a file, divided into what is embedded metadata and what is a fact. */
import type { EmbeddedMetadata } from '../../result.js';

export interface FileMetadata extends EmbeddedMetadata {
  readonly language?: string | undefined;
}

export function ownMetadata(read: FileMetadata): {
  readonly metadata: EmbeddedMetadata;
  readonly language: string | undefined;
} {
  const { language, ...metadata } = read;
  return { metadata, language };
}
