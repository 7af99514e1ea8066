/** A certificate authority with an OCSP responder, made with openssl. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { native } from '../../../src/native.js';
import { debianProgram } from '../../support/set-up.js';

const run = promisify(execFile);
const DAYS = '30';

export type Status = 'good' | 'revoked';

export interface Signer {
  /** File of the trust anchor. */
  readonly anchors: string;
  /** Signs a manifest; `stapled` is the status in the OCSP response that it contains. */
  sign(manifestId: string, stapled?: Status): Promise<Buffer>;
  /** A response of the responder, or of one that the authority has not certified. */
  response(status: Status, responder?: 'certified' | 'foreign'): Promise<Buffer>;
}

/** @param address of the responder, which the signer's certificate names */
export async function ocspSigner(address = 'http://ocsp.example/'): Promise<Signer> {
  const program = debianProgram(['openssl'], 'openssl');
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-ocsp-'));
  const file = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => run(program, args, { cwd: folder });
  await writeFile(file('extensions.cnf'), extensions(address));

  const certificate = async (name: string, issuer: string) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
    await openssl('req', '-new', ...key, '-subj', `/O=isccd tests/CN=${name}`, '-out', `${name}.csr`);
    const self = issuer === name;
    const by = self ? ['-key', `${name}.key`] : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`];
    const section = ['-extfile', 'extensions.cnf', '-extensions', name.replace('foreign', 'responder')];
    const made = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-days', DAYS, '-sha256'];
    await openssl('x509', '-req', ...made, ...section, ...by);
  };
  await certificate('root', 'root');
  await certificate('issuer', 'root');
  await certificate('leaf', 'issuer');
  await certificate('responder', 'issuer');
  await certificate('foreign', 'foreign');
  await openssl('ocsp', '-issuer', 'issuer.pem', '-cert', 'leaf.pem', '-no_nonce', '-reqout', 'request.der');
  const { stdout } = await openssl('x509', '-in', 'leaf.pem', '-noout', '-serial');
  const serial = stdout.trim().replace('serial=', '');
  const text = (name: string) => readFile(file(name), 'utf8');
  const [chainPem, keyPem] = [(await text('leaf.pem')) + (await text('issuer.pem')), await text('leaf.key')];

  const response: Signer['response'] = async (status, responder = 'certified') => {
    const name = responder === 'certified' ? 'responder' : 'foreign';
    const [state, revoked] = status === 'good' ? ['V', ''] : ['R', '260101000000Z,keyCompromise'];
    await writeFile(
      file('index.txt'),
      `${[state, '491231235959Z', revoked, serial, 'unknown', '/CN=leaf'].join('\t')}\n`,
    );
    const authority = ['-index', 'index.txt', '-CA', 'issuer.pem', '-ndays', '1', '-reqin', 'request.der'];
    const signer = ['-rsigner', `${name}.pem`, '-rkey', `${name}.key`, '-rother', 'issuer.pem'];
    await openssl(
      'ocsp',
      ...authority,
      ...signer.slice(0, name === 'foreign' ? 4 : 6),
      '-respout',
      'response.der',
    );
    return readFile(file('response.der'));
  };
  return {
    anchors: file('root.pem'),
    response,
    sign: async (manifestId, stapled) =>
      native.signManifest({
        chainPem,
        keyPem,
        algorithm: 'es256',
        manifestId,
        title: 'revocation',
        format: 'image/png',
        assetHash: Buffer.alloc(32, 7),
        bindings: [],
        ...(stapled && { ocspResponse: await response(stapled) }),
      }),
  };
}

function extensions(address: string): string {
  const ids = 'subjectKeyIdentifier = hash\nauthorityKeyIdentifier = keyid';
  const authority = 'basicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign, cRLSign';
  const end = 'basicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature';
  return `
[root]
${authority}
subjectKeyIdentifier = hash
[issuer]
${authority}
${ids}
[leaf]
${end}
extendedKeyUsage = 1.3.6.1.4.1.62558.2.1
authorityInfoAccess = OCSP;URI:${address}
${ids}
[responder]
${end}
extendedKeyUsage = OCSPSigning
${ids}
`;
}

export interface Responder {
  /** Ends with a slash. */
  readonly url: string;
  /** DER of its responses; `undefined`: 503. */
  der: Buffer | undefined;
  /** Number of requests. */
  requests: number;
  close(): Promise<void>;
}

/** A responder on this machine, which gives every client the same response. */
export async function startResponder(): Promise<Responder> {
  const state: { der: Buffer | undefined; requests: number } = { der: undefined, requests: 0 };
  const server = http.createServer((_, response) => {
    state.requests += 1;
    response.writeHead(state.der === undefined ? 503 : 200, { 'Content-Type': 'application/ocsp-response' });
    response.end(state.der);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close });
}
