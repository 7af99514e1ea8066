/** What the steps of one request took, for people who watch and for whoever looks for what is slow. */

/** Steps by the name that machines read, with the words that people do. */
export const STEPS = {
  receive: 'Receive, store and hash the bytes',
  copy: 'Copy the file',
  read: 'Read and hash the bytes',
  mediatype: 'Find the media type',
  wait: 'Wait for a worker',
  text: 'Read the text and its metadata, make the Text-Code',
  pdf: 'Read the text and its metadata, draw the first page',
  image: 'Decode the image, make the Image-Code',
  audio: 'Decode the sound',
  video: 'Decode the frames',
  metadata: 'Read the embedded metadata',
  content: 'Make the Content-Code',
  semantic: 'Make the Semantic-Code',
  thumbnail: 'Draw the thumbnail',
  meta: 'Make the Meta-Code',
  embed: 'Embed the metadata',
  iscc: 'Put the ISCC-CODE together',
  save: 'Save durably',
} as const;

export type StepName = keyof typeof STEPS;

export interface Step {
  readonly name: StepName;
  readonly ms: number;
}

export class Stopwatch {
  /** In the order they ended. Steps may overlap. */
  readonly steps: Step[] = [];
  readonly #onStep: (step: Step) => void;

  /** `onStep` is told each step when it is over. */
  constructor(onStep: (step: Step) => void = () => {}) {
    this.#onStep = onStep;
  }

  /** Runs one step; what it throws passes through, and counts too. */
  async measure<T>(name: StepName, work: () => T | Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.add([{ name, ms: performance.now() - start }]);
    }
  }

  /** Takes steps over that were measured elsewhere. */
  add(steps: readonly Step[]): void {
    this.steps.push(...steps);
    steps.forEach(this.#onStep);
  }
}

/** The steps as a Server-Timing header (W3C Server Timing), which browsers show in their tools. */
export function serverTiming(steps: readonly Step[]): string {
  return steps.map(({ name, ms }) => `${name};desc="${STEPS[name]}";dur=${ms.toFixed(2)}`).join(', ');
}
