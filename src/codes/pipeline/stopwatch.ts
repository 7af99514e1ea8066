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
  image: 'Decode the image, make the Image-Code and the thumbnail',
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

export interface PipelineStep {
  readonly name: StepName;
  readonly ms: number;
}

/** A step that begins, or, with its time, one that has ended. */
export interface StepChange {
  readonly name: StepName;
  readonly ms?: number;
}

interface Listeners {
  /** Told each step when it is over. */
  readonly onStep?: ((step: PipelineStep) => void) | undefined;
  /** Told each step when it begins and when it ends. */
  readonly onChange?: ((change: StepChange) => void) | undefined;
}

export class Stopwatch {
  /** In the order they ended. Steps may overlap. */
  readonly steps: PipelineStep[] = [];
  readonly #told: Listeners;

  constructor(told: Listeners = {}) {
    this.#told = told;
  }

  /** Told about steps as they begin and end, if anybody watches. */
  get onChange(): ((change: StepChange) => void) | undefined {
    return this.#told.onChange;
  }

  /** Runs one step; what it throws passes through, and counts too. */
  async measure<T>(name: StepName, work: () => T | Promise<T>): Promise<T> {
    const start = performance.now();
    this.onChange?.({ name });
    try {
      return await work();
    } finally {
      const step = { name, ms: performance.now() - start };
      this.add([step]);
      this.onChange?.(step);
    }
  }

  /** Takes steps over that were measured elsewhere. Whoever watches has been told by those who measured. */
  add(steps: readonly PipelineStep[]): void {
    this.steps.push(...steps);
    for (const step of steps) this.#told.onStep?.(step);
  }
}

/** The steps as a Server-Timing header (W3C Server Timing), which browsers show in their tools. */
export function serverTiming(steps: readonly PipelineStep[]): string {
  return steps.map(({ name, ms }) => `${name};desc="${STEPS[name]}";dur=${ms.toFixed(2)}`).join(', ');
}
