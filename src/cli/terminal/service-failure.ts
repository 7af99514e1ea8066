/** Failures of services that a command calls. */
import { ServiceError } from '../../client/errors.js';
import { CommandFailed } from './failure.js';

/**
 * What a command throws for an error of a client: where to give the key or token if it is that; others stay as they are.
 *
 * @param secret where the user gives the key or token, for a request without a valid one
 */
export function serviceFailure(
  error: unknown,
  secret: { readonly variable: string; readonly option: string },
): unknown {
  if (error instanceof ServiceError && error.status === 401)
    return new CommandFailed(`${error.message}: set ${secret.variable}, or pass ${secret.option}`);
  return error;
}
