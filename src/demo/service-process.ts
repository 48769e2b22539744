import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildOutput } from '../platform/build-output/index.js';
import { ApiClient } from './api-client.js';
import { DemoError } from './demo-error.js';
import { printable } from './table.js';

const MAIN = fileURLToPath(new URL('main.js', buildOutput('src')));
/** A first start creates a database cluster and applies every migration. */
const START_LIMIT_MS = 120_000;
/** This is longer than the service's own shutdown timeout. */
const STOP_LIMIT_MS = 40_000;
const POLL_MS = 100;
const LAST_WORDS_MS = 500;
const SHOWN_LINES = 15;
const KEPT_CHARACTERS = 20_000;

export interface StartOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base URL at which the service will answer. */
  readonly url: string;
  /** The compiled entry file, by default that of the service. */
  readonly main?: string;
}

/** A service that the demo started. It stops when the demo ends, also when a signal ends the demo. */
export class ServiceProcess {
  private output = '';
  private hasExited = false;
  private stopping: Promise<string> | null = null;
  private readonly exited: Promise<unknown>;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    this.exited = new Promise((resolve) => {
      // "close" follows the last output. A grandchild that holds the pipes may delay "close", so "exit" resolves too.
      child.once('close', resolve);
      child.once('exit', () => {
        this.hasExited = true;
        setTimeout(resolve, LAST_WORDS_MS, null).unref();
      });
      child.once('error', (error) => {
        this.hasExited = true;
        this.keep(error.message);
        resolve(error);
      });
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.keep(text));
    }
  }

  /** Resolves when the service is ready. @throws DemoError with the last lines that the service printed */
  static async start({ env, url, main = MAIN }: StartOptions): Promise<ServiceProcess> {
    if (!existsSync(main)) throw new DemoError(`The service is not built (${main} is missing): npm run build`);
    // The service has its own process group, so that Ctrl-C reaches it only once, through the demo.
    const child = spawn(process.execPath, [main], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const service = new ServiceProcess(child, url);
    for (const signal of SIGNALS) process.once(signal, service.onSignal);
    try {
      await service.waitUntilReady();
    } catch (error) {
      await service.stop();
      throw error;
    }
    return service;
  }

  /**
   * Sends SIGTERM, and SIGKILL when the service does not stop in time.
   * @returns how the service ended, as words that follow "the service"
   */
  stop(): Promise<string> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<string> {
    this.child.kill('SIGTERM');
    const deadline = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.exited;
    clearTimeout(deadline);
    for (const signal of SIGNALS) process.removeListener(signal, this.onSignal);
    const { exitCode, signalCode } = this.child;
    if (signalCode === 'SIGKILL') return `did not stop on SIGTERM within ${STOP_LIMIT_MS / 1000} s and was killed`;
    return exitCode === 0 || signalCode === 'SIGTERM'
      ? 'is stopped (SIGTERM)'
      : `ended with ${signalCode ?? `exit code ${exitCode ?? 1}`}`;
  }

  private async waitUntilReady(): Promise<void> {
    const client = new ApiClient(this.url);
    const deadline = performance.now() + START_LIMIT_MS;
    for (;;) {
      const isReady = await client.isReady();
      // This is checked after the answer, because the answer may come from another service on the same port.
      if (this.hasExited) {
        await this.exited;
        throw new DemoError(`The service could not be started:\n${this.lastLines()}`);
      }
      if (isReady) return;
      if (performance.now() > deadline) {
        throw new DemoError(`The service was not ready after ${START_LIMIT_MS / 1000} s:\n${this.lastLines()}`);
      }
      await Promise.race([delay(POLL_MS), this.exited]);
    }
  }

  /** Stops the service, and then sends the signal to the demo again, with its usual effect. */
  private readonly onSignal = (signal: NodeJS.Signals): void => {
    void this.stop().then(() => process.kill(process.pid, signal));
  };

  private keep(text: string): void {
    this.output = (this.output + text).slice(-KEPT_CHARACTERS);
  }

  private lastLines(): string {
    const lines = this.output.split('\n').filter((line) => line.trim() !== '');
    return lines
      .slice(-SHOWN_LINES)
      .map((line) => `  ${printable(line)}`)
      .join('\n');
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
