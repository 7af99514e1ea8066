/** In a file of its own, so that a command can recognise the error without loading the services. */

interface Failure {
  readonly isConfiguration?: boolean;
  readonly cause: unknown;
}

/** A service could not start; the services that had started are stopped again. The message is one line. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
  /** Whether the operator has to change the configuration or the data directory. */
  readonly isConfiguration: boolean;

  constructor(message: string, { isConfiguration = false, cause }: Failure) {
    super(message, { cause });
    this.isConfiguration = isConfiguration;
  }
}
