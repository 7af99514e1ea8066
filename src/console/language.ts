/** The language of the page, and its texts, numbers and dates in it. */
import { GERMAN, type PageText } from './texts/german.js';

export type { PageText } from './texts/german.js';

export type Language = 'en' | 'de';

/** Where the choice of the user is kept. */
const STORED = 'isccd-language';
const NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** What takes the place of `{0}`, `{1}` and so on. Numbers are written as the language does. */
export type Value = string | number;
type Values<T extends string> = T extends `${string}{2}${string}`
  ? readonly [Value, Value, Value]
  : T extends `${string}{1}${string}`
    ? readonly [Value, Value]
    : T extends `${string}{0}${string}`
      ? readonly [Value]
      : readonly [];

/** The choice of the user, else the first language of the browser that the page has, else English. */
export const language: Language = stored() ?? preferred();
const locale = browserLocales().find((name) => languageOf(name) === language) ?? language;

/** A text of the page in its language, with values in the places of `{0}` and so on. */
export function t<T extends PageText>(text: T, ...values: Values<T>): string {
  return filled(text, values);
}

/** The same for a text that a worker chose. */
export function filled(text: PageText, values: readonly Value[]): string {
  return known(text).replace(/\{(\d)\}/g, (_, at: string) => {
    const value = values[Number(at)] ?? '';
    return typeof value === 'number' ? number(value) : value;
  });
}

/** A text of the server: in the language of the page if the table has it, else as it is. */
export function known(text: string): string {
  return language === 'de' && Object.hasOwn(GERMAN, text) ? GERMAN[text as PageText] : text;
}

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return value.toLocaleString(locale, options);
}

/** A number with as many digits after the point or comma. */
export function fixed(value: number, digits: number): string {
  return number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A date and a time of day. The default style is the short one of the locale. */
export function dateTime(iso: string, options: Intl.DateTimeFormatOptions = {}): string {
  return new Date(iso).toLocaleString(locale, options);
}

/** Attributes whose values are read or heard. */
const ATTRIBUTES = ['alt', 'aria-label', 'placeholder', 'title'];
/** Not texts of the page: code, and names that are the same in all languages. */
const OTHER = 'code, [translate=no], script, style';

/** Puts the texts of the document, which are English, into the language of the page, with a switch to the other one. */
export function translatePage(button: HTMLElement): void {
  document.documentElement.lang = language;
  const other: Language = language === 'de' ? 'en' : 'de';
  button.lang = other;
  button.textContent = NAMES[other];
  button.addEventListener('click', () => {
    store(other);
    location.reload();
  });
  if (language === 'en') return;
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest(OTHER) === null) node.nodeValue = translated(node.nodeValue ?? '');
  }
  for (const name of ATTRIBUTES)
    for (const element of document.querySelectorAll(`[${name}]`))
      element.setAttribute(name, translated(element.getAttribute(name) ?? ''));
}

/** Keeps the space around the text. */
function translated(text: string): string {
  const plain = text.trim();
  return plain === '' ? text : text.replace(plain, () => known(plain));
}

function preferred(): Language {
  return (
    browserLocales()
      .map(languageOf)
      .find((name) => name !== undefined) ?? 'en'
  );
}

function browserLocales(): readonly string[] {
  return typeof navigator === 'undefined' ? [] : (navigator.languages ?? []);
}

function languageOf(name: string): Language | undefined {
  const [code = ''] = name.toLowerCase().split('-');
  return Object.keys(NAMES).includes(code) ? (code as Language) : undefined;
}

function stored(): Language | undefined {
  try {
    return languageOf(localStorage.getItem(STORED) ?? '');
  } catch {
    // The user does not let pages keep data.
    return undefined;
  }
}

function store(chosen: Language): void {
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // Then the switch would have no effect: the page asks the browser again.
  }
}
