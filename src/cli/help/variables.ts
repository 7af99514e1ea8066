/** The documentation of all variables for docs/reference. */
import { SERVICES } from '../../compose/services.js';
import { commonVariables } from '../../config/common.js';
import { markdownTable } from '../../config/describe.js';

/** A Markdown heading and table per set of variables. */
export function variablesSection(): string {
  const sets = [
    ['Every service', commonVariables],
    ...Object.entries(SERVICES).map(([name, { variables }]) => [`The ${name} service`, variables] as const),
  ] as const;
  return sets.map(([heading, variables]) => `\n## ${heading}\n\n${markdownTable(variables)}\n`).join('');
}
