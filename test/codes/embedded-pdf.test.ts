/** PDFs in documents, which the reference reads by other means than PDFs of their own. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { format } from '../../src/services/codes/pipeline/formats/text.js';

const path = fileURLToPath(new URL('../fixtures/office/pdf/attached.docx', import.meta.url));
const mediatype = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

it('have text outside of pages, notes, links, bookmarks and the texts of attached files', async () => {
  const file = { path, filename: 'attached.docx', mediatype };
  const { unit, text } = await format.content({ ...file, granular: false, compat: '0.9.7', keepText: true });
  expect(text?.split('\n').filter((line) => line !== '')).toEqual([
    'Brief mit Anlage',
    'anlage.pdf',
    'Text der Seite',
    'Text unter der Seite',
    'https://example.com/verweis',
    'Anna',
    'Anmerkung zum Text',
    'Erstes Kapitel',
    'Abschnitt',
    'Zweites Kapitel',
    'Absatz des angehängten Briefes',
    'Inhalt der angehängten Notiz',
  ]);
  // By iscc-sdk 0.9.7.
  expect(unit).toBe('ISCC:EADQI7FZ6DK52EG7RNOOPUMC5NSNP776EM2VLBJ4WLL43EF7WFM3PNI');
});
