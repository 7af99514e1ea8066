/** HTML templates that escape all values except {@link Html}. */
import { inReadingOrder } from '../../../platform/printable.js';

/** Markup that needs no escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Lists are joined; `undefined`, `null` and `false` become the empty string. */
export type Value = string | number | Html | undefined | null | false | readonly Value[];

/** Escapes values, and controls of the direction of text, for element content and double-quoted attributes. Values are allowed only there. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((text, at) => text + rendered(values[at])).join(''));
}

function rendered(value: Value): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return inReadingOrder(String(value)).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
