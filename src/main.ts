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
 * By how much the heap grows until it is collected as a whole. Of itself V8 waits until there is several times of what lives,
 * which under load is 200 MB of nothing; this costs two percent of the rate (bench/RESULTS.md).
 */
const HEAP_GROWTH_PERCENT = 30;

/** After this long a shutdown is cut short: something hangs that no limit of its own ended. */
const SHUTDOWN_LIMIT_MS = 30_000;

/** Ctrl-C under npm comes twice, from the terminal and from npm: signals this close together are one. */
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

/** Requests in flight finish first, then the workers, then the database. */
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

/** What the demo has to be told when the service does not lie where it looks. */
function demoWords(words: string[], { path, isDefault }: Config['dataDir']): string {
  const all = isDefault ? words : [...words, '--data-dir', path];
  return all.length === 0 ? '' : ` -- ${all.join(' ')}`;
}

/** By its name where it is this machine: browsers keep passkeys for names alone. */
function consoleUrl(host: string, port: number): string {
  return `http://${host === '127.0.0.1' || host === '[::1]' ? 'localhost' : host}:${port}/console`;
}

/** What somebody who just started the service wants to know. */
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
