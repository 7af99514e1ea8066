export declare function problemsOf(message: string, files: readonly string[]): readonly string[];
export declare function installHook(folder: string): void;
export declare function wrongCommits(
  folder: string,
): readonly { readonly commit: string; readonly subject: string; readonly problems: readonly string[] }[];
