/** Runs ExifTool on a file. Values are escaped as character references, so that none can be read as an argument. */
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { CodesRefusal } from '../errors.js';
import { FileError } from '../tools/file-error.js';
import { collector, runTool, type Sink, ToolFailed, ToolMissing } from '../tools/process.js';
import type { ToolLimits } from '../tools/tool.js';

/** A tag and its new value. A repeated tag is a list. */
export interface TagValue {
  readonly tag: string;
  readonly value: string;
}

export interface WriteOptions {
  /** Whether a bare stream may get a container that can hold metadata. */
  readonly mayWrap?: boolean;
}

/** What ExifTool reports of XMP that has a property twice. It does not change such a file, and ends with status 0. */
const DUPLICATE = 'Duplicate XMP property';

/** ExifTool could not write the file. */
export class ExifToolFailed extends FileError {
  override readonly name = 'ExifToolFailed';
}

const LIMITS: ToolLimits = {
  durationMaxMs: 30_000,
  memoryMaxBytes: 1024 ** 3,
  // Effectively unlimited: uploads have their own limit.
  fileMaxBytes: 64 * 1024 ** 3,
};

/** Longest report of the tags of a file. */
const REPORT_BYTES_MAX = 8 * 1024 * 1024;

/** Declares the XMP namespace for the inputs of the Meta-Code. */
const CONFIG = `%Image::ExifTool::UserDefined = (
  'Image::ExifTool::XMP::Main' => { iscc => { SubDirectory => { TagTable => 'Image::ExifTool::UserDefined::iscc' } } },
);
%Image::ExifTool::UserDefined::iscc = (
  GROUPS => { 0 => 'XMP', 1 => 'XMP-iscc', 2 => 'Other' },
  NAMESPACE => { 'iscc' => 'http://purl.org/iscc/schema/' },
  WRITABLE => 'string',
  name => {}, description => {}, meta => {},
);
1;
`;

/** Declares the XMP namespaces of TDM reservations by their addresses: files may use any prefix. */
const READING_CONFIG = `%Image::ExifTool::UserDefined = (
  'Image::ExifTool::XMP::Main' => {
    tdm => { SubDirectory => { TagTable => 'Image::ExifTool::UserDefined::tdm' } },
    tdmrep => { SubDirectory => { TagTable => 'Image::ExifTool::UserDefined::tdmrep' } },
  },
);
%Image::ExifTool::UserDefined::tdm = (
  GROUPS => { 0 => 'XMP', 1 => 'XMP-tdm', 2 => 'Other' },
  NAMESPACE => { 'tdm' => 'http://www.w3.org/ns/tdmrep/' },
  reservation => {}, policy => {},
);
%Image::ExifTool::UserDefined::tdmrep = (
  GROUPS => { 0 => 'XMP', 1 => 'XMP-tdmrep', 2 => 'Other' },
  NAMESPACE => { 'tdmrep' => 'http://www.w3.org/ns/tdmrep#' },
  reservation => {}, policy => {},
);
require Image::ExifTool::XMP;
Image::ExifTool::XMP::RegisterNamespace(\\%Image::ExifTool::UserDefined::tdm);
Image::ExifTool::XMP::RegisterNamespace(\\%Image::ExifTool::UserDefined::tdmrep);
1;
`;

/** The values of some tags of a file, by tag; lists and structures as in the file. @throws {ExifToolFailed} */
export async function readTags(
  path: string,
  tags: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const report = collector(REPORT_BYTES_MAX);
  const args = ['-json', '-G1', '-struct', '-n', ...tags.map((tag) => `-${tag}`), path];
  await withConfig(path, READING_CONFIG, (config) => exifTool([...config, ...args], report.sink));
  const [values = {}] = JSON.parse(report.bytes().toString()) as Record<string, unknown>[];
  return values;
}

/**
 * Writes the values into the file at `path`, in place of all old ones of the same tags. Values of `existing` are only
 * written where the file has the tag. XMP packets that have a property twice become one packet, which keeps the first
 * value of each property, as readers do. @throws {ExifToolFailed}
 */
export async function writeTags(
  path: string,
  values: readonly TagValue[],
  existing: readonly TagValue[] = [],
  options: WriteOptions = {},
): Promise<void> {
  const argumentsFile = `${path}.arguments`;
  const write = async (ignoresMinorErrors: boolean) => {
    await writeFile(argumentsFile, argumentLines(path, values, existing, ignoresMinorErrors));
    return withConfig(path, CONFIG, (config) => exifTool([...config, '-@', argumentsFile], () => undefined));
  };
  try {
    const messages = await write(options.mayWrap ?? false);
    if (messages.includes(DUPLICATE)) await write(true);
  } finally {
    await rm(argumentsFile, { force: true });
  }
}

/** Runs `work` with the arguments that name a configuration, which is in a file meanwhile. */
async function withConfig(
  path: string,
  config: string,
  work: (args: string[]) => Promise<string>,
): Promise<string> {
  const file = `${path}.config`;
  await writeFile(file, config);
  try {
    return await work(['-config', file]);
  } finally {
    await rm(file, { force: true });
  }
}

/** Resolves to ExifTool's messages. */
async function exifTool(args: readonly string[], sink: Sink): Promise<string> {
  const program = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
  try {
    return await runTool('perl', [program, ...args], sink, { limits: LIMITS });
  } catch (error) {
    if (error instanceof ToolMissing) throw new CodesRefusal('PERL_MISSING', {}, { cause: error });
    if (!(error instanceof ToolFailed)) throw error;
    throw new ExifToolFailed(error.code, error.message, { cause: error });
  }
}

/** Write modes of ExifTool: existing tags only, and in existing groups also new tags. */
const EXISTING = ['-wm', 'w'];
const EXISTING_GROUPS = ['-wm', 'wc'];
/** Minor errors are long IPTC values, bare streams without a container, and XMP with a property twice. */
const IGNORE_MINOR_ERRORS = '-m';

function argumentLines(
  path: string,
  values: readonly TagValue[],
  existing: readonly TagValue[],
  ignoresMinorErrors: boolean,
): string {
  // PNG: write XMP before the pixels, where some readers stop.
  const general = ['-E', '-overwrite_original', '-api', 'PNGEarlyXMP=1'];
  const ignored = ignoresMinorErrors ? [IGNORE_MINOR_ERRORS] : [];
  const commands = [[...general, ...ignored, ...assignments(values), path]];
  const hasIptc = existing.some(({ tag }) => tag.startsWith('IPTC:'));
  if (hasIptc) commands.push([...general, IGNORE_MINOR_ERRORS, ...EXISTING_GROUPS, ...IPTC_TO_UTF8, path]);
  if (existing.length > 0) {
    const digest = hasIptc ? ['-Photoshop:IPTCDigest=new'] : [];
    const tags = [...assignments(existing), ...digest];
    commands.push([...general, IGNORE_MINOR_ERRORS, ...EXISTING, ...tags, path]);
  }
  return `${commands.map((lines) => lines.join('\n')).join('\n-execute\n')}\n`;
}

/** Converts the IPTC values of a file, so that new values can have any character. */
const IPTC_TO_UTF8 = ['-tagsfromfile', '@', '-IPTC:all', '-IPTC:CodedCharacterSet=UTF8'];

/** Each tag is deleted first, or other languages of a text would keep the old value. */
function assignments(values: readonly TagValue[]): string[] {
  const tags = [...new Set(values.map(({ tag }) => tag))];
  return tags.flatMap((tag) => [
    `-${tag}=`,
    ...values.filter((one) => one.tag === tag).map(({ value }) => `-${tag}=${references(value)}`),
  ]);
}

/** Escapes everything but ASCII letters and digits. */
function references(value: string): string {
  return value.replace(/[^A-Za-z0-9]/gu, (character) => `&#${character.codePointAt(0)};`);
}
