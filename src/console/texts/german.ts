/**
 * The texts of the page: English as the code and the page have them, with their German form. A text that is missing here is a
 * type error where it is used. `{0}`, `{1}` and so on stand for values.
 */
import { ACTIONS } from './actions.js';
import { FILES } from './files.js';
import { INDEXES } from './indexes.js';
import { MANIFESTS } from './manifests.js';
import { PAGE } from './page.js';

export const GERMAN = { ...PAGE, ...FILES, ...INDEXES, ...MANIFESTS, ...ACTIONS } as const;

export type PageText = keyof typeof GERMAN;
