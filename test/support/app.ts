import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { Logger as NestLogger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import supertest from 'supertest';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.js';
import { loadConfig, RATE_LIMIT_POLICY_NAMES, resolveSecrets } from '../../src/config/index.js';
import { PatternTrialsRepository } from '../../src/modules/events/conditions/pattern-trials.repository.js';
import { BackgroundWork } from '../../src/platform/background/background-work.js';
import { Logger, Metrics } from '../../src/platform/telemetry/index.js';
import { answerFaults } from './answer-faults.js';
import { makeDataFolder } from './data-folder.mjs';
import { DocumentedAnswers } from './documented-answers.js';
import { createTestDatabase } from './postgres.js';
import { RecordedExchanges } from './recorded-exchanges.js';
import { secondStoreEnv, watchSecondStore } from './second-store.js';

export interface TestApp {
  readonly nest: NestExpressApplication;
  readonly url: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** Every log line so far, as written. */
  readonly logLines: string[];
  /** Starts a request over a real socket. */
  request(): supertest.Agent;
  /** Returns the current metrics. `/metrics` caches its answer for a second. */
  metrics(): Promise<string>;
  rows<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Resolves when the work after answers is done, so that a test can assert that something did not happen. */
  backgroundDone(): Promise<void>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  env?: Record<string, string>;
  /** The app becomes another instance on this database, and does not drop it at the end. */
  databaseUrl?: string;
  dataDir?: string;
  /** Uses the rate limits of a deployment, unless `env` says otherwise. */
  withRateLimits?: boolean;
}

/** Time limits that a busy machine does not reach. */
const PATIENT_PATTERNS = { patternMs: 20_000, requestMs: 60_000 };
const PATIENT_CONNECTIONS_MS = 30_000;

/** How often a closing application closes idle connections. */
const IDLE_SWEEP_MS = 50;

/** Keeps suites from reaching the limits of each other. A suite about limits sets its own; the later setting wins. */
const NO_LIMITS = RATE_LIMIT_POLICY_NAMES.map((name) => `${name}=1000000/1000000`).join(',');

/**
 * Like {@link createTestApp}, but without workers: no job runs by itself. Starting and stopping takes 40 % less processor
 * time, and between the requests of a test the application does nothing.
 */
export function createApiApp({ env, ...options }: TestAppOptions = {}): Promise<TestApp> {
  return createTestApp({ ...options, env: { PROCESS_ROLE: 'api', ...env } });
}

/** Nest has one logger in a process. It belongs to the application that was created last, and is still open. */
const loggers: Logger[] = [];

/** Starts the whole service on a database of its own, listening on a free port of 127.0.0.1. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : null;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const dataDir = options.dataDir ?? (await makeDataFolder());
  const config = loadConfig({
    NODE_ENV: 'test',
    PORT: '0',
    OPS_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '5',
    LOG_LEVEL: 'debug',
    // Suites that use up a quota count the events of their projects.
    QUOTA_NOTICES: 'off',
    ...(await secondStoreEnv(databaseUrl)),
    ...options.env,
    ...(options.withRateLimits === true
      ? {}
      : { RATE_LIMIT_OVERRIDES: [NO_LIMITS, options.env?.RATE_LIMIT_OVERRIDES].filter(Boolean).join(',') }),
  });
  const logLines: string[] = [];
  const logger = new Logger({
    level: config.logLevel,
    destination: { write: (line: string) => void logLines.push(line) },
  });
  loggers.push(logger);
  const release = async (): Promise<void> => {
    loggers.splice(loggers.indexOf(logger), 1);
    const last = loggers.at(-1);
    if (last !== undefined) NestLogger.overrideLogger(last);
    await database?.drop();
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  const nest = await createApp({ config, secrets: resolveSecrets(config), databaseUrl, logger }).catch(
    async (error: unknown) => {
      await release();
      throw error;
    },
  );
  // On a busy machine no pattern is refused for its time, and no request fails because it waits for a connection.
  nest.get(PatternTrialsRepository, { strict: false }).limits = PATIENT_PATTERNS;
  optionsOfPool(nest).connectionTimeoutMillis = PATIENT_CONNECTIONS_MS;
  const server = nest.getHttpServer();
  const answers = new DocumentedAnswers();
  answers.watch(server);
  const { RECORD_EXAMPLES: examples } = process.env;
  if (examples) new RecordedExchanges(examples).watch(server);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  // Tests that take the database away end idle connections. A query that needs a connection fails by itself.
  pool.on('error', () => undefined);
  const rows = async <Row>(sql: string, parameters?: unknown[]): Promise<Row[]> =>
    (await pool.query(sql, parameters)).rows as Row[];
  watchSecondStore(nest, server, { rows });
  await nest.listen(config.http.port, config.http.host);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    nest,
    url,
    dataDir,
    databaseUrl,
    logLines,
    request: () => supertest.agent(url),
    metrics: () => nest.get(Metrics).render(),
    rows,
    backgroundDone: () => nest.get(BackgroundWork).idle(),
    close: async () => {
      // A body that still arrives when the server closes makes its connection idle afterwards. The server would keep
      // that connection for its whole keep-alive time.
      const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
      await nest.close().finally(() => clearInterval(sweep));
      await pool.end();
      await release();
      answerFaults.push(...answers.faults);
    },
  };
}

/** Returns the pool options of an application. A change takes effect at once. */
export function optionsOfPool(nest: Pick<NestExpressApplication, 'get'>): { connectionTimeoutMillis: number } {
  const { master } = nest.get(DataSource).driver as unknown as {
    master: { options: { connectionTimeoutMillis: number } };
  };
  return master.options;
}
