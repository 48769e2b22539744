import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, isRecord } from './api-client.js';
import type { DataDir, DemoOptions, Target } from './args.js';
import { DemoError, messageOf } from './demo-error.js';
import { quote } from './report.js';
import { freePort, ServiceProcess } from './service-process.js';
import { isError } from '../platform/errors/index.js';

/** The service that the demo uses. */
export interface Service {
  readonly url: string;
  /**
   * Null when the service was running before the demo. `stop` returns how the service ended, such as "is stopped …".
   */
  readonly own: { stop(): Promise<string>; readonly startCommand: string } | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

const READY_LIMIT_MS = 15_000;
const POLL_MS = 200;

/**
 * Returns the running service at the target, or starts one when nothing listens there.
 * @throws DemoError when neither is possible
 */
export async function findOrStartService(
  options: DemoOptions,
  env: Environment,
  print: (line: string) => void,
): Promise<Service> {
  const { target } = options;
  const found = await probe(target.url);
  if (found === 'service') {
    await waitUntilReady(target.url);
    print(`Using the service at ${target.url}`);
    return { url: target.url, own: null };
  }
  if (found !== 'nothing' && target.portIsGiven)
    throw new DemoError(`No service answers at ${target.url}: ${found.stranger}`);
  const place = await placeOf(target);
  print(`No service answers at ${target.url}: starting one at ${place.url} (the first start takes some seconds)`);
  const service = await ServiceProcess.start({
    url: place.url,
    env: { ...env, ...place.env, ...dataDirEnv(options.dataDir), PROCESS_ROLE: 'all' },
  });
  print('It is ready.');
  const words = Object.entries({ ...place.env, ...dataDirEnv(options.dataDir) }).map(
    ([name, value]) => `${name}=${quote(value)}`,
  );
  return { url: place.url, own: { stop: () => service.stop(), startCommand: [...words, 'npm start'].join(' ') } };
}

/** Returns what listens at the address: the service (recognized by its health report), nothing, or something else. */
async function probe(url: string): Promise<'service' | 'nothing' | { stranger: string }> {
  try {
    const { body } = await new ApiClient(url).exchange('GET', '/health');
    const isService = isRecord(body) && typeof body.version === 'string' && isRecord(body.checks);
    return isService ? 'service' : { stranger: 'something else listens there' };
  } catch (error) {
    const cause = isError(error) ? error.cause : undefined;
    const refused = isRecord(cause) && cause.code === 'ECONNREFUSED';
    return refused ? 'nothing' : { stranger: messageOf(error) };
  }
}

async function waitUntilReady(url: string): Promise<void> {
  const client = new ApiClient(url);
  const deadline = performance.now() + READY_LIMIT_MS;
  while (!(await client.isReady())) {
    if (performance.now() > deadline)
      throw new DemoError(`The service at ${url} runs but is not ready; ${url}/health says why`);
    await delay(POLL_MS);
  }
}

/**
 * Returns the address and the settings for a service to start. @throws DemoError when the target is on another machine
 */
async function placeOf({
  url,
  fromOption,
  portIsGiven,
}: Target): Promise<{ url: string; env: Record<string, string> }> {
  const wanted = new URL(url);
  const host = wanted.hostname.replace(/^\[(.*)\]$/, '$1');
  const isHere = /^(localhost|127(\.\d+){3}|::1)$/.test(host);
  if (fromOption && (!isHere || wanted.protocol !== 'http:' || wanted.pathname !== '/')) {
    throw new DemoError(
      `No service answers at ${url}, and the demo can start one only at an address such as http://127.0.0.1:3000`,
    );
  }
  if (!portIsGiven) wanted.port = String(await freePort());
  const env = {
    ...(fromOption && host !== '127.0.0.1' && { HOST: host }),
    PORT: wanted.port === '' ? '80' : wanted.port,
  };
  return { url: wanted.origin, env };
}

/** Returns no setting without --data-dir. The service then uses DATA_DIR or its default, and so does the demo. */
function dataDirEnv({ path, fromOption }: DataDir): Record<string, string> {
  return fromOption ? { DATA_DIR: path } : {};
}
