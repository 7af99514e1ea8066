/** Times the processing steps of a request, for the progress display and for performance analysis. */

/** Step names with descriptions for users. */
export const STEPS = {
  receive: 'Receive, store and hash the bytes',
  copy: 'Copy the file',
  read: 'Read and hash the bytes',
  mediatype: 'Detect the media type',
  wait: 'Wait for a worker',
  text: 'Extract text and metadata, create the Text-Code',
  pdf: 'Extract text and metadata, render the first page',
  image: 'Decode the image, create the Image-Code and the thumbnail',
  audio: 'Decode the audio',
  video: 'Decode the frames',
  metadata: 'Read the embedded metadata',
  content: 'Create the Content-Code',
  features: 'Create the simprints of audio or video',
  semantic: 'Create the Semantic-Code',
  thumbnail: 'Create the thumbnail',
  meta: 'Create the Meta-Code',
  embed: 'Embed the metadata',
  iscc: 'Compose the ISCC-CODE',
  save: 'Save durably',
} as const;

export type StepName = keyof typeof STEPS;

export interface PipelineStep {
  readonly name: StepName;
  readonly ms: number;
}

/** A step that has begun or, if `ms` is present, ended. */
export interface StepChange {
  readonly name: StepName;
  readonly ms?: number;
  /** How much of the step is done, for decoding films and long sound. */
  readonly percent?: number;
}

interface Listeners {
  /** Called when a step ends. */
  readonly onStep?: ((step: PipelineStep) => void) | undefined;
  /** Called when a step begins and when it ends. */
  readonly onChange?: ((change: StepChange) => void) | undefined;
}

export class Stopwatch {
  /** In the order in which they ended. Steps may overlap. */
  readonly steps: PipelineStep[] = [];
  readonly #listeners: Listeners;

  constructor(listeners: Listeners = {}) {
    this.#listeners = listeners;
  }

  /** The listener for beginning and ending steps, if any. */
  get onChange(): ((change: StepChange) => void) | undefined {
    return this.#listeners.onChange;
  }

  /** Runs and times one step, also if it throws. */
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

  /**
   * Reports how much of a running step is done. Returns undefined if nothing listens, so that the work need not measure
   * it. `total` may become known later.
   */
  share(name: StepName, total: () => number | undefined): ((done: number) => void) | undefined {
    const { onChange } = this;
    if (onChange === undefined) return undefined;
    let reported = -1;
    return (done) => {
      const percent = Math.max(
        0,
        Math.min(99, Math.floor((done / (total() ?? Number.POSITIVE_INFINITY)) * 100)),
      );
      if (percent <= reported || total() === undefined) return;
      reported = percent;
      onChange({ name, percent });
    };
  }

  /** Adds steps measured elsewhere. Does not call `onChange`: their source has reported them. */
  add(steps: readonly PipelineStep[]): void {
    this.steps.push(...steps);
    for (const step of steps) this.#listeners.onStep?.(step);
  }
}

/** The steps as a Server-Timing header (W3C), which browsers show in their developer tools. */
export function serverTiming(steps: readonly PipelineStep[]): string {
  return steps.map(({ name, ms }) => `${name};desc="${STEPS[name]}";dur=${ms.toFixed(2)}`).join(', ');
}
