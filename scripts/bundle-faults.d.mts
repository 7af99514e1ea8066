/** What bundling breaks; `bundle-faults.mjs` describes it. */
export function bundleFaults(text: string): string[];
export function bundleProblems(
  name: string,
  text: string,
  known?: Readonly<Record<string, string>>,
): string[];
