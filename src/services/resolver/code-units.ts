/** The searchable units of a code that a client sends. */
import { BindingQueryInvalid } from '../../c2pa/binding-query.js';
import { isNativeError, native } from '../../native.js';

/** Kinds of units that say something about the content or its bytes; a Meta-Code is made of a title. */
const SEARCHABLE = /^(?:SEMANTIC|CONTENT|DATA|INSTANCE)-/;

/**
 * The canonical form of a code, and its units without Meta-Codes and featureless Content-Codes.
 *
 * @throws {BindingQueryInvalid}
 */
export function unitsOfCode(text: string): { readonly iscc: string; readonly units: readonly string[] } {
  const { iscc, units } = explained(text);
  const searchable = units.filter(({ readable }) => SEARCHABLE.test(readable)).map((unit) => unit.iscc_unit);
  const telling = searchable.filter((unit) => !native.isFeatureless(unit));
  if (telling.length === 0) throw new BindingQueryInvalid('iscc has no unit to search by');
  return { iscc, units: telling };
}

function explained(text: string) {
  try {
    return native.explain(text);
  } catch (error) {
    if (!isNativeError(error)) throw error;
    throw new BindingQueryInvalid(`iscc must be an ISCC-CODE or ISCC-UNIT: ${error.message}`);
  }
}
