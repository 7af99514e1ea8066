/** Sentences for violations of schemas. Schemas with a text of their own keep it. */
import type { z } from 'zod';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'an array',
  int: 'a whole number',
  object: 'an object',
};

/** What is wrong with a value, to follow its name; `undefined` for kinds whose usual text is clear. */
export function violationText(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(issue.input, issue.expected);
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys.join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1 ? 'must not be empty' : undefined;
    default:
      return undefined;
  }
}

function typeText(input: unknown, expected: string): string {
  if (input === undefined) return 'is missing';
  // Parameters of a URL are texts, unless they are given several times.
  if (expected === 'string' && Array.isArray(input))
    return 'must be a single text; it is given several times';
  const name = expected === 'string' ? 'text' : expected;
  return `must be ${ARTICLES[name] ?? `a ${name}`}`;
}
