/** What output streams can show: colours, and lines that are overwritten. */

/** Whether the user asks for colours (`FORCE_COLOR`) or against them (`NO_COLOR`); see https://no-color.org. */
export type ColourPreference = 'always' | 'never' | 'auto';

/** The relevant part of an output stream; only terminals have all of it. */
export interface Output {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

export function colourPreference(): ColourPreference {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR) return 'never';
  if (FORCE_COLOR === undefined) return 'auto';
  return FORCE_COLOR === '0' || FORCE_COLOR === 'false' ? 'never' : 'always';
}

/** As `NO_COLOR` and `FORCE_COLOR` say, else whether the output is a terminal that has colours. */
export function hasColours(output: Output, preference: ColourPreference = colourPreference()): boolean {
  if (preference !== 'auto') return preference === 'always';
  return output.isTTY === true && (output.hasColors?.() ?? false);
}

/** Whether lines can be overwritten: not in files and pipes, and not on terminals without control sequences. */
export function canOverwrite(output: Output): boolean {
  return output.isTTY === true && process.env.TERM !== 'dumb';
}
