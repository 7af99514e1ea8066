/** Finds texts on a German page that are not German. */
import type { Page } from 'playwright-core';
import { GERMAN } from '../../src/console/texts/german.js';

/** Names that are the same in all languages: of units, files, types, and codes of C2PA. */
const NAMES =
  /^(?:(?:Meta|Semantic|Content|Data|Instance)-Code(?: \p{L}+)?|isccd|ISCC(?::\S+)?|urn:\S+|https?:\S+|[a-z]+\/[\w.+-]+|[\w-]+(?:\.\w+)+)$/u;
/** With a unit of measure. */
const MEASURE = /^[\d.,]+ (?:kB|MB|MiB|ms|s|%)$/;
/** Between texts that the page puts together. */
const JOINT = / · |; |, |: ?|^\(| \(|\)|(?<=\.) \(?/g;

/**
 * The texts and labels of a page, those of hidden parts too, that have letters and no form in the table of texts.
 *
 * @param data names that the test put there, e.g. of indexes
 */
export async function untranslated(page: Page, data: readonly string[] = []): Promise<string[]> {
  const texts = await page.evaluate<string[]>(TEXTS);
  const isOne = (text: string): boolean =>
    !/\p{L}/u.test(text) ||
    data.includes(text) ||
    [NAMES, MEASURE, ...PATTERNS].some((pattern) => pattern.test(text)) ||
    // A number of things.
    (/^[\d.]+ /.test(text) && isOne(text.replace(/^[\d.]+ /, ''))) ||
    (text.endsWith('.') && isOne(text.slice(0, -1)));
  const isKnown = (text: string): boolean =>
    isOne(text) ||
    [...text.matchAll(JOINT)].some(
      ({ index, 0: joint }) => isOne(text.slice(0, index)) && isKnown(text.slice(index + joint.length)),
    );
  return [...new Set(texts.filter((text) => !isKnown(text)))];
}

/** The German texts, with any value in the places of `{0}` and so on. Those of little else fit too much. */
const PATTERNS = Object.values(GERMAN).map((text) => {
  const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/\{\d\}/g, '.+')}$`, 'isu');
});

/** Runs in the page. Code, names and files' own texts are data. */
const TEXTS = `(() => {
  const data = 'code, pre, bdi, blockquote, textarea, script, style, noscript, [translate=no]';
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest(data)) texts.push(node.nodeValue);
  for (const name of ['alt', 'aria-label', 'placeholder', 'title'])
    for (const element of document.querySelectorAll('[' + name + ']:not([translate=no])'))
      texts.push(element.getAttribute(name));
  return texts.map((text) => text.replace(/\\s+/g, ' ').trim()).filter(Boolean);
})()`;
