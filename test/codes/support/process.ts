/** The codes service in a separate process, started like a user would. */
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Process, serve } from '../../support/serve.js';

export interface CodesProcess extends Process {
  readonly url: string;
}

/** Starts the service on a free port with its data in `folder`. Stops it after the test. */
export async function serveCodes(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<CodesProcess> {
  const env = {
    CODEWEB_PORT: '0',
    CODEWEB_MEDIA_PATH: path.join(folder, 'media'),
    CODEWEB_LOG_LEVEL: 'info',
    ...environment,
  };
  const { urls, ...process } = await serve(['codes'], { cwd: folder, env });
  onTestFinished(() => process.kill());
  return { ...process, url: urls.codes };
}
