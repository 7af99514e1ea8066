/** Copies the store's data folder, with the manifests' bytes from another place. The copy is one of a store without it. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContentBlobs } from '../../../storage/blobs/content-port.js';
import { copyBlob } from '../../../storage/blobs/port.js';
import { Copier } from '../../../storage/data/copier.js';
import { syncPath } from '../../../storage/data/durable.js';
import type { OnStep } from '../../../storage/data/port.js';
import { INSTALLATION_FILE, MANIFEST_SUFFIX, manifestFile } from './folder.js';

export class BlobCopier extends Copier {
  readonly #blobs: ContentBlobs;

  constructor(blobs: ContentBlobs, from: string, to: string) {
    super(from, to);
    this.#blobs = blobs;
  }

  /** @param file path of a manifest's bytes, as in the data folder */
  override async share(file: string): Promise<boolean> {
    if (await this.has(file)) return true;
    const blob = await this.#blobs.find(path.basename(file, MANIFEST_SUFFIX));
    if (blob === undefined) return false;
    const target = await this.targetOf(file);
    await copyBlob(blob, target);
    await syncPath(target);
    return true;
  }

  override async shareAll(_folder: string, onStep: OnStep): Promise<void> {
    for await (const { digest } of this.#blobs.list()) {
      await this.share(manifestFile(digest));
      onStep();
    }
  }

  override async copy(file: string): Promise<boolean> {
    if (file !== INSTALLATION_FILE) return super.copy(file);
    const name = await this.#blobs.name();
    if (name === undefined) return false;
    const target = await this.targetOf(file);
    await writeFile(target, `${name}\n`);
    await syncPath(target);
    return true;
  }
}
