import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
const CONNECT_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 3_000;
const ENDING_LIMIT_MS = 3_000;
const ASK_AGAIN_MS = 20;

/** The database is unavailable. The statement was not sent. */
export class NotConnected extends Error {}

/**
 * The connection was lost while a statement was running, so it is unknown whether the statement took effect. The next
 * statement on this connection starts only after the server has ended the lost session.
 */
export class OutcomeUnknown extends Error {}

export interface DedicatedConnectionOptions {
  readonly databaseUrl: string;
  readonly name: string;
  /** Server settings of the session. */
  readonly settings: Readonly<Record<string, string>>;
  readonly onError: (error: unknown) => void;
}

export interface Statement {
  /** The name under which the statement is prepared once for each connection. */
  readonly name: string;
  readonly text: string;
  /** The parameters. Buffers are sent in binary form, all others as text. */
  readonly values: readonly (string | Buffer | null)[];
}

/** The server's side of a connection. */
interface Session {
  readonly pid: number;
  /** Distinguishes the session from a later session with the same pid. */
  readonly startedAt: string;
}

/**
 * One connection outside the pool, for a code path that would keep a pooled connection busy. It is opened by the first
 * statement, and after a loss by the next one, so that the caller gets the error. It runs one statement at a time.
 */
export class DedicatedConnection {
  private client: pg.Client | undefined;
  private opening: Promise<pg.Client> | undefined;
  private waitMs = 0;
  private session: Session | undefined;
  /** Sessions whose connection was lost. The server may still be running their statements. */
  private orphans: Session[] = [];

  constructor(private readonly options: DedicatedConnectionOptions) {}

  /**
   * Runs a statement and returns its rows.
   * @throws NotConnected when the statement was not sent
   * @throws OutcomeUnknown when the connection was lost while the statement ran
   * @throws the server's own error when the server rejected the statement, which then had no effect
   */
  async rows<Row extends pg.QueryResultRow>(statement: Statement): Promise<Row[]> {
    const client = this.client ?? (await this.open());
    const { session } = this;
    try {
      return (await client.query<Row>({ ...statement, values: [...statement.values] })).rows;
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.lose(client);
      if (session !== undefined) this.orphans.push(session);
      throw new OutcomeUnknown('the database connection was lost', { cause: error });
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    const tooLate = pause(CLOSE_LIMIT_MS, undefined, { ref: false });
    await Promise.race([client?.end().catch(this.options.onError), tooLate]);
  }

  private open(): Promise<pg.Client> {
    this.opening ??= this.connect().finally(() => (this.opening = undefined));
    return this.opening;
  }

  private async connect(): Promise<pg.Client> {
    // Repeated attempts wait, so that an unavailable database is not flooded with connections.
    if (this.waitMs > 0) await pause(this.waitMs);
    const { databaseUrl, name, settings, onError } = this.options;
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: name,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
    });
    client.on('error', (error) => {
      onError(error);
      this.lose(client);
    });
    client.on('end', () => this.lose(client));
    try {
      await client.connect();
      const entries = Object.entries(settings);
      await client.query(
        `SELECT ${entries.map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, false)`).join(', ')}`,
        entries.flat(),
      );
      await this.endOrphans(client);
      this.session = (await client.query<Session>(OWN_SESSION)).rows[0];
    } catch (error) {
      this.waitMs = Math.min(Math.max(this.waitMs * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS);
      client.end().catch(() => undefined);
      throw new NotConnected('the database cannot be reached', { cause: error });
    }
    this.waitMs = 0;
    this.client = client;
    return client;
  }

  /** Ends the lost sessions, and waits until the server has ended all of them. */
  private async endOrphans(client: pg.Client): Promise<void> {
    const until = performance.now() + ENDING_LIMIT_MS;
    while (this.orphans.length > 0) {
      const { rows } = await client.query(END_SESSIONS, [
        this.orphans.map(({ pid }) => pid),
        this.orphans.map(({ startedAt }) => startedAt),
      ]);
      if (rows.length === 0) this.orphans = [];
      else if (performance.now() > until) throw new Error('a lost connection is still at work');
      else await pause(ASK_AGAIN_MS);
    }
  }

  private lose(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    client.end().catch(() => undefined);
  }
}

const START = 'extract(epoch FROM backend_start)::text';
const OWN_SESSION = `SELECT pid, ${START} AS "startedAt" FROM pg_stat_activity WHERE pid = pg_backend_pid()`;
const END_SESSIONS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE (pid, ${START}) IN (SELECT * FROM unnest($1::int[], $2::text[]))`;

/**
 * Returns whether the server rejected the statement. False when the server closed the connection (classes 08 and 57P)
 * or did not answer.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '08');
}
