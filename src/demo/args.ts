import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ArgumentError } from './demo-error.js';
import { SCHEDULED_EVENTS_PER_DAY } from './live/shop.js';
import { errorMessage } from '../platform/errors/index.js';

export interface DemoOptions {
  readonly target: Target;
  /** Path of a file with the events to send, one JSON body per line. Null: the demo generates events. */
  readonly file: string | null;
  readonly count: number;
  readonly seed: number;
  /** Whether the demo continues until it is stopped. It then also creates sources, rules and views for its events. */
  readonly isLive: boolean;
  /** Number of past days whose events are sent first. Null without --history. */
  readonly historyDays: number | null;
  readonly dataDir: DataDir;
}

export interface Target {
  /** The address without a slash at its end. */
  readonly url: string;
  /** True for --url. A service that the demo starts then also listens on the host of the URL. */
  readonly fromOption: boolean;
  /** False when neither --url nor PORT named a port. A service that the demo starts then uses a free port. */
  readonly portIsGiven: boolean;
}

export interface DataDir {
  /** An absolute path. */
  readonly path: string;
  readonly fromOption: boolean;
}

const DEFAULT_COUNT = { once: 500, live: 2000 };
/** The number of events that a free organization may send in a month. */
const MAX_COUNT = 10_000;
const HISTORY_EVENTS_PER_DAY = 15_000;
/** Every plan and every EVENT_RETENTION_DAYS keeps events for at least this number of days. */
const MAX_HISTORY_DAYS = 30;
const MAX_HISTORY_COUNT = MAX_HISTORY_DAYS * HISTORY_EVENTS_PER_DAY;

export const USAGE = `Usage: npm run demo -- [options]

  --url URL         address of a running service (default: from HOST and PORT, else http://127.0.0.1:3000);
                    when none answers there, the demo starts one and stops it at the end
  --file FILE       send the events of this file, one JSON body a line
  --count N         send N generated events instead, 1 to 10000 (default 500)
  --live            a shop that runs until Ctrl+C: traffic of several services, deploys, exceptions, incidents, and rules
                    that watch it; --count is then the approximate number of events of the day before, which come first
                    (${SCHEDULED_EVENTS_PER_DAY} to ${MAX_COUNT}, default ${DEFAULT_COUNT.live})
  --history DAYS    the shop's last days, 1d to 30d, such as 14d; with --live it then continues at the same pace; --count is
                    the approximate number of events (${SCHEDULED_EVENTS_PER_DAY} a day to ${MAX_HISTORY_COUNT}, default ${HISTORY_EVENTS_PER_DAY} a day)
  --seed N          another series of generated events (default 1)
  --data-dir FOLDER folder of the service's captured mail (default: DATA_DIR, else .data)
  --help            show this text`;

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 3000;
const MAX_SEED = 0xffff_ffff;

/**
 * Parses the arguments after `demo`. Returns `'help'` when they request the usage text.
 * @throws ArgumentError for arguments that are unknown, contradict each other or are out of range
 */
export function parseArguments(argv: readonly string[], env: Environment): DemoOptions | 'help' {
  const values = read(argv);
  if (values.help === true) return 'help';
  if (values.file === '') throw new ArgumentError('--file needs the name of a file');
  const isLive = values.live === true;
  if (isLive && values.file !== undefined) throw new ArgumentError('--live makes its own events and takes no --file');
  const historyDays = values.history === undefined ? null : daysOf(values.history);
  for (const name of ['count', 'seed', 'history'] as const) {
    if (values.file !== undefined && values[name] !== undefined) {
      throw new ArgumentError(`--${name} is for generated events and cannot go with --file`);
    }
  }
  return {
    target: values.url === undefined ? targetOf(env) : targetOfOption(values.url),
    file: values.file === undefined ? null : resolve(values.file),
    count: integer('--count', values.count, {
      fallback: historyDays === null ? DEFAULT_COUNT[isLive ? 'live' : 'once'] : historyDays * HISTORY_EVENTS_PER_DAY,
      min: isLive || historyDays !== null ? (historyDays ?? 1) * SCHEDULED_EVENTS_PER_DAY : 1,
      max: historyDays === null ? MAX_COUNT : MAX_HISTORY_COUNT,
    }),
    isLive,
    historyDays,
    seed: integer('--seed', values.seed, { fallback: 1, min: 0, max: MAX_SEED }),
    dataDir: dataDirOf(values['data-dir'], env),
  };
}

function read(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: false,
      options: {
        url: { type: 'string' },
        file: { type: 'string' },
        count: { type: 'string' },
        seed: { type: 'string' },
        live: { type: 'boolean' },
        history: { type: 'string' },
        'data-dir': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new ArgumentError(errorMessage(error));
  }
}

function targetOfOption(text: string): Target {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ArgumentError('--url must be an address such as http://127.0.0.1:3000');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ArgumentError('--url takes no credentials, query or fragment');
  }
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, fromOption: true, portIsGiven: true };
}

function targetOf(env: Environment): Target {
  const port = integer('PORT', setting(env, 'PORT'), { fallback: DEFAULT_PORT, min: 0, max: 65_535 });
  const isGiven = setting(env, 'PORT') !== undefined && port !== 0;
  const host = setting(env, 'HOST') ?? '127.0.0.1';
  const url = URL.parse(`http://${reachable(host)}:${port === 0 ? DEFAULT_PORT : port}`);
  if (url === null) throw new ArgumentError('HOST is not the name or address of a host');
  return { url: url.origin, fromOption: false, portIsGiven: isGiven };
}

/** A listener on every address is reachable through the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function dataDirOf(option: string | undefined, env: Environment): DataDir {
  if (option === '') throw new ArgumentError('--data-dir needs the name of a folder');
  return { path: resolve(option ?? setting(env, 'DATA_DIR') ?? '.data'), fromOption: option !== undefined };
}

/** Returns undefined for an empty value, which the service also treats as unset. */
export function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function daysOf(text: string): number {
  const days = Number(/^(\d{1,4})d$/.exec(text)?.[1] ?? 0);
  if (days < 1 || days > MAX_HISTORY_DAYS) {
    throw new ArgumentError(
      `--history must be a number of days from 1d to ${MAX_HISTORY_DAYS}d, such as 14d; every plan keeps events for so long`,
    );
  }
  return days;
}

function integer(
  name: string,
  text: string | undefined,
  limits: { fallback: number; min: number; max: number },
): number {
  if (text === undefined) return limits.fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < limits.min || value > limits.max) {
    throw new ArgumentError(`${name} must be a whole number from ${limits.min} to ${limits.max}`);
  }
  return value;
}
