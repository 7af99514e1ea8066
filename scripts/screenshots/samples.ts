/**
 * Draws the files of `examples/media`, with which the documentation shows what isccd does: a picture, a copy of it, a page and a
 * film of ten seconds. `npm run screenshots -- samples` runs it. Needs FFmpeg with libx264.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { launchChromium } from '../../test/support/launch-chromium.js';
import { copy, HEIGHT, lake, original, WIDTH } from './picture.js';

const FOLDER = path.resolve(import.meta.dirname, '../../examples/media');
const FILM = { seconds: 10, rate: 10, width: 480, height: 320 };

/** Writes all files. */
export async function drawSamples(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const picture = await original();
  await writeFile(path.join(FOLDER, 'lake.jpg'), picture);
  await writeFile(path.join(FOLDER, 'lake-from-the-web.webp'), await copy());
  await writeFile(path.join(FOLDER, 'page.pdf'), await page(picture));
  await film(path.join(FOLDER, 'film.mp4'));
}

const PARAGRAPHS = [
  'In the evening the wind comes down from the third ridge and crosses the lake in less than an hour. A boat needs no motor then: it leaves the northern shore when the sun touches the first mountain, and lies at the southern pier before the light is gone.',
  'The lake is eleven kilometres long, two wide, and at its deepest place a hundred and forty metres deep. Its water is cold until July. In a dry summer a line of pale stones shows how high it stood in spring, and the people of the village read from it when to cut the second hay.',
  'This page was written and drawn for the documentation of isccd. It may be copied, changed and printed by anyone, so that different versions of one text can be compared.',
];

/** One page with the picture and text, printed by Chromium. */
async function page(picture: Buffer): Promise<Buffer> {
  const browser = await launchChromium();
  try {
    const sheet = await browser.newPage();
    const source = `data:image/jpeg;base64,${picture.toString('base64')}`;
    const text = PARAGRAPHS.map((paragraph) => `<p>${paragraph}</p>`).join('');
    await sheet.setContent(
      `<!doctype html><html lang="en"><title>The lake in the evening</title><body style="font: 12pt/1.5 serif">
       <h1>The lake in the evening</h1><img src="${source}" width="100%">${text}</body></html>`,
    );
    return await sheet.pdf({
      format: 'A4',
      margin: { top: '25mm', bottom: '25mm', left: '25mm', right: '25mm' },
    });
  } finally {
    await browser.close();
  }
}

/** The boat crosses the lake while the sun goes down, with two quiet tones. */
async function film(file: string): Promise<void> {
  const { seconds, rate, width, height } = FILM;
  const size = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-r', String(rate)];
  const tones = `aevalsrc=0.1*sin(440*PI*t)+0.08*sin(660*PI*t)*sin(PI*t/5):d=${seconds}`;
  const codecs = ['-c:v', 'libx264', '-crf', '30', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '48k'];
  const same = ['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact', '-threads', '1'];
  const title = ['-metadata', 'title=Across the lake', '-movflags', '+faststart'];
  const encoder = spawn(
    'ffmpeg',
    ['-y', '-v', 'error', ...size, '-i', '-', '-f', 'lavfi', '-i', tones, ...codecs, ...same, ...title, file],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  for (let at = 0; at < seconds * rate; at += 1) {
    const progress = at / (seconds * rate);
    const moment = {
      boatX: Math.round(120 + progress * (WIDTH - 240)),
      tilt: 3 * Math.sin(at / 4),
      sunY: Math.round(250 + progress * (HEIGHT / 4)),
    };
    const frame = await sharp(Buffer.from(lake(moment)))
      .resize(width, height)
      .removeAlpha()
      .raw()
      .toBuffer();
    if (!encoder.stdin.write(frame)) await once(encoder.stdin, 'drain');
  }
  encoder.stdin.end();
  const [code] = await once(encoder, 'close');
  if (code !== 0) throw new Error(`FFmpeg ended with ${code}`);
}
