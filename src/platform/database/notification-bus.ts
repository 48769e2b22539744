import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The one PostgreSQL channel for all notifications. A new subscription needs no statement, and therefore misses no
 * notification.
 */
const PG_CHANNEL = 'service_notices';
const CHANNEL = /^[a-z][a-z0-9_]{0,62}$/;
/** Maximum size of a payload. PostgreSQL accepts less than 8000 bytes, including our channel name. */
const MOST_PAYLOAD_BYTES = 7_900;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
const PROBE_EVERY_MS = 15_000;
const PROBE_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 3_000;
/**
 * Time limits of the first connection and of later ones. The first limit is longer, because the event loop may be
 * blocked for seconds while the application is created.
 */
const [FIRST_CONNECT_LIMIT_MS, CONNECT_LIMIT_MS] = [30_000, 5_000];

export type NotificationHandler = (payload: string) => void | Promise<void>;

/** A transaction or connection of the caller, for example a TypeORM QueryRunner or EntityManager. */
export interface NotificationSender {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

export interface NotificationBusOptions {
  databaseUrl: string;
  /** Called for lost connections and failing handlers. */
  onError: (error: unknown) => void;
}

/**
 * Sends notifications between the processes of one database over LISTEN/NOTIFY. A notification is delivered at most
 * once, and is lost while the connection is down. A cache that relies on notifications must therefore be cleared in
 * `onReconnect`, and must not be trusted while `connected` is false.
 */
export class NotificationBus {
  private readonly handlers = new Map<string, Set<NotificationHandler>>();
  private readonly reconnectHandlers = new Set<() => void>();
  private client?: pg.Client;
  private starting?: Promise<void>;
  private retryTimer?: NodeJS.Timeout;
  private probeTimer?: NodeJS.Timeout;
  private waitMs = FIRST_WAIT_MS;
  private closed = false;

  constructor(private readonly options: NotificationBusOptions) {}

  /** Connects, and rejects when the database is unavailable. After a later loss, the bus reconnects by itself. */
  start(): Promise<void> {
    this.starting ??= this.connect(FIRST_CONNECT_LIMIT_MS).catch((error: unknown) => {
      this.starting = undefined;
      throw error;
    });
    return this.starting;
  }

  get connected(): boolean {
    return this.client !== undefined;
  }

  /**
   * Sends a notification to every process, including this one. With a `sender`, it is sent when the transaction of the
   * sender commits, and not when it rolls back. Throws a TypeError for an invalid channel name or a payload above 7900
   * bytes.
   */
  async publish(channel: string, payload: string, sender?: NotificationSender): Promise<void> {
    await this.publishAll(channel, [payload], sender);
  }

  /** Sends several notifications by one statement, under the rules of {@link publish}. */
  async publishAll(channel: string, payloads: readonly string[], sender?: NotificationSender): Promise<void> {
    assertChannel(channel);
    if (payloads.some((payload) => Buffer.byteLength(payload) > MOST_PAYLOAD_BYTES)) {
      throw new TypeError(`a notice holds at most ${MOST_PAYLOAD_BYTES} bytes`);
    }
    const target = sender ?? this.client;
    if (!target) throw new Error('the notices are not connected');
    const [first] = payloads;
    if (first === undefined) return;
    if (payloads.length === 1) await target.query('SELECT pg_notify($1, $2)', [PG_CHANNEL, `${channel}:${first}`]);
    else {
      const texts = payloads.map((payload) => `${channel}:${payload}`);
      await target.query('SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text', [PG_CHANNEL, texts]);
    }
  }

  /**
   * Calls the handler for every notification on the channel from now on. Returns the function that ends the
   * subscription.
   */
  subscribe(channel: string, handler: NotificationHandler): () => void {
    assertChannel(channel);
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /** Calls the handler each time the bus has reconnected. Returns the function that ends the subscription. */
  onReconnect(handler: () => void): () => void {
    this.reconnectHandlers.add(handler);
    return () => this.reconnectHandlers.delete(handler);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retryTimer);
    clearInterval(this.probeTimer);
    await this.starting?.catch(() => undefined);
    const client = this.client;
    this.client = undefined;
    const tooLate = sleep(CLOSE_LIMIT_MS, undefined, { ref: false });
    await Promise.race([client?.end().catch(this.options.onError), tooLate]);
  }

  private async connect(limitMs: number): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.databaseUrl,
      application_name: 'notices',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: limitMs,
      query_timeout: PROBE_LIMIT_MS,
    });
    client.on('error', (error) => this.lose(client, error));
    client.on('end', () => this.lose(client, new Error('the connection of the notices ended')));
    client.on('notification', ({ payload = '' }) => this.deliver(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${PG_CHANNEL}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    this.waitMs = FIRST_WAIT_MS;
    this.client = client;
    this.probeTimer = setInterval(() => {
      client.query('SELECT 1').catch((error: unknown) => this.lose(client, error));
    }, PROBE_EVERY_MS);
    this.probeTimer.unref();
  }

  /** Handles the loss of the current client, once. A client that is still connecting reports its own errors. */
  private lose(client: pg.Client, error: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearInterval(this.probeTimer);
    this.options.onError(error);
    client.end().catch(() => undefined);
    this.scheduleReconnect();
  }

  private scheduleReconnect(): void {
    if (this.closed) return;
    this.retryTimer = setTimeout(() => {
      this.starting = this.connect(CONNECT_LIMIT_MS);
      this.starting.then(
        () => this.announceReconnect(),
        (error: unknown) => {
          this.options.onError(error);
          this.scheduleReconnect();
        },
      );
    }, this.waitMs);
    this.retryTimer.unref();
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
  }

  private announceReconnect(): void {
    for (const handler of this.reconnectHandlers) {
      try {
        handler();
      } catch (error) {
        this.options.onError(error);
      }
    }
  }

  private deliver(notification: string): void {
    const end = notification.indexOf(':');
    const payload = notification.slice(end + 1);
    for (const handler of this.handlers.get(notification.slice(0, end)) ?? []) {
      void this.call(handler, payload);
    }
  }

  private async call(handler: NotificationHandler, payload: string): Promise<void> {
    try {
      await handler(payload);
    } catch (error) {
      this.options.onError(error);
    }
  }
}

function assertChannel(channel: string): void {
  if (!CHANNEL.test(channel)) throw new TypeError(`"${channel}" is not a channel: lower case, digits and "_" only`);
}
