/** The summary of sources per use. It never claims more than all sources that it rests on. */
import { SIGNATURES, type Source, type Statement, type SummaryEntry, USES } from './schema.js';

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

function weakest(sources: readonly Source[]): Source['signature'] {
  const ranks = sources.map(({ signature }) => SIGNATURES.indexOf(signature));
  return SIGNATURES[Math.max(...ranks)] ?? 'none';
}
