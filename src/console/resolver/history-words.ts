/** Codes of actions, kinds of sources and relations in manifests, in words. */
import { type PageText, t } from '../language.js';

/** Of the C2PA. */
const ACTIONS: Readonly<Record<string, PageText>> = {
  'c2pa.created': 'Created',
  'c2pa.opened': 'Opened',
  'c2pa.placed': 'Ingredient placed',
  'c2pa.removed': 'Ingredient removed',
  'c2pa.edited': 'Edited',
  'c2pa.edited.metadata': 'Metadata edited',
  'c2pa.color_adjustments': 'Colours adjusted',
  'c2pa.adjustedColor': 'Colours adjusted',
  'c2pa.addedText': 'Text added',
  'c2pa.drawing': 'Drawn on',
  'c2pa.cropped': 'Cropped',
  'c2pa.resized': 'Resized',
  'c2pa.resized.proportional': 'Resized',
  'c2pa.orientation': 'Turned or mirrored',
  'c2pa.filtered': 'Filtered',
  'c2pa.enhanced': 'Enhanced',
  'c2pa.trimmed': 'Trimmed',
  'c2pa.changedSpeed': 'Speed changed',
  'c2pa.dubbed': 'Dubbed',
  'c2pa.translated': 'Translated',
  'c2pa.converted': 'Converted',
  'c2pa.transcoded': 'Transcoded',
  'c2pa.repackaged': 'Repackaged',
  'c2pa.redacted': 'Redacted',
  'c2pa.deleted': 'Deleted',
  'c2pa.watermarked': 'Watermarked',
  'c2pa.watermarked.bound': 'Watermarked',
  'c2pa.watermarked.unbound': 'Watermarked',
  'c2pa.published': 'Published',
  'c2pa.unknown': 'Something unknown was done',
};

/** The last part of the URIs of the IPTC. */
const SOURCES: Readonly<Record<string, PageText>> = {
  digitalCapture: 'captured by a camera',
  computationalCapture: 'captured and computed by a camera',
  negativeFilm: 'scanned from film',
  positiveFilm: 'scanned from film',
  print: 'scanned from paper',
  humanEdits: 'edited by people',
  minorHumanEdits: 'edited by people',
  digitalCreation: 'made by people with software',
  digitalArt: 'made by people with software',
  screenCapture: 'captured from a screen',
  virtualRecording: 'recorded from a virtual world',
  dataDrivenMedia: 'made from data',
  algorithmicMedia: 'made by an algorithm',
  algorithmicallyEnhanced: 'enhanced by an algorithm',
  trainedAlgorithmicMedia: 'made by AI',
  compositeWithTrainedAlgorithmicMedia: 'partly made by AI',
  composite: 'put together',
  compositeCapture: 'put together from captures',
  compositeSynthetic: 'put together, partly synthetic',
};

/** Of an ingredient to its asset. */
const RELATIONS: Readonly<Record<string, PageText>> = {
  parentOf: 'source of the asset',
  componentOf: 'part of the asset',
  inputTo: 'input of an action',
};

/** Codes that are not in the table are shown as they are. */
export function actionWords(code: string): string {
  return wordsOf(ACTIONS, code);
}

export function sourceWords(uri: string): string {
  return wordsOf(SOURCES, uri.split('/').at(-1) ?? uri);
}

export function relationWords(code: string): string {
  return wordsOf(RELATIONS, code);
}

function wordsOf(table: Readonly<Record<string, PageText>>, code: string): string {
  const text = Object.hasOwn(table, code) ? table[code] : undefined;
  return text === undefined ? code : t(text);
}
