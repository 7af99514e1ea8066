/** `isccd explain CODE…`: the parts of a code, as text or as the JSON of the service. */
import { native } from '../../native.js';
import { unlikeCode } from '../input/arguments.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, lines, reason } from '../terminal/failure.js';

export function explain(codes: readonly string[], options: { json?: boolean }): void {
  const failures: string[] = [];
  for (const code of codes) {
    try {
      const explained = native.explain(code);
      process.stdout.write(options.json ? `${JSON.stringify(explained)}\n` : describe(explained));
    } catch (error) {
      failures.push(unlikeCode(code) ?? `${code} is not a valid ISCC: ${reason(error)}`);
    }
  }
  if (failures.length > 0) throw new CommandFailed(lines(failures));
}

function describe(explained: ReturnType<typeof native.explain>): string {
  const lines = [
    ['iscc', explained.iscc],
    ['readable', explained.readable],
    ['multiformat', explained.multiformat],
    ['decomposed', explained.decomposed],
    ...explained.units.flatMap((unit) => [
      ['', ''],
      ['unit', unit.iscc_unit],
      ['readable', unit.readable],
      ['hash_hex', unit.hash_hex],
      ['hash_uint', unit.hash_uint],
      ['hash_bits', unit.hash_bits],
      ...(unit.featureless ? [['featureless', 'matches of this Content-Code mean nothing']] : []),
    ]),
  ];
  const paint = painter(process.stdout);
  const line = ([name = '', value]: string[]) =>
    name === '' ? '' : `${paint('dim', name.padEnd(12))}${value}`.trimEnd();
  return `${lines.map(line).join('\n')}\n\n`;
}
