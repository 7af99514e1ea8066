/**
 * The one typed door to the native addon. A checkout has it in `native/`, an installed package in
 * the optional dependency for its platform.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { AddonMissing } from './addon-missing.js';

export type * from '../native/index.d.ts';

type Addon = typeof import('../native/index.d.ts');

/** Platforms that a prebuilt addon is published for; the suffix is napi's name of the target. */
const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-x64-msvc',
};

function load(): Addon {
  const platform = `${process.platform}-${process.arch}`;
  const target = TARGETS[platform];
  if (target === undefined) throw new AddonMissing(`isccd has no native addon for ${platform}`);
  const require = createRequire(import.meta.url);
  const candidates = [
    fileURLToPath(new URL(`../native/isccd.${target}.node`, import.meta.url)),
    `@isccd/native-${target}`,
  ];
  const failures: string[] = [];
  for (const candidate of candidates) {
    try {
      return require(candidate) as Addon;
    } catch (error) {
      failures.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    }
  }
  const fix = `npm install @isccd/native-${target}`;
  throw new AddonMissing(`isccd's native addon is missing; run: ${fix} (tried: ${failures.join('; ')})`);
}

export const native: Addon = load();
