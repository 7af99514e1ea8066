/** What units are called, and what equal or similar ones mean, in words. */

export interface UnitName {
  readonly name: string;
  /** What a similar unit of another file says. */
  readonly meaning: string;
}

const NAMES: Readonly<Record<string, UnitName>> = {
  META: { name: 'Meta-Code', meaning: 'Similar metadata' },
  SEMANTIC: { name: 'Semantic-Code', meaning: 'Similar meaning' },
  CONTENT: { name: 'Content-Code', meaning: 'Similar content' },
  DATA: { name: 'Data-Code', meaning: 'Similar bytes' },
  INSTANCE: { name: 'Instance-Code', meaning: 'The very same bytes' },
  ID: { name: 'ISCC-ID', meaning: 'When and where it was declared' },
};

/** Takes main type and subtype as the services write them, e.g. `CONTENT` and `IMAGE`. */
export function unitName(main: string, sub: string): UnitName {
  const { name, meaning } = NAMES[main] ?? { name: main, meaning: '' };
  const withSub = main === 'CONTENT' || main === 'SEMANTIC';
  return { name: withSub ? `${name} ${sub.charAt(0)}${sub.slice(1).toLowerCase()}` : name, meaning };
}
