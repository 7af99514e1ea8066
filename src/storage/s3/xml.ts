/** Reads the XML of S3 responses, which has neither attributes nor namespaces prefixes in the elements needed here. */

/** Content of the first element with a name; `undefined` without one. */
export function element(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(?:amp|lt|gt|quot|apos|#(\d+));/g, (entity, code: string | undefined) =>
    code === undefined ? (ENTITIES[entity] ?? entity) : String.fromCodePoint(Number(code)),
  );
}

/** Inner XML of all elements with a name. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) => inner);
}

/** Whether a response is a listing of objects, and not the page of a proxy. */
export function isListing(xml: string): boolean {
  return /<ListBucketResult[\s>/]/.test(xml);
}

/** A key in a listing with `encoding-type=url`. */
export function decodedKey(text: string | undefined): string {
  return decodeURIComponent((text ?? '').replaceAll('+', ' '));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};
