/** HTML as a template: whatever is put into it is text, unless it is HTML already. */

/** Markup that is known to be sound. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Lists are joined; `undefined`, `null` and `false` are nothing. */
export type Value = string | number | Html | undefined | null | false | readonly Value[];

/** Values are escaped for element content and for attributes in double quotes, the only two places they may stand. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((text, at) => text + rendered(values[at])).join(''));
}

function rendered(value: Value): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
