import 'reflect-metadata';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { AddressInfo } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createApp } from './app.js';
import { AppModule } from './app.module.js';
import type { Config } from './config/index.js';
import { OperationsServer } from './modules/operations/health/index.js';
import { drainableHttp } from './platform/http/drain.js';
import { startTracing, stopTracing } from './platform/telemetry/index.js';
import { configOrExit, type PreparedRuntime, prepareRuntime, reportFailedStart } from './runtime.js';

/**
 * Growth of the heap, in percent, that starts a full garbage collection. By default V8 waits until the heap is several
 * times the live data, which wastes 200 MB under load. This setting costs 2 % of the throughput (bench/results/soak.md).
 */
const HEAP_GROWTH_PERCENT = 30;

/** A shutdown is cut short after this time: something hangs that no timeout of its own ended. */
const SHUTDOWN_LIMIT_MS = 30_000;

/**
 * Ctrl-C under npm sends two signals, one from the terminal and one from npm. Signals this close together count as one.
 */
const ONE_SIGNAL_MS = 1_000;

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
const { config, logger } = configOrExit(process.env);

interface Ports {
  readonly port: number;
  /** Null: there is no operations port. */
  readonly operationsPort: number | null;
}

interface Running {
  stop(): Promise<void>;
}

/** Ends a start that waits for migrations. */
const stopRequest = new AbortController();
let stopping: Promise<void> | undefined;
let stoppingSince = 0;
let running: Running | undefined;

function onSignal(signal: NodeJS.Signals): void {
  if (stopping !== undefined) {
    if (performance.now() - stoppingSince < ONE_SIGNAL_MS) return;
    logger.warn(`${signal} again: giving up on an orderly stop`);
    process.exit(1);
  }
  logger.info(`${signal}: stopping`);
  stoppingSince = performance.now();
  stopRequest.abort();
  setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref();
  stopping = starting
    .then(() => running?.stop())
    .then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal('the service did not stop cleanly', { err: error });
        process.exit(1);
      },
    );
}

process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);

const starting = start().catch((error: unknown) => {
  if (stopRequest.signal.aborted && (error as Error).name === 'AbortError') return logger.info('stopped');
  process.exitCode = reportFailedStart(error, logger);
  process.exit();
});
await starting;

async function start(): Promise<void> {
  if (config.tracing !== undefined) await startTracing(config.tracing);
  const prepared = await prepareRuntime(config, logger, { signal: stopRequest.signal });
  const { unknownMigrations } = prepared;
  if (unknownMigrations.length > 0) {
    const unknown = { unknown_migrations: unknownMigrations.length, last: unknownMigrations.at(-1) };
    logger.warn('the database is newer than this version', unknown);
  }
  try {
    running = config.process.runsApi ? await startApi(prepared) : await startWorker(prepared);
  } catch (error) {
    await prepared.embedded?.stop();
    throw error;
  }
}

/** Stopping waits for requests in flight first, then stops the workers, then the database. */
async function startApi({ runtime, embedded }: PreparedRuntime): Promise<Running> {
  const app = await createApp(runtime);
  const operations = app.get(OperationsServer, { strict: false });
  const drain = drainableHttp(app.getHttpServer());
  let operationsPort: number | null;
  try {
    operationsPort = await operations.open();
    await app.listen(config.http.port, config.http.host);
  } catch (error) {
    await operations.close();
    await app.close();
    throw error;
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  announce(config, { port, operationsPort }, embedded !== null);
  return {
    stop: async () => {
      operations.beginStop();
      await drain();
      await closeAll(app, embedded);
    },
  };
}

async function startWorker({ runtime, embedded }: PreparedRuntime): Promise<Running> {
  const context = await NestFactory.createApplicationContext(AppModule.for(runtime), {
    logger: runtime.logger,
    abortOnError: false,
  });
  const operations = context.get(OperationsServer, { strict: false });
  try {
    const operationsPort = await operations.open();
    logger.info('worker started', operationsUrl(config, operationsPort));
  } catch (error) {
    await context.close();
    throw error;
  }
  return {
    stop: () => {
      operations.beginStop();
      return closeAll(context, embedded);
    },
  };
}

async function closeAll(context: INestApplicationContext, embedded: PreparedRuntime['embedded']): Promise<void> {
  await context.get(OperationsServer, { strict: false }).close();
  await context.close();
  await stopTracing();
  await embedded?.stop();
  logger.info('stopped');
}

/** Returns the arguments that `npm run demo` needs when the URL or the data folder is not the default. */
function demoWords(words: string[], { path, isDefault }: Config['dataDir']): string {
  const all = isDefault ? words : [...words, '--data-dir', path];
  return all.length === 0 ? '' : ` -- ${all.join(' ')}`;
}

/** Uses the name localhost for this machine, because browsers store passkeys only for names. */
function consoleUrl(url: string): string {
  return `${url.replace(/^http:\/\/(127\.0\.0\.1|\[::1\]):/, 'http://localhost:')}/console`;
}

/** Returns the member of a log line with the address of the operations port. Empty: the port is turned off. */
function operationsUrl({ operations }: Config, port: number | null): { operations_url?: string } {
  return port === null ? {} : { operations_url: urlOf(operations.host, port) };
}

function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  return `http://${isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Logs the address. Outside production, also prints the addresses and files that are needed to use a newly started
 * service.
 */
function announce(config: Config, { port, operationsPort }: Ports, embedded: boolean): void {
  const {
    environment,
    http,
    mail,
    dataDir,
    process: { role },
  } = config;
  const url = urlOf(http.host, port);
  const operations = operationsUrl(config, operationsPort);
  logger.info('listening', { url, ...operations, role, environment });
  if (environment === 'production') return;
  const lines = [
    '',
    ...(http.servesConsole ? [`  Console                     ${consoleUrl(url)}`] : []),
    `  Operational Event Service   ${url}`,
    `  Documentation               ${url}/docs   (${url}/redoc, ${url}/openapi.json)`,
    `  To make clients from        ${url}/openapi.client.json`,
    ...Object.values(operations).map(
      (address) => `  Health and metrics          ${address}/health   (${address}/metrics)`,
    ),
    ...(mail.smtpUrl === undefined ? [`  Captured mail               ${join(dataDir.path, 'outbox')}`] : []),
    ...(embedded ? [`  Embedded PostgreSQL in      ${dataDir.path}`] : []),
    '',
    `  Next, in another terminal:  npm run demo${demoWords(port === 3000 ? [] : ['--url', url], dataDir)}`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
