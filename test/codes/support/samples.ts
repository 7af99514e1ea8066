/** Files of formats that the fixtures lack, made by other programs or from a few lines of XML. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './folder.js';
import { pythonReaders } from './independent.js';
import { fileBytes } from './reference.js';

const run = promisify(execFile);

/** The bytes of a fixture, or of a file that `folder` gets first. */
export async function sample(name: string, folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const made = MADE[name];
  if (made === undefined) return fileBytes(name);
  const target = path.join(folder, `sample-${name}`);
  await made(target);
  return new Uint8Array(await readFile(target));
}

const MADE: Readonly<Record<string, (target: string) => Promise<unknown>>> = {
  'clip.mov': (target) => ffmpeg([...PICTURES, '-c:v', 'mpeg4'], target),
  'clip.3gp': (target) => ffmpeg([...PICTURES, '-c:v', 'mpeg4'], target),
  'clip.avi': (target) => ffmpeg([...PICTURES, '-c:v', 'mpeg4', ...OLD_TAGS], target),
  'large.avi': largeAvi,
  'clip.flv': (target) => ffmpeg([...PICTURES, '-c:v', 'flv1'], target),
  'clip.wmv': (target) => ffmpeg([...PICTURES, '-c:v', 'wmv2', ...OLD_TAGS], target),
  'clip.webm': (target) => ffmpeg([...PICTURES, '-c:v', 'libvpx', ...OLD_TAGS], target),
  'film.mp4': film,
  'live.webm': (target) => ffmpeg([...PICTURES, '-c:v', 'libvpx', '-live', '1'], target),
  'sound.mka': (target) => ffmpeg([...SOUND, '-c:a', 'libvorbis', ...OLD_TAGS], target),
  'sound.wma': (target) => ffmpeg([...SOUND, '-c:a', 'wmav2'], target),
  'sound.wv': (target) => ffmpeg([...SOUND, '-c:a', 'wavpack'], target),
  'sound.aac': (target) => ffmpeg([...SOUND, '-c:a', 'aac'], target),
  'sound.wav': (target) => ffmpeg([...SOUND, ...OLD_TAGS], target),
  'sound.mp3': (target) => ffmpeg([...SOUND, '-write_id3v1', '1', ...OLD_TAGS], target),
  'picture.jxl': (target) => ffmpeg(['-f', 'lavfi', '-i', 'mandelbrot=s=64x48', '-frames:v', '1'], target),
  'picture.psd': (target) => writeFile(target, plainPsd()),
  'sheet.ods': (target) => office(target, 'spreadsheet', SHEET),
  'show.odp': (target) => office(target, 'presentation', SLIDE),
  'text.fodt': (target) => writeFile(target, FLAT_TEXT),
};

/** Values that embedding has to replace. */
const OLD_TAGS = ['title', 'artist', 'composer', 'comment', 'copyright'].flatMap((tag) => [
  '-metadata',
  `${tag}=Old ${tag}`,
]);
const PICTURES = ['-f', 'lavfi', '-i', 'testsrc=s=176x144:r=10:d=3', '-pix_fmt', 'yuv420p'];
const SOUND = ['-f', 'lavfi', '-i', 'aevalsrc=sin(440*t*(1+t/4)):d=8:s=44100'];

function ffmpeg(args: readonly string[], target: string): Promise<unknown> {
  return run('ffmpeg', ['-v', 'error', '-y', ...args, '-fflags', '+bitexact', target]);
}

/** A film of 90 s that takes several seconds to decode, and a few tenths of a second to make: 5 s of pictures, repeated. */
async function film(target: string): Promise<void> {
  const part = target.replace(/\.mp4$/, '-part.mp4');
  await ffmpeg(['-f', 'lavfi', '-i', 'testsrc=s=1280x720:r=25:d=5', '-c:v', 'mpeg4', '-q:v', '20'], part);
  await ffmpeg(['-stream_loop', '17', '-i', part, '-c', 'copy'], target);
}

/** An AVI file with frames in two RIFF chunks, as in those of more than 1 GiB. */
async function largeAvi(target: string): Promise<void> {
  await ffmpeg([...PICTURES, '-c:v', 'mjpeg', ...OLD_TAGS], target);
  const bytes = await readFile(target);
  const frames = bytes.indexOf('movi') + 4;
  const end = frames + bytes.readUInt32LE(frames - 8) - 4;
  let middle = frames;
  while (middle < (frames + end) / 2) middle += 8 + 2 * Math.ceil(bytes.readUInt32LE(middle + 4) / 2);
  const list = (id: string, kind: string, content: Buffer) => {
    const header = Buffer.from(`${id}....${kind}`);
    header.writeUInt32LE(content.length + 4, 4);
    return Buffer.concat([header, content]);
  };
  const [first, second] = [bytes.subarray(frames, middle), bytes.subarray(middle, end)];
  const head = bytes.subarray(12, frames - 12);
  const main = list('RIFF', 'AVI ', Buffer.concat([head, list('LIST', 'movi', first)]));
  await writeFile(target, Buffer.concat([main, list('RIFF', 'AVIX', list('LIST', 'movi', second))]));
}

const OFFICE = 'urn:oasis:names:tc:opendocument:xmlns';

const FLAT_TEXT = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="${OFFICE}:office:1.0" xmlns:text="${OFFICE}:text:1.0" xmlns:meta="${OFFICE}:meta:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:meta><dc:title>Old title</dc:title><meta:initial-creator>Old</meta:initial-creator></office:meta>
<office:body><office:text><text:p>Flat words in a paragraph.</text:p></office:text></office:body></office:document>
`;

const SHEET =
  '<table:table table:name="a"><table:table-row><table:table-cell office:value-type="string">' +
  '<text:p>Words in a cell.</text:p></table:table-cell></table:table-row></table:table>';
const SLIDE =
  '<draw:page draw:name="a"><draw:frame><draw:text-box><text:p>Words on a slide.</text:p></draw:text-box>' +
  '</draw:frame></draw:page>';

/** An OpenDocument package without `meta.xml`, written by Python. */
function office(target: string, kind: string, body: string): Promise<unknown> {
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const content =
    `<?xml version="1.0"?><office:document-content xmlns:office="${OFFICE}:office:1.0" ` +
    `xmlns:table="${OFFICE}:table:1.0" xmlns:draw="${OFFICE}:drawing:1.0" xmlns:text="${OFFICE}:text:1.0" ` +
    `office:version="1.3"><office:body><office:${kind}>${body}</office:${kind}>` +
    '</office:body></office:document-content>';
  const manifest =
    `<?xml version="1.0"?><manifest:manifest xmlns:manifest="${OFFICE}:manifest:1.0" manifest:version="1.3">` +
    `<manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/>` +
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>';
  const script = [
    'import sys, zipfile',
    'with zipfile.ZipFile(sys.argv[1], "w") as archive:',
    '    for name, text in zip(["mimetype", "content.xml", "META-INF/manifest.xml"], sys.argv[2:]):',
    '        archive.writestr(name, text)',
  ].join('\n');
  return run('python3', ['-c', script, target, type, content, manifest]);
}

/** One grey pixel: header, empty colour table, resources and layers, then the uncompressed pixel. */
function plainPsd(): Buffer {
  const header = Buffer.from('38425053000100000000000000010000000100000001000800010000', 'hex').subarray(
    0,
    26,
  );
  return Buffer.concat([header, Buffer.alloc(12), Buffer.from([0, 0, 128])]);
}

/** A PDF that opens without a password, and whose owner forbids changes. */
export async function protectedPdf(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await temporaryFolder();
  const [source, target] = [path.join(folder, 'plain.pdf'), path.join(folder, 'owner.pdf')];
  await writeFile(source, fileBytes('paper_a.pdf'));
  const script = [
    'import sys, pikepdf',
    'rules = pikepdf.Permissions(modify_other=False, modify_annotation=False, modify_assembly=False)',
    'with pikepdf.open(sys.argv[1]) as document:',
    '    document.save(sys.argv[2], encryption=pikepdf.Encryption(owner="o", user="", R=6, allow=rules))',
  ].join('\n');
  await run('python3', ['-c', script, source, target], { env: await pythonReaders() });
  return new Uint8Array(await readFile(target));
}
