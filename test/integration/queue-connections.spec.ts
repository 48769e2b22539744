import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { QueueConnections } from '../../src/platform/queue/connections.js';
import { defineJob, JobHandler, JobQueue, type NoPayload, QueueModule } from '../../src/platform/queue/index.js';
import { eventually } from '../support/eventually.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';

describe('a connection of the queue', () => {
  let database: TestDatabase | undefined;
  let connections: QueueConnections | undefined;
  let app: TestingModule | undefined;
  beforeAll(() => Logger.overrideLogger(false));
  afterEach(async () => {
    await app?.close();
    await connections?.close();
    await database?.drop();
  });

  it('may be ended by the server while it is held without an error listener', async () => {
    database = await createEmptyDatabase();
    connections = await QueueConnections.open({ backend: 'postgres', databaseUrl: database.url, runWorkers: false });
    const held = await connections.pool.connect();
    const { rows } = await held.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    // Not `once` of node:events, which listens to errors too.
    const ended = new Promise<void>((resolve) => void held.once('end', resolve));
    await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await other.end();
    await ended;
    held.release();
    expect((await connections.pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('listens for all workers, which get their jobs again after the server has ended it', async () => {
    const { url } = (database = await createTestDatabase());
    const runs: string[] = [];
    const jobs = ['one', 'two', 'three'].map((name) => defineJob<NoPayload>({ name }));
    const handlers = jobs.map((job) => {
      @JobHandler(job)
      class Handler {
        async run(): Promise<void> {
          runs.push(job.name);
        }
      }
      return Handler;
    });
    const warnings: string[] = [];
    const warn = ({ message }: Error): unknown => warnings.push(message);
    process.on('warning', warn);
    const useFactory = () => ({ backend: 'postgres' as const, databaseUrl: url, runWorkers: true });
    app = await Test.createTestingModule({
      imports: [QueueModule.forRootAsync({ useFactory, jobs })],
      providers: handlers,
    }).compile();
    await app.init();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const listening = async (): Promise<number[]> => {
      const { rows } = await admin.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%LISTEN bullmq_jobs%'`,
      );
      return rows.map(({ pid }) => pid);
    };
    const [first] = await eventually(listening, ({ length }) => length === 1);
    await admin.query('SELECT pg_terminate_backend($1)', [first]);
    await eventually(listening, (pids) => pids.length === 1 && pids[0] !== first);
    for (const job of jobs) await app.get(JobQueue).add(job, {});
    await eventually(
      async () => runs,
      ({ length }) => length === 3,
    );
    expect(runs.toSorted()).toEqual(['one', 'three', 'two']);
    await admin.end();
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});
