import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { NotificationBus } from '../../src/platform/database/notification-bus.js';
import { startTcpGate, type TcpGate } from '../support/fixtures/tcp-gate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

describe('a notification between processes', () => {
  let database: TestDatabase;
  let gate: TcpGate;
  let sender: NotificationBus;
  let receiver: NotificationBus;
  let errors: unknown[];
  let firstError: Promise<void>;

  beforeEach(async () => {
    database = await createEmptyDatabase();
    gate = await startTcpGate(database.url);
    errors = [];
    let failed: () => void = () => undefined;
    firstError = new Promise((resolve) => (failed = resolve));
    const onError = (error: unknown) => {
      errors.push(error);
      failed();
    };
    sender = new NotificationBus({ databaseUrl: database.url, onError });
    receiver = new NotificationBus({ databaseUrl: gate.url, onError });
    await Promise.all([sender.start(), receiver.start()]);
  });

  afterEach(async () => {
    await Promise.all([sender.close(), receiver.close()]);
    await gate.shut();
    await database.drop();
  });

  /** Every payload the receiver gets on the channel; `until` resolves when the given one has arrived. */
  function collect(channel: string) {
    const seen: string[] = [];
    let wake: () => void = () => undefined;
    const stop = receiver.subscribe(channel, (payload) => {
      seen.push(payload);
      wake();
    });
    const until = async (payload: string) => {
      while (!seen.includes(payload)) await new Promise<void>((resolve) => (wake = resolve));
      return seen;
    };
    return { seen, stop, until };
  }

  async function withClient(work: (client: pg.Client) => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }

  it('reaches the subscribers of its channel, with the payload unchanged', async () => {
    const keys = collect('key_revoked');
    const sessions = collect('session_closed');
    await sender.publish('session_closed', 'a:b "ü" \n end');
    await sender.publish('key_revoked', '');
    expect(await keys.until('')).toEqual(['']);
    expect(sessions.seen).toEqual(['a:b "ü" \n end']);
  });

  it('reaches the process that sent it, too', async () => {
    const notification = new Promise<string>((resolve) => sender.subscribe('key_revoked', resolve));
    await sender.publish('key_revoked', 'k1');
    expect(await notification).toBe('k1');
  });

  it('is sent with its transaction, and not when the transaction is rolled back', async () => {
    const keys = collect('key_revoked');
    await withClient(async (client) => {
      await client.query('BEGIN');
      await sender.publish('key_revoked', 'rolled back', client);
      await client.query('ROLLBACK');
      await client.query('BEGIN');
      await sender.publish('key_revoked', 'committed', client);
      await sender.publish('key_revoked', 'before the commit');
      await client.query('COMMIT');
    });
    expect(await keys.until('committed')).toEqual(['before the commit', 'committed']);
  });

  it('does not reach a handler that unsubscribed', async () => {
    const first = collect('key_revoked');
    const second = collect('key_revoked');
    first.stop();
    await sender.publish('key_revoked', 'k1');
    await second.until('k1');
    expect(first.seen).toEqual([]);
  });

  it('reaches the other handlers when one fails', async () => {
    receiver.subscribe('key_revoked', () => {
      throw new Error('thrown');
    });
    receiver.subscribe('key_revoked', () => Promise.reject(new Error('rejected')));
    const keys = collect('key_revoked');
    await sender.publish('key_revoked', 'k1');
    await keys.until('k1');
    expect(errors).toEqual([new Error('thrown'), new Error('rejected')]);
  });

  it('arrives again after the connection was lost, and subscribers are notified of the gap', async () => {
    const keys = collect('key_revoked');
    const back = new Promise<void>((resolve) => receiver.onReconnect(resolve));
    await gate.shut();
    await sender.publish('key_revoked', 'missed');
    await gate.open();
    await back;
    expect(receiver.connected).toBe(true);
    await sender.publish('key_revoked', 'after');
    expect(await keys.until('after')).toEqual(['after']);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('arrives again after the server ended the connection', async () => {
    const back = Promise.all([sender, receiver].map((bus) => new Promise<void>((done) => bus.onReconnect(done))));
    await withClient(async (client) => {
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'notices'`,
      );
    });
    await back;
    const keys = collect('key_revoked');
    await sender.publish('key_revoked', 'k1');
    await keys.until('k1');
  });

  it('is refused as not connected while the database is unavailable', async () => {
    await gate.shut();
    await firstError;
    expect(receiver.connected).toBe(false);
    await expect(receiver.publish('key_revoked', 'k1')).rejects.toThrow(/not connected/);
  });

  it('is refused with a channel or payload that cannot be sent', async () => {
    await expect(sender.publish('Key-Revoked', 'x')).rejects.toThrow(TypeError);
    expect(() => sender.subscribe('a:b', () => undefined)).toThrow(TypeError);
    await expect(sender.publish('key_revoked', 'ü'.repeat(3_951))).rejects.toThrow(TypeError);
    const longest = `c${'x'.repeat(62)}`;
    const most = collect(longest);
    await sender.publish(longest, 'ü'.repeat(3_950));
    await most.until('ü'.repeat(3_950));
  });

  it('needs the database when its bus starts', async () => {
    await gate.shut();
    const bus = new NotificationBus({ databaseUrl: gate.url, onError: () => undefined });
    await expect(bus.start()).rejects.toThrow();
    await gate.open();
    await bus.start();
    await bus.close();
  });
});
