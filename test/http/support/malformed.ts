/** Requests that break a rule of HTTP/1.1, byte by byte. Each is followed by {@link SMUGGLED} in tests of smuggling. */

export const HOST = 'Host: x\r\n';
export const NEXT = `GET /about HTTP/1.1\r\n${HOST}\r\n`;
export const SMUGGLED = `DELETE /thing/smuggled HTTP/1.1\r\n${HOST}\r\n`;

export const post = (headers: string, body: string) =>
  `POST /upload HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
export const chunked = '5\r\nhello\r\n0\r\n\r\n';

/** Refused with 400 if the layer sees the request; the transport's parser may close the connection instead. */
export const REFUSED: readonly (readonly [name: string, request: string])[] = [
  ['two equal Content-Lengths', post('Content-Length: 5\r\nContent-Length: 5\r\n', 'hello')],
  ['two different Content-Lengths', post('Content-Length: 5\r\nContent-Length: 6\r\n', 'hello!')],
  ['a list of Content-Lengths', post('Content-Length: 5, 5\r\n', 'hello')],
  ['a Content-Length with sign', post('Content-Length: +5\r\n', 'hello')],
  ['a negative Content-Length', post('Content-Length: -5\r\n', 'hello')],
  ['a hexadecimal Content-Length', post('Content-Length: 0x5\r\n', 'hello')],
  ['a Content-Length with a fraction', post('Content-Length: 5.0\r\n', 'hello')],
  ['an empty Content-Length', post('Content-Length:\r\n', 'hello')],
  [
    'Content-Length with Transfer-Encoding',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', chunked),
  ],
  [
    'Transfer-Encoding with Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', chunked),
  ],
  ['Transfer-Encoding: xchunked', post('Transfer-Encoding: xchunked\r\n', chunked)],
  ['Transfer-Encoding: identity', post('Transfer-Encoding: identity\r\n', chunked)],
  ['Transfer-Encoding: gzip, chunked', post('Transfer-Encoding: gzip, chunked\r\n', chunked)],
  ['two Transfer-Encodings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', chunked)],
  ['two Hosts', `GET /about HTTP/1.1\r\n${HOST}Host: y\r\n\r\n`],
  ['an empty Host', 'GET /about HTTP/1.1\r\nHost:\r\n\r\n'],
  ['an invalid Host', 'GET /about HTTP/1.1\r\nHost: a/b<c>\r\n\r\n'],
  ['a fragment in the path', `GET /about#b HTTP/1.1\r\n${HOST}\r\n`],
  ['bytes above 127 in the path', `GET /\xc3\xa4 HTTP/1.1\r\n${HOST}\r\n`],
];

/** node:http refuses immediately; builds of uWebSockets.js do so, too, or close after about 10 s. None calls a handler. */
export const SILENT_OR_REFUSED: readonly (readonly [name: string, request: string])[] = [
  ['NUL in a header value', `GET /about HTTP/1.1\r\n${HOST}X-A: b\0c\r\n\r\n`],
  ['NUL in a header name', `GET /about HTTP/1.1\r\n${HOST}X-\0A: b\r\n\r\n`],
  ['NUL in the path', `GET /a\0b HTTP/1.1\r\n${HOST}\r\n`],
  ['a control character in a header', `GET /about HTTP/1.1\r\n${HOST}X-A: b\x01c\r\n\r\n`],
  ['a bare CR in a header', `GET /about HTTP/1.1\r\n${HOST}X-A: b\rc\r\n\r\n`],
  ['bare LF after each line', 'GET /about HTTP/1.1\nHost: x\n\n'],
  ['bare LF after a header', 'GET /about HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n'],
  ['a space before the colon', post('Content-Length : 5\r\n', 'hello')],
  ['HTTP/2.0', `GET /about HTTP/2.0\r\n${HOST}\r\n`],
  ['not a request', 'hello\r\n\r\n'],
  ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['no Host', 'GET /about HTTP/1.1\r\nX-A: b\r\n\r\n'],
  ['an empty header name before Host', `GET /about HTTP/1.1\r\n: b\r\n${HOST}\r\n`],
];

/** node:http refuses these with 400; builds of uWebSockets.js pass them to the layer, which knows no such method, or close. */
export const UNKNOWN_METHODS: readonly (readonly [name: string, request: string])[] = [
  ['an unknown method', `FOO /about HTTP/1.1\r\n${HOST}\r\n`],
  ['a method in lower case', `get /about HTTP/1.1\r\n${HOST}\r\n`],
];
