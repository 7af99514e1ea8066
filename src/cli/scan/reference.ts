/** Compares files with those of reference folders: what of them is there already? */
import type { Group, Member } from './groups.js';
import { isBelow } from './labels.js';

export interface Reference {
  /** Files whose bytes are in the reference. */
  readonly same: number;
  /** Files that are only similar to files of the reference. */
  readonly similar: number;
  /** Paths of the files that are not in the reference. */
  readonly missing: readonly string[];
}

/** Groups with files of both sides. */
export function acrossGroups(groups: readonly Group[], isReference: (file: string) => boolean): Group[] {
  const [inside, outside] = [
    ({ file }: Member) => isReference(file.path),
    ({ file }: Member) => !isReference(file.path),
  ];
  return groups.filter(({ members }) => members.some(inside) && members.some(outside));
}

/** @param groups those with files of both sides */
export function compareWith(
  files: readonly { readonly path: string; readonly datahash: string }[],
  groups: readonly Group[],
  isReference: (file: string) => boolean,
): Reference {
  const compared = files.filter((file) => !isReference(file.path));
  const known = new Set(files.filter((file) => isReference(file.path)).map(({ datahash }) => datahash));
  const near = new Set(
    groups
      .filter(({ kind }) => kind === 'near-duplicates')
      .flatMap(({ members }) => members.map(({ file }) => file.datahash)),
  );
  const rest = compared.filter(({ datahash }) => !known.has(datahash));
  const missing = rest.filter(({ datahash }) => !near.has(datahash));
  return {
    same: compared.length - rest.length,
    similar: rest.length - missing.length,
    missing: missing.map((file) => file.path),
  };
}

/**
 * Whether a location is one of the reference: the innermost folder that has it decides.
 *
 * @param folders locations of what is compared
 */
export function referenceTest(
  references: readonly string[],
  folders: readonly string[],
): (location: string) => boolean {
  const roots = [
    ...references.map((label) => ({ label, isReference: true })),
    ...folders.map((label) => ({ label, isReference: false })),
  ].sort((a, b) => b.label.length - a.label.length);
  return (location) => roots.find(({ label }) => isBelow(location, label))?.isReference ?? false;
}
