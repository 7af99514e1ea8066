import { constants } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { errorForm } from '../../src/services/codes/error-form.js';
import { CodesRefusal, Unavailable } from '../../src/services/codes/errors.js';
import { fileErrorCode } from '../../src/services/codes/tools/file-error.js';

const MAX = 1000;
const development = errorForm({ details: true, uploadBytesMax: MAX });
const production = errorForm({ details: false, uploadBytesMax: MAX });
const text = (reply: ReturnType<typeof development.thrown>) => [
  reply.status,
  reply.body?.kind === 'text' && reply.body.text,
];

test('the cause is shown in development only', () => {
  const error = new CodesRefusal('FILE_DAMAGED', {}, { cause: new Error('truncated\n  JPEG') });
  const sentence = 'The file is damaged, incomplete or not in the format of its file name.';
  expect(text(development.thrown(error, 'id'))).toEqual([
    422,
    `ISCC processing error. ${sentence} (FILE_DAMAGED: truncated JPEG)`,
  ]);
  expect(text(production.thrown(error, 'id'))).toEqual([
    422,
    `ISCC processing error. ${sentence} (FILE_DAMAGED)`,
  ]);
});

test('the message of an unexpected error is hidden in production', () => {
  const error = new Error('/home/me/secret');
  expect(text(production.thrown(error, 'id'))).toEqual([500, 'Internal Server Error']);
  expect(text(development.thrown(error, 'id'))).toEqual([500, 'Internal Server Error (/home/me/secret)']);
  expect(text(production.thrown('not an Error', 'id'))).toEqual([500, 'Internal Server Error']);
});

test('a busy service responds with Retry-After', () => {
  const reply = production.thrown(new Unavailable(), 'id');
  expect([reply.status, reply.headers?.['Retry-After']]).toEqual([503, '5']);
});

test('problem details have the code, the sentence and, in development, the cause', () => {
  const error = new CodesRefusal('ISCC_INVALID', { reason: 'too short' }, { cause: new Error('inner') });
  const problem = {
    title: 'Bad Request',
    status: 400,
    detail: 'Invalid ISCC - too short',
    code: 'ISCC_INVALID',
  };
  const bodyOf = (reply: ReturnType<typeof production.thrown> | undefined) => reply?.body;
  const contentType = 'application/problem+json';
  expect(bodyOf(production.problems?.thrown(error, 'id'))).toEqual({
    kind: 'text',
    contentType,
    text: JSON.stringify(problem),
  });
  expect(bodyOf(development.problems?.thrown(error, 'id'))).toEqual({
    kind: 'text',
    contentType,
    text: JSON.stringify({ ...problem, cause: 'inner' }),
  });
});

describe('refusals of the HTTP layer', () => {
  test.each([
    [{ kind: 'body-empty' }, 400, `Bad Request - Content-Length must be > 0 and < ${MAX}`],
    [{ kind: 'body-too-large', bytesMax: 77 }, 400, 'Bad Request - Content-Length must be > 0 and < 77'],
    [{ kind: 'not-found', path: '/x' }, 404, 'Not Found'],
    [
      { kind: 'precondition-failed' },
      412,
      'Precondition Failed - the content has another ETag than If-Match names.',
    ],
    [{ kind: 'range-unsatisfiable', size: 5 }, 416, 'Range Not Satisfiable - the file has 5 bytes.'],
    [{ kind: 'malformed', message: 'no Host.' }, 400, 'Bad Request - no Host.'],
    [
      {
        kind: 'invalid',
        violations: [
          { where: 'body', path: ['name'], message: 'must not be empty' },
          { where: 'body', path: [], message: 'expected object' },
        ],
      },
      400,
      'Bad Request - name: must not be empty; body: expected object',
    ],
  ] as const)('%j', (refusal, status, message) => {
    expect(text(production.refusal(refusal))).toEqual([status, message]);
  });

  test('a wrong method gets the allowed methods', () => {
    const reply = production.refusal({ kind: 'method-not-allowed', allow: ['GET', 'HEAD'] });
    expect(text(reply)).toEqual([405, 'Method Not Allowed - use GET, HEAD.']);
  });
});

test('a failed allocation means that the file is too complex; other range errors do not', () => {
  const bytes = 2 ** 50;
  const allocations = [() => new ArrayBuffer(bytes)];
  // Node.js 24 and later have a message of their own for this.
  if (constants.MAX_LENGTH >= bytes) allocations.push(() => Buffer.allocUnsafeSlow(bytes).buffer);
  for (const allocate of allocations) expect(fileErrorCode(thrownBy(allocate))).toBe('FILE_TOO_COMPLEX');
  expect(fileErrorCode(thrownBy(() => 'x'.repeat(-1)))).toBeUndefined();
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
