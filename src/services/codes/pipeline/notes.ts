/** Notes in results: what the Content-Code, or the file, lacks of what a viewer shows. */

const NOTES = {
  DEPTH_CLIPPED:
    'The Image-Code is made as by iscc-sdk, which turns gray levels of more than 8 bits white or black. ' +
    'With compat=better it has all levels, and does not match codes of iscc-sdk.',
  END_MISSING: 'The end of the file is missing. The Image-Code is made from the pixels that are there.',
  CHARACTERS_REPLACED:
    'The Text-Code is made as by iscc-sdk, which replaces characters beyond U+FFFF, such as emoji. Simprints and ' +
    'the extracted text have them, with compat=better also the code.',
  TURNED_TEXT_OMITTED:
    'The Text-Code is made as by iscc-sdk, without text beside the box of turned pages. Simprints and the ' +
    'extracted text have it, with compat=better also the code.',
  FORM_VALUES_OMITTED:
    'The Text-Code is made as by iscc-sdk, without the values of form fields. The extracted text has them, ' +
    'with compat=better also code and simprints.',
} as const;

export type Note = keyof typeof NOTES;

/** The notes as a result shows them: code and text of each. `undefined` without notes. */
export function noteText(notes: readonly Note[] = []): string | undefined {
  return notes.length === 0 ? undefined : notes.map((note) => `${note}: ${NOTES[note]}`).join(' ');
}
