/** Gives a service the coder of this process: that of the codes service, else one with workers of its own. */
import type { ServiceApp } from '../http/routing/service.js';
import { type CodesConfig, readCodesConfig } from '../platform/config/codes.js';
import type { Environment } from '../platform/config/variable.js';
import type { Logger } from '../platform/observe/log.js';
import type { InProcessServices } from '../services/resolver/app.js';

/** Settings of the coder; `undefined` if it is off. @throws {ConfigurationInvalid} */
export function coderConfig(isOn: boolean, environment: Environment): CodesConfig | undefined {
  return isOn ? readCodesConfig(environment) : undefined;
}

/** Builds a service with a coder, if that is on. A new coder ends with the service that needed it first. */
export async function withCoder(
  config: CodesConfig | undefined,
  log: Logger,
  inProcess: InProcessServices,
  build: (inProcess: InProcessServices) => Promise<BuiltService>,
): Promise<BuiltService> {
  if (config === undefined || inProcess.coder !== undefined) return build(inProcess);
  const { startContentCoder } = await import('../services/codes/content-coder.js');
  const coder = await startContentCoder(config, log);
  try {
    const { app, provides, ...rest } = await build({ ...inProcess, coder });
    const close = async () => {
      await app.close?.();
      await coder.close();
    };
    return { ...rest, app: { ...app, close }, provides: { ...provides, coder } };
  } catch (error) {
    await coder.close();
    throw error;
  }
}

export interface BuiltService {
  readonly app: ServiceApp;
  /** What services that start later can call without HTTP. */
  readonly provides?: InProcessServices;
  /** Reads the files of its configuration again. */
  readonly reload?: () => Promise<void>;
}
