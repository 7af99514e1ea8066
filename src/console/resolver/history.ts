/** How an asset came to be, by its manifest: ingredients, actions and the asset, as a list with the lines of a graph beside it. */
import { type Child, element, nameElement } from '../dom.js';
import { dateTime, t } from '../language.js';
import type { Credentials } from './api.js';
import { actionWords, relationWords, sourceWords } from './history-words.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Width of a lane, and of the space above the middle of a dot, in pixels. */
const STEP = 16;
const TOP = 12;
/** Further ingredients share the last lane. */
const LANES_MAX = 5;

/** In the order of time, from top to bottom. The first lane is that of the asset. */
interface Row {
  readonly kind: 'ingredient' | 'action' | 'asset';
  readonly lane: number;
  readonly text: readonly Child[];
  /** Whether the lanes of the ingredients end here. */
  readonly isJoint: boolean;
}

type Said = Pick<Credentials, 'actions' | 'ingredients' | 'time'>;

/** Nothing if the manifest says nothing of it. */
export function historyView(said: Said): Node[] {
  const { actions, ingredients } = said;
  if (actions.length + ingredients.length === 0) return [];
  const rows = rowsOf(said);
  const lanes = Math.max(...rows.map(({ lane }) => lane)) + 1;
  const joint = rows.findIndex(({ isJoint }) => isJoint);
  const items = rows.map((row, at) => {
    const above = new Set(at > joint ? [0] : rows.slice(0, at).map(({ lane }) => lane));
    return element('li', { class: row.kind }, lines(row, above, lanes), element('span', {}, ...row.text));
  });
  return [
    element(
      'div',
      { class: 'history' },
      element('p', { class: 'hint' }, t('History')),
      element('ol', { 'aria-label': t('History') }, ...items),
    ),
  ];
}

function rowsOf({ actions, ingredients, time }: Said): Row[] {
  const placed = actions.findIndex(({ action }) => action === 'c2pa.placed');
  const joint = Math.max(placed, 0);
  // What the asset was made from is on its own lane, parts have lanes of their own.
  let parts = 0;
  const sources = ingredients.map((ingredient): Row => {
    const isParent = ingredient.relationship === 'parentOf';
    if (!isParent) parts += 1;
    const lane = isParent ? 0 : Math.min(parts, LANES_MAX - 1);
    return { kind: 'ingredient', lane, text: ingredientText(ingredient), isJoint: false };
  });
  const done = actions.map((action, at): Row => {
    return { kind: 'action', lane: 0, text: actionText(action), isJoint: at === joint };
  });
  const signed =
    time === undefined ? [] : [hint(dateTime(time, { dateStyle: 'medium', timeStyle: 'short' }))];
  const text = [element('strong', {}, t('This asset')), ...signed];
  return [...sources, ...done, { kind: 'asset', lane: 0, text, isJoint: actions.length === 0 }];
}

function ingredientText({ title, relationship, manifestId }: Credentials['ingredients'][number]): Child[] {
  const words = [relationship === undefined ? t('Ingredient') : relationWords(relationship)];
  if (manifestId !== undefined) words.push(t('with a manifest of its own'));
  return [nameElement(title ?? t('untitled')), hint(words.join(', '))];
}

function actionText({ action, when, digitalSourceType }: Credentials['actions'][number]): Child[] {
  const words: string[] = [];
  if (digitalSourceType !== undefined) words.push(sourceWords(digitalSourceType));
  const date = new Date(when ?? '');
  if (!Number.isNaN(date.getTime()))
    words.push(dateTime(date.toISOString(), { dateStyle: 'medium', timeStyle: 'short' }));
  return [actionWords(action), ...(words.length === 0 ? [] : [hint(words.join(', '))])];
}

function hint(text: string): HTMLElement {
  return element('span', { class: 'hint' }, ` ${text}`);
}

/** The part of the graph beside a row: its dot, and the lanes that come from above. Rows may be of any height. */
function lines({ kind, lane, isJoint }: Row, above: ReadonlySet<number>, lanes: number): SVGSVGElement {
  const picture = shape('svg', { width: String(lanes * STEP), 'aria-hidden': 'true' });
  for (const from of above) {
    const x = middle(from);
    if (isJoint && from > 0) {
      const path = `M${x} 0C${x} ${TOP} ${middle(0)} 0 ${middle(0)} ${TOP}`;
      picture.append(shape('path', { d: path }));
    } else picture.append(line(x, '0', from === lane && kind === 'asset' ? String(TOP) : '100%'));
  }
  if (kind !== 'asset') picture.append(line(middle(lane), String(TOP), '100%'));
  const radius = kind === 'asset' ? '6' : '5';
  picture.append(shape('circle', { cx: String(middle(lane)), cy: String(TOP), r: radius }));
  return picture;
}

function middle(lane: number): number {
  return lane * STEP + STEP / 2;
}

function line(x: number, y1: string, y2: string): SVGElement {
  return shape('line', { x1: String(x), x2: String(x), y1, y2 });
}

function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[K] {
  const created = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  return created;
}
