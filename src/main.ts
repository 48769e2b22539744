import 'reflect-metadata';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { AddressInfo } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createApp } from './app.js';
import { AppModule } from './app.module.js';
import type { Config } from './config/index.js';
import { drainableHttp } from './platform/http/drain.js';
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

interface Running {
  stop(): Promise<void>;
}

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
  process.exitCode = reportFailedStart(error, logger);
  process.exit();
});
await starting;

async function start(): Promise<void> {
  const prepared = await prepareRuntime(config, logger);
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
  const drain = drainableHttp(app.getHttpServer());
  try {
    await app.listen(config.http.port, config.http.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  announce(config, port, embedded !== null);
  return {
    stop: async () => {
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
  logger.info('worker started');
  return { stop: () => closeAll(context, embedded) };
}

async function closeAll(context: INestApplicationContext, embedded: PreparedRuntime['embedded']): Promise<void> {
  await context.close();
  await embedded?.stop();
  logger.info('stopped');
}

/** Returns the arguments that `npm run demo` needs when the URL or the data folder is not the default. */
function demoWords(words: string[], { path, isDefault }: Config['dataDir']): string {
  const all = isDefault ? words : [...words, '--data-dir', path];
  return all.length === 0 ? '' : ` -- ${all.join(' ')}`;
}

/** Uses the name localhost for this machine, because browsers store passkeys only for names. */
function consoleUrl(host: string, port: number): string {
  return `http://${host === '127.0.0.1' || host === '[::1]' ? 'localhost' : host}:${port}/console`;
}

/** Logs the address. Outside production, also prints what somebody who just started the service needs. */
function announce(
  { environment, http, mail, dataDir, process: { role } }: Config,
  port: number,
  embedded: boolean,
): void {
  const isEverywhere = http.host === '0.0.0.0' || http.host === '::';
  const host = isEverywhere ? 'localhost' : http.host.includes(':') ? `[${http.host}]` : http.host;
  const url = `http://${host}:${port}`;
  logger.info('listening', { url, role, environment });
  if (environment === 'production') return;
  const lines = [
    '',
    ...(http.servesConsole ? [`  Console                     ${consoleUrl(host, port)}`] : []),
    `  Operational Event Service   ${url}`,
    `  Documentation               ${url}/docs   (${url}/redoc, ${url}/openapi.json)`,
    `  To make clients from        ${url}/openapi.client.json`,
    ...(mail.smtpUrl === undefined ? [`  Captured mail               ${join(dataDir.path, 'outbox')}`] : []),
    ...(embedded ? [`  Embedded PostgreSQL in      ${dataDir.path}`] : []),
    '',
    `  Next, in another terminal:  npm run demo${demoWords(port === 3000 ? [] : ['--url', url], dataDir)}`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
