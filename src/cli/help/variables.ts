/** The documentation of all variables: a Markdown section, and `.env` files. */
import { SERVICE_NAMES, SERVICES, type ServiceName } from '../../compose/services.js';
import { commonVariables } from '../../platform/config/common.js';
import { envFile, markdownTable } from '../../platform/config/describe.js';
import { s3Variables } from '../../platform/config/s3.js';
import type { Variables } from '../../platform/config/variable.js';

/** A heading and a table per set of variables, for docs/reference. */
export function variablesSection(): string {
  return [...variableSets(SERVICE_NAMES), S3_VARIABLES]
    .map(([heading, variables]) => `\n## ${heading}\n\n${markdownTable(variables)}\n`)
    .join('');
}

/** The command reads them for `s3://` sources, services for buckets that their variables name. */
const S3_VARIABLES = ['Objects and buckets in S3', s3Variables] as const;

/** A `.env` file with the variables of services and their defaults. */
export function envFileOf(services: readonly ServiceName[]): string {
  return variableSets(services)
    .map(([heading, variables]) => `# ---- ${heading} ----\n\n${envFile(variables)}\n`)
    .join('\n');
}

const EXAMPLE_HEAD = `# All variables of isccd with their defaults. Copy this file to .env, then uncomment and change what you need.
# Generated from the source by npm run docs; do not edit.
`;

/** The content of `.env.example`: all variables, commented out. */
export function envExample(): string {
  const [heading, variables] = S3_VARIABLES;
  const all = `${envFileOf(SERVICE_NAMES)}\n# ---- ${heading} ----\n\n${envFile(variables)}\n`;
  return `${EXAMPLE_HEAD}\n${all.replace(/^(?=[A-Z])/gm, '# ')}`;
}

function variableSets(
  services: readonly ServiceName[],
): (readonly [heading: string, variables: Variables])[] {
  const own = services.map((name) => [`The ${name} service`, SERVICES[name].variables] as const);
  return [['Every service', commonVariables], ...own];
}
