/** The codes service in a process of its own, as a user starts it. */
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Process, serve } from '../../support/serve.js';

export interface CodesProcess extends Process {
  readonly url: string;
}

/** Starts it on a free port, its files in `folder`; it ends with the test. */
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
