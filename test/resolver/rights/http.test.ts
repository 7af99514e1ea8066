/** Rights look-ups by asset and by code, against the services of one process. */
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isccIdTime } from '../../../src/iscc/iscc-id.js';
import { native } from '../../../src/native.js';
import { codeOf, manifestFor, picture, store } from '../../content/support.js';
import { type AllServices, startAllServices } from '../../support/all-services.js';
import {
  dataMining,
  epubWith,
  FIXTURES,
  fixture,
  htmlWith,
  jpegWith,
  pdfWith,
  type Report,
  rightsByCode,
  rightsByContent,
  statuses,
} from './support.js';

const NOTHING = ['unspecified', 'unspecified', 'unspecified', 'unspecified'];
const RESERVED = ['notAllowed', 'notAllowed', 'notAllowed', 'unspecified'];
const CONSTRAINED = ['constrained', 'constrained', 'constrained', 'unspecified'];

let services: AllServices;
let url: string;
const codes = new Map<number, string>();

beforeAll(async () => {
  services = await startAllServices({
    RESOLVER_RIGHTS: '1',
    MSTORE_TRUST_ANCHORS: path.join(FIXTURES, 'certs/trust-anchors.pem'),
    MSTORE_UNTHROTTLED: '127.0.0.1',
    CODEWEB_MEDIA_PATH: 'media',
  });
  url = services.url.resolver;
  for (const name of [
    '301-denies-trusted',
    '302-allows-untrusted',
    '303-denies-trusted',
    '303-allows-untrusted',
  ])
    await store(services.url.store, fixture(`rights/${name}.c2pa`));
  for (const seed of [301, 302, 303, 304])
    codes.set(seed, (await codeOf(services.url.codes, await picture(seed))).iscc);
  const { units } = await codeOf(services.url.codes, await picture(304));
  await store(services.url.store, await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }]));
}, 60_000);
afterAll(() => services.stop());

const ofPicture = async (asset: Promise<Buffer>, type = 'image/png', query = '') => {
  const { status, body } = await rightsByContent(url, await asset, type, query);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const ofCode = async (seed: number, query = '') => {
  const { status, body } = await rightsByCode(url, codes.get(seed) ?? '', query);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};

describe('POST /check, for the console', () => {
  it.each([
    [301, 'trusted'],
    [302, 'valid'],
  ])('says of a match with picture %i whether its signer is trusted: %s', async (seed, state) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'image/png' }, body: await picture(seed) };
    const response = await fetch(`${url}/check`, init);
    const { matches } = (await response.json()) as { matches: { credentials: { state: string } }[] };
    expect(matches.map(({ credentials }) => credentials.state)).toContain(state);
  });
});

describe.each([
  ['byContent', (seed: number) => ofPicture(picture(seed))],
  ['byCode', (seed: number) => ofCode(seed)],
] as const)('%s', (_, look) => {
  it('reports the assertion of a trusted signer, who it is, and since when', async () => {
    const report = await look(301);
    expect(report.iscc).toBe(codes.get(301));
    expect(statuses(report)).toEqual(['notAllowed', 'notAllowed', 'notAllowed', 'constrained']);
    expect(report.complete).toBe(true);
    const [source] = report.sources;
    expect(source).toMatchObject({
      id: '1',
      kind: 'manifest',
      place: 'match',
      signature: 'trusted',
      counts: true,
      by: 'Trusted ES256 signer',
      issuer: 'ISCC Public Test Signer',
      sinceFrom: 'declaration',
    });
    expect(source?.similarityScore).toBeGreaterThanOrEqual(99);
    expect(source?.since).toBe(isccIdTime(source?.isccId ?? '').toISOString());
    expect(source?.statements).toContainEqual({
      use: 'c2pa.ai_training',
      permission: 'notAllowed',
      field: 'cawg.ai_training',
      value: 'notAllowed',
      implied: false,
    });
    expect(report.summary['c2pa.ai_training']).toEqual({
      status: 'notAllowed',
      sources: ['1'],
      signature: 'trusted',
      implied: false,
    });
    // The action `c2pa.created` has the source type `digitalCreation`.
    expect(report.answers.madeByAi).toMatchObject({ answer: 'human', signature: 'trusted' });
    expect(report.answers.mayTrain).toEqual({
      answer: 'no',
      sources: ['1'],
      signature: 'trusted',
      by: ['Trusted ES256 signer'],
    });
  });

  it('reports a permission of an untrusted signer as such', async () => {
    const report = await look(302);
    expect(statuses(report)).toEqual(['allowed', 'allowed', 'allowed', 'allowed']);
    expect(report.answers.mayTrain).toMatchObject({ answer: 'yes', signature: 'valid' });
    expect(report.summary['c2pa.data_mining']).toMatchObject({ signature: 'valid' });
    expect(report.sources[0]?.statements[0]?.field).toMatch(/^c2pa\./);
  });

  it('reports manifests that contradict each other as conflicting', async () => {
    const report = await look(303);
    expect(statuses(report)).toEqual(['conflicting', 'conflicting', 'conflicting', 'allowed']);
    expect(report.answers.mayTrain.answer).toBe('conflicting');
    expect(report.summary['c2pa.ai_training']?.sources).toHaveLength(2);
    expect(report.summary['c2pa.ai_inference']?.sources).toHaveLength(1);
  });

  it('lists a manifest without such an assertion, which says nothing', async () => {
    const report = await look(304);
    expect(statuses(report)).toEqual(NOTHING);
    expect(report.sources).toMatchObject([{ kind: 'manifest', counts: true, statements: [] }]);
  });
});

describe('the file itself', () => {
  it('counts the manifest that it embeds, and names the state of its signature', async () => {
    const file = fixture('rights/305-denies-embedded.jpg');
    const report = await ofPicture(Promise.resolve(file), 'image/jpeg');
    expect(report.sources[0]).toMatchObject({
      kind: 'manifest',
      place: 'file',
      signature: 'trusted',
      counts: true,
    });
    expect(statuses(report)).toEqual(['notAllowed', 'notAllowed', 'notAllowed', 'constrained']);
  });

  it('lists but does not count an embedded manifest of other bytes', async () => {
    const file = Buffer.from(fixture('rights/305-denies-embedded.jpg'));
    const at = file.length - 100;
    file[at] = (file[at] ?? 0) ^ 1;
    const report = await ofPicture(Promise.resolve(file), 'image/jpeg');
    expect(report.sources[0]).toMatchObject({ place: 'file', signature: 'invalid', counts: false });
    expect(report.sources[0]?.problem).toContain('dataHash.mismatch');
    expect(statuses(report)).toEqual(NOTHING);
  });

  it.each([
    [dataMining('ALLOWED'), ['allowed', 'unspecified', 'unspecified', 'unspecified']],
    [dataMining('UNSPECIFIED'), NOTHING],
    [dataMining('SOMETHING-ELSE'), NOTHING],
    [dataMining('PROHIBITED'), RESERVED],
    [dataMining('PROHIBITED-AIMLTRAINING'), ['unspecified', 'notAllowed', 'notAllowed', 'unspecified']],
    [dataMining('PROHIBITED-GENAIMLTRAINING'), ['unspecified', 'unspecified', 'notAllowed', 'unspecified']],
    [
      dataMining('PROHIBITED-EXCEPTSEARCHENGINEINDEXING'),
      ['constrained', 'notAllowed', 'notAllowed', 'unspecified'],
    ],
    ['<mine:reservation>1</mine:reservation>', RESERVED],
    ['<voc:reservation>1</voc:reservation>', RESERVED],
    ['<mine:reservation>0</mine:reservation>', ['allowed', 'unspecified', 'unspecified', 'unspecified']],
    ['<mine:reservation>2</mine:reservation>', NOTHING],
    [
      `<voc:reservation>1</voc:reservation>${dataMining('ALLOWED')}`,
      ['conflicting', 'notAllowed', 'notAllowed', 'unspecified'],
    ],
  ])('reads the XMP of a picture: %s', async (properties, expected) => {
    const report = await ofPicture(jpegWith(310, properties), 'image/jpeg');
    expect(statuses(report)).toEqual(expected);
    expect(report.complete).toBe(true);
  });

  it.each([
    ['trainedAlgorithmicMedia', 'ai_generated'],
    ['compositeWithTrainedAlgorithmicMedia', 'ai_assisted'],
    ['digitalCapture', 'human'],
    ['algorithmicMedia', 'unspecified'],
  ])('reads the IPTC digital source type %s', async (type, answer) => {
    const value = `http://cv.iptc.org/newscodes/digitalsourcetype/${type}`;
    const properties = `<iptc:DigitalSourceType>${value}</iptc:DigitalSourceType>
      <iptc:AISystemUsed>Painter 3</iptc:AISystemUsed><dc:creator><rdf:Seq><rdf:li>Ann</rdf:li></rdf:Seq></dc:creator>`;
    const report = await ofPicture(jpegWith(320, properties), 'image/jpeg');
    const isSilent = answer === 'unspecified';
    const reasons = isSilent ? { sources: [] } : { sources: ['1'], signature: 'none', by: ['Ann'] };
    expect(report.answers.madeByAi).toEqual({ answer, ...reasons });
    expect(report.answers.mayTrain).toEqual({ answer: 'unspecified', sources: [] });
    if (isSilent) return;
    const disclosure = { involvement: answer, field: 'Iptc4xmpExt:DigitalSourceType', value };
    expect(report.sources[0]).toMatchObject({
      kind: 'metadata',
      place: 'file',
      disclosures: [{ ...disclosure, system: 'Painter 3' }],
    });
  });

  it('names constraints, the owner and the date of the metadata', async () => {
    const properties = `${dataMining('PROHIBITED-SEECONSTRAINT')}<plus:OtherConstraints><rdf:Alt>
      <rdf:li xml:lang='x-default'>Ask &amp; pay</rdf:li></rdf:Alt></plus:OtherConstraints>
      <dc:creator><rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator>
      <xmp:MetadataDate>2026-01-02T03:04:05Z</xmp:MetadataDate>`;
    const report = await ofPicture(jpegWith(311, properties), 'image/jpeg');
    expect(statuses(report)).toEqual(CONSTRAINED);
    expect(report.sources).toMatchObject([
      {
        kind: 'metadata',
        signature: 'none',
        by: 'Ann, Bob',
        sinceFrom: 'metadata',
        since: expect.stringMatching(/^2026/),
      },
    ]);
    expect(report.sources[0]?.statements[0]).toMatchObject({ field: 'plus:DataMining', detail: 'Ask & pay' });
    expect(report.summary['c2pa.data_mining']).toMatchObject({ signature: 'none', implied: false });
    expect(report.summary['c2pa.ai_training']).toMatchObject({ implied: true });
  });

  const POLICY = 'https://example.org/policy.json?a=1&b=2';
  const ESCAPED = POLICY.replace('&', '&amp;');
  it.each([
    [
      'a PDF',
      () => pdfWith(`<mine:reservation>1</mine:reservation><mine:policy>${ESCAPED}</mine:policy>`),
      'application/pdf',
    ],
    [
      'an HTML page',
      async () =>
        htmlWith(`<META Name=tdm-reservation content=1><meta content='${ESCAPED}' name="tdm-policy" />`),
      'text/html',
    ],
    [
      'an EPUB 3',
      async () =>
        epubWith(
          `<opf:meta property="tdm:reservation">1</opf:meta><opf:meta property="tdm:policy">${ESCAPED}</opf:meta>`,
        ),
      'application/epub+zip',
    ],
    [
      'an EPUB 2',
      async () =>
        epubWith(`<meta name="tdm:reservation" content="1"/><meta name="tdm:policy" content="${ESCAPED}"/>`),
      'application/epub+zip',
    ],
  ])('reads the TDM reservation of %s', async (_, file, type) => {
    const report = await ofPicture(file(), type);
    expect(statuses(report)).toEqual(CONSTRAINED);
    expect(report.sources[0]?.statements[0]).toMatchObject({
      field: 'tdm:reservation',
      value: '1',
      detail: POLICY,
    });
  });

  it.each([
    '<!-- <meta name="tdm-reservation" content="1"> -->',
    '<script>const a = `<meta name="tdm-reservation" content="1">`;</script>',
    '<meta name="other" content="tdm-reservation">',
  ])('finds no reservation in %s', async (head) => {
    expect(statuses(await ofPicture(Promise.resolve(htmlWith(head)), 'text/html'))).toEqual(NOTHING);
  });

  it('conflicts with a manifest that matches it', async () => {
    const report = await ofPicture(jpegWith(302, dataMining('PROHIBITED')), 'image/jpeg');
    expect(statuses(report)).toEqual(['conflicting', 'conflicting', 'conflicting', 'allowed']);
    expect(report.answers.mayTrain.answer).toBe('conflicting');
    expect(report.sources.map(({ kind }) => kind)).toEqual(['metadata', 'manifest']);
  });

  it('is not kept', async () => {
    await ofPicture(jpegWith(311, ''), 'image/jpeg');
    expect(await readdir(path.join(services.folder, 'media/drafts'))).toEqual([]);
  });

  it('is refused like by the codes service', async () => {
    expect((await rightsByContent(url, Buffer.alloc(0), 'image/png')).status).toBe(400);
    expect((await rightsByContent(url, await picture(301), 'multipart/form-data; boundary=a')).status).toBe(
      415,
    );
    expect((await rightsByContent(url, Buffer.from('%PDF-1.4 broken'), 'application/pdf')).status).toBe(422);
  });
});

describe('parameters', () => {
  it('lists but does not count statements about content that is less similar than minScore', async () => {
    const similar = await ofPicture(picture(301, 120, 80), 'image/png', '?minScore=100');
    expect(similar.sources[0]).toMatchObject({ signature: 'trusted', counts: false });
    expect(similar.sources[0]?.problem).toContain('less similar');
    expect(statuses(similar)).toEqual(NOTHING);
  });

  it.each(['?minScore=0', '?minScore=101', '?minScore=x'])('refuses %s', async (query) => {
    const { status, body } = await rightsByCode(url, codes.get(301), query);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('minScore')]);
  });

  it.each([
    [{ iscc: 'ISCC:XX' }, 'iscc must be'],
    [{ iscc: 'ISCC:MAIGJHHEZAXDAAAH' }, 'no unit to search by'],
    [{}, 'iscc must be'],
    [{ iscc: 7 }, 'iscc must be'],
    [[], ''],
  ])('refuses the query %j', async (query, detail) => {
    const { status, body } = await rightsByCode(url, query);
    expect([status, body.detail]).toEqual([400, expect.stringContaining(detail)]);
  });
});

describe('many codes', () => {
  const lines = async (body: string) => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const response = await fetch(`${url}/v1/rights/byCode`, { method: 'POST', headers, body });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    return (await response.text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Report & { readonly status?: number });
  };

  it('are answered in order, with an error for each line that is not a code', async () => {
    const found = await lines(
      `${JSON.stringify({ iscc: codes.get(302) })}\n\nno code\n"${codes.get(301)}"\n${'x'.repeat(20_000)}\n{"iscc":""}`,
    );
    expect(found.map(({ line, iscc, status }) => [line, iscc ?? status])).toEqual([
      [1, codes.get(302)],
      [3, 400],
      [4, codes.get(301)],
      [5, 413],
      [6, 400],
    ]);
    expect(found[2] && statuses(found[2])).toEqual(['notAllowed', 'notAllowed', 'notAllowed', 'constrained']);
  });

  it('are answered while they arrive', async () => {
    const { port } = new URL(url);
    const headers = { 'Content-Type': 'application/x-ndjson', 'Transfer-Encoding': 'chunked' };
    const request = http.request({ port, path: '/v1/rights/byCode', method: 'POST', headers });
    const response = new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve));
    const answers: string[] = [];
    for (const seed of [301, 302, 304]) {
      request.write(`"${codes.get(seed)}"\n`);
      const chunks = (await response).setEncoding('utf8');
      const answer = await new Promise<string>((resolve) => chunks.once('data', resolve));
      answers.push((JSON.parse(answer) as Report).iscc);
    }
    request.end();
    (await response).resume();
    expect(answers).toEqual([301, 302, 304].map((seed) => codes.get(seed)));
  });

  it('are all answered, however many', async () => {
    const found = await lines(`"${codes.get(302)}"\n`.repeat(300));
    expect(found).toHaveLength(300);
    expect(found.every((report) => report.iscc === codes.get(302))).toBe(true);
  });
});
