/**
 * What fields say about the part of generative AI in making a content, in the terms of iscc-schema 0.8.0: `human`, `ai_assisted`,
 * `human_supervised`, `ai_generated`.
 */
import type { RightsField } from '../../../content/rights.js';
import { type Disclosure, INVOLVEMENTS, type Involvement, SIGNATURES, type Source } from './schema.js';
import { textOf } from './vocabulary.js';

const IPTC_START = /^https?:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\//i;

/** Terms of the IPTC's vocabulary that say whether generative AI had a part. Others, as of algorithms without training, do not. */
const SOURCE_TYPES: Readonly<Record<string, Involvement>> = {
  trainedAlgorithmicMedia: 'ai_generated',
  compositeWithTrainedAlgorithmicMedia: 'ai_assisted',
  digitalCapture: 'human',
  computationalCapture: 'human',
  negativeFilm: 'human',
  positiveFilm: 'human',
  print: 'human',
  humanEdits: 'human',
  minorHumanEdits: 'human',
  digitalCreation: 'human',
  digitalArt: 'human',
};

/** The disclosure of a digital source type; `undefined` if it says nothing about generative AI. */
export function sourceTypeDisclosure(field: string, value: string, system?: string): Disclosure | undefined {
  const involvement = SOURCE_TYPES[value.replace(IPTC_START, '')];
  if (involvement === undefined) return undefined;
  return { involvement, field, value, ...(system !== undefined && { system }) };
}

/** The disclosures of metadata fields that are in one place of a file. */
export function fieldDisclosures(fields: readonly RightsField[]): Disclosure[] {
  const system = textOf(fields, ['Iptc4xmpExt:AISystemUsed']);
  return fields.flatMap(({ name, value }) => {
    if (name !== 'Iptc4xmpExt:DigitalSourceType') return [];
    return sourceTypeDisclosure(name, value, system) ?? [];
  });
}

/** The disclosures of the actions of a C2PA manifest. */
export function actionDisclosures(
  actions: readonly { readonly action: string; readonly digitalSourceType?: string | undefined }[],
): Disclosure[] {
  const found = actions.flatMap(({ action, digitalSourceType: type }) =>
    type === undefined ? [] : (sourceTypeDisclosure(`${action} digitalSourceType`, type) ?? []),
  );
  return found.filter(
    (one, at) => found.findIndex(({ field, value }) => field === one.field && value === one.value) === at,
  );
}

export interface AiSummary {
  readonly status: Involvement | 'unspecified' | 'conflicting';
  readonly sources: string[];
  readonly signature?: Source['signature'];
  readonly by?: string[];
}

/** What all counting sources that speak about it agree on. Of one source, the largest part of AI counts. */
export function summariseDisclosures(sources: readonly Source[]): AiSummary {
  const speaking = sources.filter(({ counts, disclosures = [] }) => counts && disclosures.length > 0);
  const [first, ...others] = speaking.map(({ disclosures = [] }) => largest(disclosures));
  if (first === undefined) return { status: 'unspecified', sources: [] };
  const by = [...new Set(speaking.flatMap((source) => source.by ?? []))];
  return {
    status: others.every((one) => one === first) ? first : 'conflicting',
    sources: speaking.map(({ id }) => id),
    signature: weakest(speaking),
    ...(by.length > 0 && { by }),
  };
}

function largest(disclosures: readonly Disclosure[]): Involvement | undefined {
  return INVOLVEMENTS.findLast((involvement) => disclosures.some((one) => one.involvement === involvement));
}

/** The weakest signature of sources. */
export function weakest(sources: readonly Source[]): Source['signature'] {
  const ranks = sources.map(({ signature }) => SIGNATURES.indexOf(signature));
  return SIGNATURES[Math.max(...ranks)] ?? 'none';
}
