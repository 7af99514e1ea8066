/** The summary of sources per use. It never claims more than all sources that it rests on. */
import { summariseDisclosures, weakest } from './disclosure.js';
import { type Answers, type Source, type Statement, type SummaryEntry, USES } from './schema.js';

/**
 * Per use, the permission on which all counting sources that speak about it agree. Sources that do not speak about a
 * use do not limit it.
 */
export function summarise(sources: readonly Source[]): Record<string, SummaryEntry> {
  const counting = sources.filter(({ counts }) => counts);
  const named = counting.flatMap(({ statements }) => statements.map(({ use }) => use));
  const uses = [...new Set([...USES, ...named])];
  return Object.fromEntries(uses.map((use) => [use, entryOf(use, counting)]));
}

function entryOf(use: string, sources: readonly Source[]): SummaryEntry {
  const about = ({ statements }: Source): Statement[] => statements.filter((one) => one.use === use);
  const speaking = sources.filter((source) => about(source).length > 0);
  const statements = speaking.flatMap(about);
  const [first] = statements;
  if (first === undefined) return { status: 'unspecified', sources: [] };
  const isAgreed = statements.every(({ permission }) => permission === first.permission);
  return {
    status: isAgreed ? first.permission : 'conflicting',
    sources: speaking.map(({ id }) => id),
    signature: weakest(speaking),
    implied: statements.every(({ implied }) => implied),
  };
}

const TRAINING_USES = ['c2pa.ai_training', 'c2pa.ai_generative_training'] as const;

/** The answers to the two questions of those who have a content: may I train on it, and was it made by AI. */
export function answersOf(sources: readonly Source[], summary: Record<string, SummaryEntry>): Answers {
  const entries = TRAINING_USES.map((use) => summary[use]);
  const ids = new Set(entries.flatMap((entry) => entry?.sources ?? []));
  const speaking = sources.filter(({ id }) => ids.has(id));
  const by = [...new Set(speaking.flatMap((source) => source.by ?? []))];
  const training = {
    sources: speaking.map(({ id }) => id),
    ...(speaking.length > 0 && { signature: weakest(speaking) }),
    ...(by.length > 0 && { by }),
  };
  const { status, ...ai } = summariseDisclosures(sources);
  return {
    mayTrain: { answer: mayTrain(entries.map((entry) => entry?.status)), ...training },
    madeByAi: { answer: status, ...ai },
  };
}

/** Training for any purpose: what limits one kind limits it. */
function mayTrain(statuses: readonly (SummaryEntry['status'] | undefined)[]): Answers['mayTrain']['answer'] {
  if (statuses.includes('conflicting')) return 'conflicting';
  if (statuses.includes('notAllowed')) return 'no';
  if (statuses.includes('constrained')) return 'onConditions';
  return statuses.every((status) => status === 'allowed') ? 'yes' : 'unspecified';
}
