import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** The ReadyForQuery message of an idle session, which completes a connection. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** The ErrorResponse 57P01, which a server sends when its operator ends it. */
const ENDING = errorResponse({
  S: 'FATAL',
  V: 'FATAL',
  C: '57P01',
  M: 'terminating connection due to administrator command',
});

export interface EndingDatabase {
  readonly url: string;
  /** Ends the next connection in the same chunk of the stream that completes it. */
  endNext(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy in front of a database. The proxy can end a connection in the same chunk that completes it, which no
 * reader of the socket can separate.
 */
export async function startEndingDatabase(databaseUrl: string): Promise<EndingDatabase> {
  const address = new URL(databaseUrl);
  let isNext = false;
  const server = createServer((client) => {
    const isEnded = isNext;
    isNext = false;
    const database = connect(Number(address.port), address.hostname);
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('error', () => undefined).on('close', () => other.destroy());
    }
    client.on('data', (bytes) => void database.write(bytes));
    database.on('data', (bytes) => {
      if (isEnded && bytes.subarray(-READY.length).equals(READY)) client.end(Buffer.concat([bytes, ENDING]));
      else client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    endNext: () => (isNext = true),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const body = Buffer.from(
    `${Object.entries(fields)
      .map(([code, text]) => `${code}${text}\0`)
      .join('')}\0`,
  );
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
