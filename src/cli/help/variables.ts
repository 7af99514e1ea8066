/** The documentation of every variable, as docs/reference shows it. */

import { SERVICES } from '../../compose/services.js';
import { commonVariables } from '../../config/common.js';
import { markdownTable } from '../../config/describe.js';

/** A heading and a table per set of variables, in Markdown. */
export function variablesSection(): string {
  const sets = [
    ['Every service', commonVariables],
    ...Object.entries(SERVICES).map(([name, { variables }]) => [`The ${name} service`, variables] as const),
  ] as const;
  return sets.map(([heading, variables]) => `\n## ${heading}\n\n${markdownTable(variables)}\n`).join('');
}
