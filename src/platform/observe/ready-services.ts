/** Which services of the process are ready, as a metric: alerts need it, and load balancers alone read `/readyz`. */
import { gauge, type Metric } from './instruments.js';

/** Why a service is not ready; `undefined` if it is. */
export type ReadinessProblem = () => Promise<string | undefined>;

/** The services of the process that report readiness. */
export class ReadyServices {
  readonly #problems = new Map<string, ReadinessProblem>();

  add(service: string, problem: ReadinessProblem): void {
    this.#problems.set(service, problem);
  }

  get metric(): Metric {
    return gauge('isccd_ready', 'Whether /readyz of a service responds with 200', ['service'], () =>
      Promise.all(
        [...this.#problems].map(async ([service, problem]) => {
          // A probe gets status 500 then.
          const isReady = await problem().then(
            (reason) => reason === undefined,
            () => false,
          );
          return { labels: { service }, value: Number(isReady) };
        }),
      ),
    );
  }
}
