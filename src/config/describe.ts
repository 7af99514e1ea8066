/** Documents variables from their declarations: for the reference page and `--env`. */
import type { Variable, Variables } from './variable.js';

/** A Markdown table with the columns variable, default and purpose. */
export function markdownTable(variables: Variables): string {
  const rows = Object.values(variables).map(
    (variable) => `| \`${variable.name}\` | ${markdownDefault(variable)} | ${purpose(variable)}. |`,
  );
  return ['| Variable | Default | Purpose |', '|---|---|---|', ...rows].join('\n');
}

/** One line per variable for a terminal: name, default, purpose. */
export function plainTable(variables: Variables): string {
  const rows = Object.values(variables).map((variable) => ({
    left: `${variable.name}=${shownDefault(variable)}`,
    right: purpose(variable).replaceAll('`', ''),
  }));
  const width = Math.min(48, Math.max(...rows.map(({ left }) => left.length)));
  return rows.map(({ left, right }) => `${left.padEnd(width)}  ${right}`).join('\n');
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
  return unit === undefined ? description : `${description}, in ${unit}`;
}

/** The default as documentation shows it; empty if there is none. */
export function shownDefault({ default: value, defaultShown }: Variable): string {
  return (defaultShown ?? value ?? '').trim();
}

function markdownDefault(variable: Variable): string {
  const shown = shownDefault(variable);
  if (shown === '') return 'empty';
  return variable.defaultShown === undefined ? `\`${shown}\`` : shown;
}
