/** Metrics of the disks that hold the data folders. */
import { statfs } from 'node:fs/promises';
import { gauge, type Metric } from './instruments.js';

interface DataFolder {
  readonly service: string;
  readonly folder: string;
}

interface Disk extends DataFolder {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/** Folders of all services of the process. */
export class DataDisks {
  readonly #folders: DataFolder[] = [];

  add(service: string, folders: readonly string[]): void {
    for (const folder of new Set(folders)) this.#folders.push({ service, folder });
  }

  get metrics(): Metric[] {
    const disks = (name: string, help: string, value: (disk: Disk) => number) =>
      gauge(name, help, ['service', 'folder'], async () =>
        (await this.#read()).map((disk) => ({
          labels: { service: disk.service, folder: disk.folder },
          value: value(disk),
        })),
      );
    return [
      disks(
        'isccd_data_free_bytes',
        'Space that is free for isccd on the disk of a data folder',
        ({ freeBytes }) => freeBytes,
      ),
      disks('isccd_data_disk_bytes', 'Size of the disk of a data folder', ({ sizeBytes }) => sizeBytes),
    ];
  }

  /** Without folders that can't be read: each disk counts for itself. */
  async #read(): Promise<Disk[]> {
    const disks = await Promise.all(this.#folders.map((folder) => read(folder).catch(() => undefined)));
    return disks.filter((disk) => disk !== undefined);
  }
}

async function read({ service, folder }: DataFolder): Promise<Disk> {
  return { service, folder, ...(await diskSpace(folder)) };
}

/** Space on the disk of a folder. @throws if it can't be read */
export async function diskSpace(folder: string): Promise<Pick<Disk, 'freeBytes' | 'sizeBytes'>> {
  const { bavail, bsize, blocks } = await statfs(folder);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}
