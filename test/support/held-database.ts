import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A moment in the service, identified by a statement that it sends to its database. */
export interface Moment {
  /** A part of the text of a statement. */
  readonly statement: string;
  /**
   * `statement`: before the statement reaches the database. `commit`: before the COMMIT after it does. `committed`:
   * after the COMMIT, before the service gets the answer.
   */
  readonly at: 'statement' | 'commit' | 'committed';
}

/**
 * A proxy between a service and its database that holds a connection forever at a given moment. The work on this
 * connection stops there while all other work continues. A service that is killed then dies at that moment.
 */
export class HeldDatabase {
  private moment: (Moment & { reached: () => void }) | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The DATABASE_URL for the service. */
    readonly url: string,
  ) {}

  static async before(databaseUrl: string): Promise<HeldDatabase> {
    const address = new URL(databaseUrl);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    const held = new HeldDatabase(server, url.toString());
    server.on('connection', (client) => held.join(client, connect(Number(address.port), address.hostname)));
    return held;
  }

  /** Holds the next connection that reaches the moment. @returns a promise that resolves when the connection is held */
  hold(moment: Moment): Promise<void> {
    return new Promise((resolve) => {
      this.moment = { ...moment, reached: resolve };
    });
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, database: Socket): void {
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.sockets.add(one);
      one.setNoDelay(true);
      one
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
    }
    let seen: HeldDatabase['moment'];
    let isHeld = false;
    let isDeaf = false;
    client.on('data', (bytes) => {
      if (isHeld) return;
      const { moment } = this;
      if (moment !== undefined && bytes.includes(moment.statement)) {
        seen = moment;
        this.moment = undefined;
        isHeld = moment.at === 'statement';
      } else if (seen !== undefined && bytes.includes('COMMIT')) {
        isHeld = seen.at === 'commit';
        isDeaf = seen.at === 'committed';
      }
      if (isHeld) seen?.reached();
      else database.write(bytes);
    });
    database.on('data', (bytes) => {
      if (isDeaf) seen?.reached();
      else client.write(bytes);
    });
  }
}
