import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddress, requestOrigin } from '../../src/http/head/client-address.js';
import { RequestHeaders } from '../../src/http/head/head.js';
import { matchesIfNoneMatch } from '../../src/http/reply/conditional.js';
import { contentDisposition } from '../../src/http/reply/disposition.js';
import { requestedRange } from '../../src/http/reply/range.js';

const forwarded = (value: string) => new RequestHeaders(['x-forwarded-for', value]);

describe('clientAddress', () => {
  it.each([
    ['10.0.0.1', '1.1.1.1', 0, '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1', 1, '1.1.1.1'],
    ['10.0.0.1', '3.3.3.3, 2.2.2.2, 1.1.1.1', 1, '1.1.1.1'],
    ['10.0.0.1', '3.3.3.3, 2.2.2.2, 1.1.1.1', 2, '2.2.2.2'],
    ['10.0.0.1', '3.3.3.3', 2, '3.3.3.3'],
    ['10.0.0.1', 'unknown', 1, '10.0.0.1'],
    ['10.0.0.1', '', 1, '10.0.0.1'],
    ['10.0.0.1', '999.1.1.1', 1, '10.0.0.1'],
    ['10.0.0.1', '2001:DB8:0:0::1', 1, '2001:db8::1'],
    ['10.0.0.1', '[2001:db8::1]:443', 1, '2001:db8::1'],
    ['10.0.0.1', '1.1.1.1:443', 1, '1.1.1.1'],
    ['10.0.0.1', '::ffff:1.1.1.1', 1, '1.1.1.1'],
    ['10.0.0.1', 'fe80::1%eth0', 1, 'fe80::1'],
    ['10.0.0.1', 'fe80::1%', 1, 'fe80::1'],
    ['10.0.0.1', '[2001:db8::1]', 1, '2001:db8::1'],
    ['10.0.0.1', '[fe80::1%eth0]:443', 1, 'fe80::1'],
    ['10.0.0.1', '[2001:db8::1]:', 1, '10.0.0.1'],
    ['10.0.0.1', '[2001:db8::1]:x', 1, '10.0.0.1'],
    ['10.0.0.1', '[2001:db8::1]:443x', 1, '10.0.0.1'],
    ['10.0.0.1', 'x[2001:db8::1]:443', 1, '10.0.0.1'],
    ['10.0.0.1', '[]', 1, '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1:', 1, '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1:x', 1, '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1:443x', 1, '10.0.0.1'],
    ['10.0.0.1', 'x1.1.1.1:443', 1, '10.0.0.1'],
    ['10.0.0.1', '  3.3.3.3  ,  2.2.2.2  ', 1, '2.2.2.2'],
    ['10.0.0.1', '::FFFF:1.2.3.4', 1, '1.2.3.4'],
    ['10.0.0.1', '::ffff:0:102:304', 1, '::ffff:0:102:304'],
    ['10.0.0.1', '1::ffff:102:304', 1, '1::ffff:102:304'],
    ['a socket', '', 0, 'a socket'],
    ['a socket', 'unknown', 1, 'a socket'],
    ['::ffff:7f00:1', '', 0, '127.0.0.1'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '', 0, '::1'],
  ])('of peer %s with %j behind %d proxies is %s', (peer, header, proxies, expected) => {
    expect(clientAddress(peer, forwarded(header), proxies)).toBe(expected);
  });

  it('joins several header lines', () => {
    const lines = new RequestHeaders(['x-forwarded-for', '1.1.1.1', 'x-forwarded-for', '2.2.2.2']);
    expect(clientAddress('10.0.0.1', lines, 1)).toBe('2.2.2.2');
    expect(clientAddress('10.0.0.1', lines, 2)).toBe('1.1.1.1');
  });
});

describe('requestOrigin', () => {
  it.each([
    [['host', 'a.example'], 0, 'http://a.example'],
    [['host', 'a.example', 'x-forwarded-proto', 'https'], 0, 'http://a.example'],
    [['host', 'a.example', 'x-forwarded-proto', 'https'], 1, 'https://a.example'],
    [['host', 'a.example', 'x-forwarded-proto', 'javascript'], 1, 'http://a.example'],
    [['host', 'a.example', 'x-forwarded-host', 'b.example:444'], 1, 'http://b.example:444'],
    [['host', 'a.example', 'x-forwarded-host', 'b"><script>'], 1, 'http://a.example'],
    [['host', 'a.example', 'x-forwarded-proto', 'HTTPS'], 1, 'https://a.example'],
    [['host', 'a.example', 'x-forwarded-proto', 'http, https'], 2, 'http://a.example'],
    [['host', 'a.example', 'x-forwarded-host', 'b.example'], 0, 'http://a.example'],
    [['host', 'a.example', 'x-forwarded-host', 'b.example, c.example'], 1, 'http://c.example'],
    [['x-forwarded-host', 'b-1.example:44444'], 1, 'http://b-1.example:44444'],
    [['x-forwarded-host', '[2001:DB8::1]'], 1, 'http://[2001:DB8::1]'],
    [['x-forwarded-host', '[::ffff:1.2.3.4]:444'], 1, 'http://[::ffff:1.2.3.4]:444'],
    [[], 0, 'http://fallback'],
    [[], 1, 'http://fallback'],
  ])('of %j behind %d proxies is %s', (lines, proxies, expected) => {
    expect(requestOrigin(new RequestHeaders(lines), proxies, 'fallback')).toBe(expected);
  });

  it.each([
    '',
    'b.example:',
    'b.example:x',
    'b.example:444x',
    'b.example:123456',
    'b.example/x',
    '<b.example',
    '2001:db8::1',
    '[]',
    '[g]',
    '[::1',
    '::1]',
    '[::1]x',
    'x[::1]',
  ])('ignores the forwarded host %j', (forwarded) => {
    const lines = ['host', 'a.example', 'x-forwarded-host', forwarded];
    expect(requestOrigin(new RequestHeaders(lines), 1, 'fallback')).toBe('http://a.example');
  });
});

describe('contentDisposition', () => {
  it.each([
    ['photo.jpg', 'attachment; filename="photo.jpg"'],
    ['a b.jpg', 'attachment; filename="a b.jpg"'],
    ['"quoted".jpg', `attachment; filename="_quoted_.jpg"; filename*=UTF-8''%22quoted%22.jpg`],
    ["it's (1)*.jpg", `attachment; filename="it's (1)*.jpg"`],
    ['ünï.jpg', `attachment; filename="_n_.jpg"; filename*=UTF-8''%C3%BCn%C3%AF.jpg`],
    [`ü'(*).jpg`, `attachment; filename="_'(*).jpg"; filename*=UTF-8''%C3%BC%27%28%2A%29.jpg`],
    ['😀.png', `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`],
    ['a\r\nSet-Cookie: x=1', 'attachment; filename="a__Set-Cookie: x=1"'],
    ['a\0b\x7f', 'attachment; filename="a_b_"'],
    ['lone \ud800', 'attachment; filename="lone _"'],
  ])('of %j', (name, expected) => {
    expect(contentDisposition('attachment', name)).toBe(expected);
  });

  it('is printable ASCII with one quoted string for any name, and encodes the exact name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const header = contentDisposition('inline', name);
        expect(header).toMatch(/^inline; filename="[ !#$&-[\]-~]*"(; filename\*=UTF-8''[\w!#$&+.^`|~%-]*)?$/);
        const [, encoded] = /filename\*=UTF-8''(.*)$/.exec(header) ?? [];
        if (encoded !== undefined && !/[\p{Cc}\u2028\u2029]/u.test(name))
          expect(decodeURIComponent(encoded)).toBe(name);
      }),
    );
  });
});

describe('matchesIfNoneMatch', () => {
  it.each([
    [undefined, false],
    ['*', true],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b","a"', true],
    ['"b"', false],
    ['a', false],
    ['"a', false],
    ['', false],
  ])('with %j', (header, expected) => {
    expect(matchesIfNoneMatch(header, '"a"')).toBe(expected);
    expect(matchesIfNoneMatch(header, 'W/"a"')).toBe(expected);
  });
});

describe('requestedRange', () => {
  it('never exceeds the content', () => {
    const header = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('both', 'first', 'last'));
    fc.assert(
      fc.property(header, fc.nat(1000), ([first, last, kind], size) => {
        const text = `bytes=${kind === 'last' ? '' : first}-${kind === 'first' ? '' : last}`;
        const range = requestedRange(text, size);
        if (range === undefined || range === 'unsatisfiable') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.start).toBeLessThan(range.end);
        expect(range.end).toBeLessThanOrEqual(size);
      }),
    );
  });
});
