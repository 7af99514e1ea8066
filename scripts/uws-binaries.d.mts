/** Paths of the binaries of a platform; throws if one is not the pinned one. */
export function uwsBinaries(platform: string, arch: string): string[];
/** Which files of a folder are missing, or not the pinned ones. */
export function faultsIn(folder: string, names?: readonly string[]): string[];
