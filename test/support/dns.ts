/** A DNS server on this machine that resolves names as the test configures. */
import dgram from 'node:dgram';

const A = 1;
const AAAA = 28;
const HEADER_BYTES = 12;

export interface DnsServer {
  /** `address:port`. */
  readonly address: string;
  close(): void;
}

/** Answers A and AAAA queries from the table; `*` matches every other name. A name without entry does not exist. */
export async function dnsServer(table: Readonly<Record<string, readonly string[]>>): Promise<DnsServer> {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    socket.send(answerTo(question, table), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

function answerTo(question: Buffer, table: Readonly<Record<string, readonly string[]>>): Buffer {
  const { name, end } = nameIn(question);
  const type = question.readUInt16BE(end);
  const known = table[name] ?? table['*'];
  const matching = (known ?? []).filter((address) => type === (address.includes(':') ? AAAA : A));
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(matching.length, 6);
  const records = matching.map((address) => record(type, address));
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end + 4), ...records]);
}

function nameIn(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (question[at] !== 0) {
    const length = question[at] ?? 0;
    labels.push(question.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function record(type: number, address: string): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  // A pointer to the name in the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array<string>(missing).fill('0'), ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
