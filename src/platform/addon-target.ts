/** Platforms with prebuilt native packages. */
import { lazily } from './lazily.js';

const TARGETS: readonly string[] = [
  ...['linux-x64-gnu', 'linux-arm64-gnu', 'linux-x64-musl', 'linux-arm64-musl'],
  ...['darwin-x64', 'darwin-arm64', 'win32-x64-msvc'],
];

/** This platform in a few words, for messages. */
export const PLATFORM = `${process.platform}-${process.arch}`;

/** napi's name of this platform, as in `@isccd/native-linux-x64-gnu`; `undefined` without a prebuilt package. */
export function addonTarget(): string | undefined {
  const target = `${PLATFORM}${ABIS[process.platform]?.() ?? ''}`;
  return TARGETS.includes(target) ? target : undefined;
}

const ABIS: Readonly<Record<string, () => string>> = {
  linux: () => (hasGlibc() ? '-gnu' : '-musl'),
  win32: () => '-msvc',
};

/** A report takes up to 25 ms, more with every open connection. */
const hasGlibc = lazily((): boolean => {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
});
