/** Arguments that a command checks before the decoder or a service does, whose errors speak to programs. */
import { existsSync } from 'node:fs';
import { ISCC_ID_PATTERN } from '../../iscc/iscc-id.js';
import { NAME_PATTERN } from '../../services/search/schema.js';
import { CommandFailed, EXIT_CONFIGURATION } from '../terminal/failure.js';

/** Of units with 64 bits, the shortest codes that are found anywhere. */
const CODE_CHARACTERS_MIN = 16;
export const CODE_RULE = `a code is ISCC: and at least ${CODE_CHARACTERS_MIN} letters A to Z and digits 2 to 7`;

/** Why a text that the decoder refuses is no code; `undefined` if it looks like one, so that the decoder's reason says more. */
export function unlikeCode(text: string): string | undefined {
  const bare = text.trim().replace(/^iscc:/i, '');
  const isLike = bare.length >= CODE_CHARACTERS_MIN && /^[\w+/=-]+$/.test(bare);
  return isLike ? undefined : `${text} is not a code: ${CODE_RULE}; multiformat is accepted, too`;
}

/** The ISCC-CODE or ISCC-UNIT of an argument, with a prefix and in upper case. */
export function codeArgument(text: string): string {
  const [, bare] = /^(?:iscc:)?([a-z2-7]{16,})$/i.exec(text.trim()) ?? [];
  if (bare === undefined) throw new CommandFailed(`${text} is not a code: ${CODE_RULE}`, EXIT_CONFIGURATION);
  return `ISCC:${bare.toUpperCase()}`;
}

/** An ISCC-ID argument. */
export function isccIdArgument(text: string): string {
  if (ISCC_ID_PATTERN.test(text)) return text;
  throw new CommandFailed(
    `${text} is not an ISCC-ID, such as ISCC:MAIGIIFJRDGEQQAA; isccd index search finds assets by their code`,
    EXIT_CONFIGURATION,
  );
}

/** Name of an index. */
export function indexArgument(name: string): string {
  if (NAME_PATTERN.test(name)) return name;
  const nearest = name.toLowerCase().replace(/^[^a-z]+|[^a-z0-9]/g, '');
  const suggestion = nearest === '' ? '' : `; did you mean ${nearest}?`;
  throw new CommandFailed(
    `${name} is not a name of an index: small letters and digits, first a letter${suggestion}`,
    EXIT_CONFIGURATION,
  );
}

/** Refuses an address without a scheme, such as `127.0.0.1:8010`, which would be taken for a folder. */
export function refuseHostAndPort(place: string): void {
  if (!/^(?:[a-z\d.-]+|\[[\da-f:.]+\]):\d{1,5}$/i.test(place) || existsSync(place)) return;
  throw new CommandFailed(`${place} has no scheme; did you mean http://${place}?`, EXIT_CONFIGURATION);
}
