export function newestIn(info: string): string;
export function replaced(
  text: string,
  pattern: RegExp,
  version: string,
): { readonly earlier: string; readonly text: string };
