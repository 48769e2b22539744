import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** The answer to a DNS query: addresses (of both families), an error code, or no answer at all. */
export type DnsReply = readonly string[] | 'no such name' | 'server failure' | 'refused' | 'silence';

const CODES = { 'server failure': 2, 'no such name': 3, refused: 5 };
const TYPES = { 4: 1, 6: 28 } as const;

/** A name server on the loopback that answers A and AAAA queries as the test says. */
export class DnsServer {
  /** Each query as `name A` or `name AAAA`, in order of arrival. */
  readonly questions: string[] = [];

  private constructor(
    private readonly socket: Socket,
    public reply: (name: string, family: 4 | 6) => DnsReply,
  ) {}

  static async start(reply: (name: string, family: 4 | 6) => DnsReply): Promise<DnsServer> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
    const server = new DnsServer(socket, reply);
    socket.on('message', (message, { port, address }) => {
      const answer = server.answerTo(message);
      if (answer !== null) socket.send(answer, port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async stop(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private answerTo(message: Buffer): Buffer | null {
    const labels: string[] = [];
    let at = 12;
    for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const family = message.readUInt16BE(at + 1) === TYPES[6] ? 6 : 4;
    const name = labels.join('.').toLowerCase();
    this.questions.push(`${name} ${family === 6 ? 'AAAA' : 'A'}`);
    const reply = this.reply(name, family);
    if (reply === 'silence') return null;
    const records = typeof reply === 'string' ? [] : reply.filter((address) => isIP(address) === family).map(recordOf);
    const head = Buffer.from(message.subarray(0, at + 5));
    head.writeUInt16BE(0x8180 | (typeof reply === 'string' ? CODES[reply] : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    return Buffer.concat([head, ...records]);
  }
}

/** Returns the record of one address, for the name of the query, with a TTL of 0. */
function recordOf(address: string): Buffer {
  const bytes = isIP(address) === 4 ? address.split('.').map(Number) : bytesOf(address);
  const type = bytes.length === 4 ? TYPES[4] : TYPES[6];
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
}

function bytesOf(address: string): number[] {
  const [left = [], right] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: right === undefined ? 0 : 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...(right ?? [])].flatMap((group) => [
    parseInt(group, 16) >> 8,
    parseInt(group, 16) & 255,
  ]);
}
