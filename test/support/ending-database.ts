import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** ReadyForQuery of an idle session: with it a connection is made. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** What a server says whose operator ends it: an ErrorResponse of 57P01. */
const ENDING = errorResponse({
  S: 'FATAL',
  V: 'FATAL',
  C: '57P01',
  M: 'terminating connection due to administrator command',
});

export interface EndingDatabase {
  readonly url: string;
  /** The next connection is ended in the very piece of the stream that says it is made. */
  endNext(): void;
  close(): Promise<void>;
}

/** Stands before a database, and can end a connection at the moment that no reader of a socket can take apart. */
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
