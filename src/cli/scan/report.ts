/** Reports of a scan: a table for the terminal, CSV, and one HTML page that needs no other file. */
import { csvField } from '../../platform/csv.js';
import { printable } from '../../platform/printable.js';
import { inBytes } from '../batch/progress.js';
import type { Paint } from '../terminal/colour.js';
import { counted } from '../terminal/lines.js';
import { type Clip, clipLines, plainClip } from './clips.js';
import type { Group, Link, Member } from './groups.js';
import type { ScannedFile } from './records.js';
import type { Reference } from './reference.js';

export interface ScanReport {
  /** Files that could be read, those without a code included. */
  readonly files: number;
  /** Bytes of the files with codes. */
  readonly bytes: number;
  readonly failures: readonly { readonly path: string; readonly code: string; readonly detail: string }[];
  readonly groups: readonly Group[];
  /** Pictures with a film of a few seconds, which are one item in groups. */
  readonly livePhotos: number;
  /** Passages in several texts, if they were sought. */
  readonly passages?: number;
  /** Films and recordings that have parts of others, if they were sought. */
  readonly clips?: readonly Clip[];
  /** What of the files is in the reference, if there is one. */
  readonly reference?: Reference;
}

const KINDS = ['duplicates', 'near-duplicates', 'versions'] as const;

const MEANINGS: Readonly<Record<Group['kind'], string>> = {
  duplicates: 'equal bytes',
  'near-duplicates': 'similar content',
  versions: 'similar titles, other content',
};

/** Groups shown on the terminal per kind; the other reports have all. */
const SHOWN_GROUPS_MAX = 20;

export function terminalReport(
  { files, bytes, failures, groups, livePhotos, passages, clips, reference }: ScanReport,
  paint: Paint,
): string {
  const lines = [`${counted(files, 'files')}, ${inBytes(bytes)}, ${failures.length} failed`];
  if (reference !== undefined) lines.push(referenceLine(reference));
  if (livePhotos > 0) lines.push(`${counted(livePhotos, 'Live Photos')}, each with its film one item`);
  if (passages !== undefined) lines.push(`${counted(passages, 'passages')} in several texts: passages.csv`);
  if (clips !== undefined) {
    lines.push(`${counted(clips.length, 'clips')} of other films or recordings: clips.csv`);
    lines.push(...clipLines(clips.slice(0, SHOWN_GROUPS_MAX)));
  }
  for (const kind of KINDS) {
    const found = groups.filter((group) => group.kind === kind);
    lines.push('', paint('bold', `${counted(found.length, 'groups')} of ${kind} (${MEANINGS[kind]})`));
    for (const { members } of found.slice(0, SHOWN_GROUPS_MAX)) {
      lines.push(
        '',
        ...members.map(({ file, link }) => `  ${described(link, paint)}  ${printable(file.path)}`),
      );
    }
    if (found.length > SHOWN_GROUPS_MAX) lines.push('', `  and ${found.length - SHOWN_GROUPS_MAX} more`);
  }
  return `${lines.join('\n')}\n`;
}

function referenceLine({ same, similar, missing }: Reference): string {
  return `in the reference: ${same} equal, ${similar} similar; not in it: ${missing.length}`;
}

/** E.g. `CONTENT_IMAGE_V0    12 bits`. */
function described(link: Link | undefined, paint: Paint): string {
  const turned = link?.symmetry === undefined ? '' : `, ${link.symmetry}`;
  const text =
    link === undefined ? '=' : `${link.unit.padEnd(19)}${String(link.distance).padStart(4)} bits${turned}`;
  return paint('dim', text.padEnd(28));
}

const CSV_COLUMNS = [
  'kind',
  'group',
  'path',
  'bytes',
  'mediatype',
  'title',
  'unit',
  'distance',
  'closest',
  'symmetry',
];

/** RFC 4180: one line per member of a group. */
export function csvReport({ groups }: ScanReport): string {
  const rows = groups.flatMap(({ kind, members }, at) =>
    members.map(({ file, link }) => [
      kind,
      at + 1,
      file.path,
      file.bytes,
      file.mediatype,
      file.title,
      link?.unit,
      link?.distance,
      link?.to.path,
      link?.symmetry,
    ]),
  );
  return [CSV_COLUMNS, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

/** Everything as plain values. */
export function jsonReport({ groups, clips, ...rest }: ScanReport): object {
  const member = ({ file: { path, bytes, mediatype, title }, link }: Member) => ({
    path,
    bytes,
    mediatype,
    title,
    ...(link !== undefined && {
      unit: link.unit,
      distance: link.distance,
      closest: link.to.path,
      ...(link.symmetry && { symmetry: link.symmetry }),
    }),
  });
  return {
    ...rest,
    ...(clips && { clips: clips.map(plainClip) }),
    groups: groups.map(({ kind, members }) => ({ kind, members: members.map(member) })),
  };
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222;background:#fff}
h2{margin-top:2.5rem}section{border-top:1px solid #ccc;padding:.5rem 0;display:flex;flex-wrap:wrap;gap:1rem}
figure{margin:0;width:11rem;font-size:13px}figure,td{overflow-wrap:anywhere;white-space:pre-wrap}img{max-width:128px;max-height:128px;display:block}
small{color:#666}td,th{text-align:left;padding:.1rem .8rem .1rem 0;vertical-align:top}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}small{color:#999}}`;

/** Parts of the page, because thumbnails make it large. It has no scripts and loads nothing. */
export function* htmlReport(
  report: ScanReport,
  thumbnail: (file: ScannedFile) => string | undefined,
): Generator<string> {
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
  yield `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>isccd scan</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${STYLE}</style></head><body><main><h1>isccd scan</h1>
<p>${counted(report.files, 'files')}, ${inBytes(report.bytes)}, ${report.failures.length} failed</p>\n`;
  if (report.reference !== undefined) yield `<p>${referenceLine(report.reference)}</p>\n`;
  for (const kind of KINDS) {
    const found = report.groups.filter((group) => group.kind === kind);
    yield `<h2>${counted(found.length, 'groups')} of ${kind}</h2><p>${MEANINGS[kind]}</p>\n`;
    for (const { members } of found) {
      yield '<section>';
      for (const member of members) yield figure(member, thumbnail(member.file));
      yield '</section>\n';
    }
  }
  if (report.failures.length > 0) {
    yield '<h2>Failed files</h2><table><tr><th scope="col">File</th><th scope="col">Code</th><th scope="col">Reason</th></tr>';
    yield `${report.failures.map(failureRow).join('')}</table>`;
  }
  yield '</main></body></html>\n';
}

function figure({ file, link }: Member, thumbnail: string | undefined): string {
  const picture = thumbnail === undefined ? '' : `<img src="${escaped(thumbnail)}" alt="">`;
  const title = file.title === undefined ? '' : `<br>${escaped(file.title)}`;
  const reason =
    link === undefined
      ? ''
      : `<br><small>${escaped(link.unit)}: ${link.distance} of 256 bits from ${escaped(link.to.path)}${link.symmetry ? `, ${link.symmetry}` : ''}</small>`;
  const facts = `<br><small>${escaped(file.mediatype)}, ${inBytes(file.bytes)}</small>`;
  return `<figure>${picture}<figcaption>${escaped(file.path)}${title}${facts}${reason}</figcaption></figure>`;
}

function failureRow({ path, code, detail }: ScanReport['failures'][number]): string {
  return `<tr><td>${escaped(path)}</td><td>${escaped(code)}</td><td>${escaped(detail)}</td></tr>\n`;
}

/** Text of files, in which characters that are invisible or change the order of others are escaped. */
function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
