import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** The reaction of a receiver when the head of a request has arrived. `request` is the text so far. */
export type Reaction = (socket: Socket, request: string) => void | Promise<void>;

/** A receiver on its own port. The test chooses every byte of the answer. */
export class RawReceiver {
  /** The number of all opened connections. */
  connections = 0;
  readonly requests: string[] = [];
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    public react: Reaction,
  ) {}

  static async start(
    react: Reaction,
    { tls, host = '127.0.0.1', port = 0 }: { tls?: TlsOptions; host?: string; port?: number } = {},
  ): Promise<RawReceiver> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const receiver = new RawReceiver(server, react);
    server.on('connection', (socket: Socket) => {
      receiver.connections++;
      receiver.open.add(socket);
      socket.on('error', () => undefined).on('close', () => receiver.open.delete(socket));
    });
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => receiver.read(socket));
    server.on('tlsClientError', () => undefined);
    server.listen(port, host);
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private read(socket: Socket): void {
    let text = '';
    let isAnswered = false;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (isAnswered || end < 0 || text.length < end + 4 + length) return;
      isAnswered = true;
      this.requests.push(text);
      void this.react(socket, text);
    });
  }
}

/** Returns a reaction that writes a whole answer at once and then closes the connection. */
export function answering(status: number, headers: readonly string[] = [], body = ''): Reaction {
  const head = [`HTTP/1.1 ${status} Whatever`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers];
  return (socket) => void socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
