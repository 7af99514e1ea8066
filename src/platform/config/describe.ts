/** Documents variables from their declarations: for the reference page and `--env`. */
import type { Variable, Variables } from './variable.js';

/** A Markdown table with the columns variable, default and purpose. */
export function markdownTable(variables: Variables): string {
  const rows = Object.values(variables).map(
    (variable) => `| \`${variable.name}\` | ${markdownDefault(variable)} | ${purpose(variable)}. |`,
  );
  return ['| Variable | Default | Purpose |', '|---|---|---|', ...rows].join('\n');
}

/**
 * The variables as a `.env` file: purposes as comments, and every variable with its default. Variables without a fixed
 * default are commented out.
 */
export function envFile(variables: Variables): string {
  return Object.values(variables)
    .map((variable) =>
      [...wrapped(`${purpose(variable).replaceAll('`', '')}.`), assignment(variable)].join('\n'),
    )
    .join('\n\n');
}

function assignment(variable: Variable): string {
  const { name, default: value, defaultShown } = variable;
  if (value !== undefined && defaultShown === undefined) return `${name}=${quotedIfNeeded(value)}`;
  const shown = shownDefault(variable).replaceAll('`', '');
  return shown === '' ? `# ${name}=` : [...wrapped(`Default: ${shown}.`), `# ${name}=`].join('\n');
}

function quotedIfNeeded(value: string): string {
  return /^[\w.,:/*+-]*$/.test(value) ? value : `'${value}'`;
}

const COMMENT_CHARACTERS_MAX = 100;

/** Comment lines. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= COMMENT_CHARACTERS_MAX) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(`# ${word}`);
  }
  return lines;
}

/** Name, default and purpose of each variable, for JSON output. */
export function variableRecords(variables: Variables): object[] {
  return Object.values(variables).map((variable) => ({
    name: variable.name,
    default: shownDefault(variable),
    description: purpose(variable),
  }));
}

function purpose({ description, unit }: Variable): string {
  return unit === undefined ? description : `${description}. Unit: ${unit}`;
}

/** The default as documentation shows it; empty if the variable has no default. */
export function shownDefault({ default: value, defaultShown }: Variable): string {
  return (defaultShown ?? value ?? '').trim();
}

function markdownDefault(variable: Variable): string {
  const shown = shownDefault(variable);
  if (shown === '') return 'empty';
  return variable.defaultShown === undefined ? `\`${shown}\`` : shown;
}
