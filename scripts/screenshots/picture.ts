/** The lake that screenshots and examples show: drawn here, so that it is free to use and always the same. */
import sharp from 'sharp';

export const WIDTH = 1200;
export const HEIGHT = 800;
/** Top of the water. */
const SHORE = 640;

const RIDGES = [
  { y: 430, sway: 70, period: 410, colour: '#7d8fb3' },
  { y: 500, sway: 90, period: 300, colour: '#566b94' },
  { y: 590, sway: 60, period: 520, colour: '#35496f' },
];

/** The outline of a mountain ridge as an SVG path. */
function ridge({ y, sway, period, colour }: (typeof RIDGES)[number]): string {
  const points = Array.from({ length: WIDTH / 8 + 1 }, (_, at) => {
    const x = at * 8;
    const rise = Math.sin(x / (period / 6.3)) + 0.4 * Math.sin(x / 37 + y) + 0.15 * Math.sin(x / 11 + y);
    return `${x},${(y - sway * rise).toFixed(1)}`;
  });
  return `<polygon fill="${colour}" points="0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}"/>`;
}

const boat = (x: number, tilt: number) => `<g transform="translate(${x} 690) rotate(${tilt})">
  <path d="M-70 0h150l-30 34h-96z" fill="#7c2d2d"/><path d="M0-6v-150l80 140z" fill="#fff7e6"/>
  <path d="M-8-6v-120l-56 112z" fill="#f2d9b3"/></g>`;

/** Where the boat is, how far it leans (degrees), and the height of the sun. */
export interface Moment {
  readonly boatX: number;
  readonly tilt: number;
  readonly sunY: number;
}

const STILL: Moment = { boatX: 760, tilt: 0, sunY: 330 };

/** A boat on a lake below mountains, as SVG of 1200 × 800 pixels. */
export function lake({ boatX, tilt, sunY }: Moment = STILL): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
  <defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="#27457c"/><stop offset=".55" stop-color="#f3a868"/>
  <stop offset="1" stop-color="#fbe3b0"/></linearGradient>
  <linearGradient id="lake" x2="0" y2="1"><stop stop-color="#c98f6c"/><stop offset="1" stop-color="#1d3153"/></linearGradient></defs>
  <rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/><circle cx="330" cy="${sunY}" r="74" fill="#fff1c9"/>
  ${RIDGES.map(ridge).join('')}<rect y="${SHORE}" width="${WIDTH}" height="${HEIGHT - SHORE}" fill="url(#lake)"/>${boat(boatX, tilt)}</svg>`;
}

/** The original: a JPEG of 1200 × 800 pixels. */
export function original(): Promise<Buffer> {
  return sharp(Buffer.from(lake())).jpeg({ quality: 90 }).toBuffer();
}

/** What turns up elsewhere: half the size, another format, a little brighter. */
export function copy(): Promise<Buffer> {
  return sharp(Buffer.from(lake()))
    .resize(600)
    .modulate({ brightness: 1.08 })
    .webp({ quality: 60 })
    .toBuffer();
}
