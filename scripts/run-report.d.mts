export declare function failedFiles(
  failed: readonly string[],
  unhandledErrors: readonly unknown[],
): string[] | null;
