/** Examples to click, made in the page. */
import { t } from '../language.js';
import { addFiles } from '../queue.js';
import { ask } from './field.js';

/** The code of a text in ISO 24138's reference implementation. */
const CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';
const TEXT =
  'The International Standard Content Code identifies digital content by what it is, not by where it is stored. ' +
  'Copies that were resized, compressed or translated to another format keep a code that is similar to the one of ' +
  'the original. With a copy at hand, anyone can compute its code and find what is known of the original: its source, its ' +
  'signed provenance and its rights.';
const [WIDTH, HEIGHT] = [480, 320];

const EXAMPLES: Readonly<Record<string, () => Promise<void> | void>> = {
  picture: async () => addFiles([await picture()]),
  text: () => ask(TEXT),
  code: () => ask(CODE),
};

export function exampleButtons(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-example]')) {
    button.addEventListener('click', () => void EXAMPLES[button.dataset.example ?? '']?.());
  }
}

/** A sunset over hills, drawn here. */
async function picture(): Promise<File> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error(t('This browser cannot draw pictures.'));
  const sky = context.createLinearGradient(0, 0, 0, HEIGHT);
  sky.addColorStop(0, '#27457c');
  sky.addColorStop(0.6, '#f3a868');
  context.fillStyle = sky;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#fff1c9';
  context.beginPath();
  context.arc(WIDTH * 0.3, HEIGHT * 0.45, HEIGHT * 0.1, 0, 2 * Math.PI);
  context.fill();
  for (const [at, colour] of ['#7d8fb3', '#566b94', '#35496f'].entries()) {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(0, HEIGHT);
    for (let x = 0; x <= WIDTH; x += 4) {
      const rise = Math.sin(x / (50 + 17 * at)) + 0.4 * Math.sin(x / 15 + at);
      context.lineTo(x, HEIGHT * (0.58 + 0.13 * at) - 18 * rise);
    }
    context.lineTo(WIDTH, HEIGHT);
    context.fill();
  }
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  if (blob === null) throw new Error(t('This browser cannot encode pictures.'));
  return new File([blob], 'example.png', { type: 'image/png' });
}
