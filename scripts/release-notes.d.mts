/** The section of a version in the changelog; empty if it has none. */
export function notesOf(changelog: string, version: string): string;
