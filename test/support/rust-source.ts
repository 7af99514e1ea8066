/** Rust without comments and texts, whose braces and names mean nothing. */
export function bare(source: string): string {
  const ignored =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\[^\n]+?|[^'\\\n])'/g;
  return source.replace(ignored, (part) => (part.startsWith('/') ? '' : '""'));
}
