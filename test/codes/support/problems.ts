/** What a verification of a media folder reports, a line per problem. */
import { verifyCodes } from '../../../src/services/codes/verify.js';

export async function problemsOf(mediaPath: string): Promise<string[]> {
  const problems: string[] = [];
  await verifyCodes(
    mediaPath,
    (id, problem) => problems.push(`${id}: ${problem}`),
    () => undefined,
  );
  return problems;
}
