/** Finds elements in the text of HTML and XML documents by their tags, without a parser of either. */

export interface FoundElement {
  /** By lower-case name; of a repeated attribute, the first. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Text up to the next tag. */
  readonly text: string;
}

/** Sticky patterns of bounded look-ahead only, so that time grows with the length of the text. */
const ATTRIBUTE = /\s*([^\s=>/"']+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?\s*\/?/y;
const REFERENCES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const ELEMENTS_MAX = 10_000;

/** The elements with a name, which may have a namespace prefix in XML. */
export function elements(document: string, name: string): FoundElement[] {
  const found: FoundElement[] = [];
  const start = new RegExp(`<(?:[\\w.-]{1,100}:)?${name}(?=[\\s/>])`, 'gi');
  for (let match = start.exec(document); match !== null; match = start.exec(document)) {
    const { attributes, end } = attributesAt(document, start.lastIndex);
    const textEnd = document.indexOf('<', end);
    found.push({
      attributes,
      text: unescaped(document.slice(end, textEnd < 0 ? undefined : textEnd)).trim(),
    });
    if (found.length === ELEMENTS_MAX) break;
    start.lastIndex = end;
  }
  return found;
}

function attributesAt(document: string, from: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>();
  let at = from;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(document);
    if (match === null) break;
    const [whole, name = '', double, single, bare] = match;
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, unescaped(double ?? single ?? bare ?? ''));
    at += whole.length;
  }
  const close = document.indexOf('>', at);
  return { attributes, end: close < 0 ? document.length : close + 1 };
}

/** Without character references. Unknown ones stay. */
function unescaped(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,10}));/gi,
    (whole, decimal, hex, name: string) => {
      if (name !== undefined) return REFERENCES[name.toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
