/** How a scan names files: by their paths, or in a workspace by the label of their folder. */
import path from 'node:path';
import { isWithin } from './watched-folder.js';

export interface Naming {
  /** The location of a file that reports show. */
  readonly locationOf: (shown: string) => string;
  /** Identifies a file in the records, also for a later scan. */
  readonly locate: (file: string) => string;
  /** The name in reports. */
  readonly show: (file: string) => string;
}

/** Names as they are found below the folders of the command. */
export const PATHS: Naming = {
  locate: (file) => path.resolve(file),
  show: (file) => file,
  locationOf: (shown) => path.resolve(shown),
};

/** Names that hold for all scans of a workspace: absolute, or below the label of their folder. */
export function workspaceNaming(folder: string, label: string | undefined): Naming {
  const root = path.resolve(folder);
  const locate = (file: string) => {
    const absolute = path.resolve(file);
    if (label === undefined || !isWithin(absolute, root)) return absolute;
    const below = path.relative(root, absolute).replaceAll(path.sep, '/');
    return below === '' ? label : `${label}/${below}`;
  };
  return { locate, show: locate, locationOf: (shown) => shown };
}

/** Whether a location is one of a folder or label. */
export function isBelow(location: string, label: string): boolean {
  return location === label || location.startsWith(label.endsWith('/') ? label : `${label}/`);
}
