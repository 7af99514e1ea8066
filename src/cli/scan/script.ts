/**
 * A shell script that removes, links or moves duplicates. It is made for review and does nothing by itself: the user runs
 * it and names the action, and it compares each copy with the file that is kept.
 */
import { escapedPlace } from '../batch/place.js';
import type { Group, Member } from './groups.js';

export const KEEP = ['oldest', 'shortest', 'reference'] as const;

/** Which of equal files is kept: the one with the oldest change, the shortest path, or that of the reference. */
export type Keep = (typeof KEEP)[number];

const HEAD = `#!/bin/sh
# Duplicates found by isccd scan. Review the list, then run one of
#   sh duplicates.sh remove         removes the copies
#   sh duplicates.sh link           replaces the copies by hard links to the kept files
#   sh duplicates.sh move FOLDER    moves the copies into a folder, with their paths
# A copy that differs from the kept file by now is left alone.
set -eu
action=\${1:-none}
target=\${2:-}
case $action in
  remove | link) ;;
  move) [ -n "$target" ] || { echo "name a folder: sh $0 move FOLDER" >&2; exit 2; } ;;
  *) echo "name what to do: sh $0 remove | link | move FOLDER" >&2; exit 2 ;;
esac
copy() { # kept file, copy
  if [ "$1" -ef "$2" ] || ! cmp -s -- "$1" "$2"; then
    echo "left alone: $2" >&2
    return 0
  fi
  case $action in
    remove) rm -- "$2" ;;
    link) ln -f -- "$1" "$2" ;;
    move) mkdir -p -- "$target$(dirname -- "$2")" && mv -n -- "$2" "$target$2" ;;
  esac
}
`;

export interface ScriptOptions {
  readonly keep: Keep;
  readonly isReference: (file: string) => boolean;
  /** The path of a file on this machine. */
  readonly resolve: (file: string) => string;
}

/** Parts of the script. Groups without a file of the reference stay as they are if that is to be kept. */
export function* duplicatesScript(groups: readonly Group[], options: ScriptOptions): Generator<string> {
  yield HEAD;
  for (const { kind, members } of groups) {
    if (kind !== 'duplicates') continue;
    const kept = keptOf(members, options);
    if (kept === undefined) continue;
    const copies = members.filter(
      (member) => member !== kept && (options.keep !== 'reference' || !options.isReference(member.file.path)),
    );
    yield '\n';
    for (const { file } of copies) {
      const paths = [kept.file.path, file.path].map((one) => quoted(options.resolve(one)));
      yield `copy ${paths.join(' ')}\n`;
    }
  }
}

function keptOf(members: readonly Member[], { keep, isReference }: ScriptOptions): Member | undefined {
  const sorted = [...members];
  switch (keep) {
    case 'oldest':
      return sorted.sort((a, b) => a.file.modifiedMs - b.file.modifiedMs || byLength(a, b))[0];
    case 'shortest':
      return sorted.sort(byLength)[0];
    case 'reference':
      return sorted.filter(({ file }) => isReference(file.path)).sort(byLength)[0];
  }
}

function byLength(a: Member, b: Member): number {
  return a.file.path.length - b.file.path.length || (a.file.path < b.file.path ? -1 : 1);
}

/** A path as a word of the shell. Bytes that are not text are made by `printf`. */
function quoted(file: string): string {
  const { bytes } = escapedPlace(file) ?? {};
  if (bytes === undefined) return `'${file.replaceAll("'", `'\\''`)}'`;
  const octal = [...bytes].map((byte) =>
    /[\w./-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, '0')}`,
  );
  return `"$(printf '${octal.join('')}')"`;
}
