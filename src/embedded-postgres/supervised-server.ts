import { clearLeftovers } from './leftovers.js';
import { reasonOfEnd } from './server-log.js';
import { type Server, type ServerOptions, startServer } from './server.js';
import { errorMessage } from '../platform/errors/index.js';

/** A server that ends more often than this within ten minutes is not restarted. */
const MOST_ENDS = 5;
const WITHIN_MS = 600_000;

export interface Supervision {
  /** Whether a server that ended unexpectedly is restarted, on the same port. */
  readonly revives: boolean;
  log(line: string): void;
  warn(line: string): void;
  /** Called once, when the server has ended and is not or cannot be restarted. */
  lost(reason: string): void;
}

/** A server that is supervised until it is stopped. */
export class SupervisedServer {
  private readonly stopped = new AbortController();
  private readonly ends: number[] = [];
  private readonly kept: Promise<void>;

  private constructor(
    private readonly options: ServerOptions,
    private readonly keeping: Supervision,
    private server: Server,
  ) {
    this.kept = this.keep();
  }

  static async start(options: ServerOptions, keeping: Supervision): Promise<SupervisedServer> {
    return new SupervisedServer(options, keeping, await startServer(options));
  }

  get port(): number {
    return this.server.port;
  }

  /** The process of the current server. */
  get pid(): number {
    return this.server.process.pid;
  }

  /** Stops the server, also while it is being restarted. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.server.process.stop();
    await this.kept;
  }

  private isStopped(): boolean {
    return this.stopped.signal.aborted;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopped;
    for (;;) {
      const code = await this.server.process.exited.catch(() => null);
      if (this.isStopped()) return;
      const last = await reasonOfEnd(this.options.folder.home);
      const reason = `the embedded PostgreSQL ended by itself (${code ?? 'unknown code'}${last === null ? '' : `; ${last}`})`;
      if (!this.keeping.revives || this.endsTooOften()) return this.keeping.lost(reason);
      this.keeping.warn(`${reason} and is started again`);
      try {
        await clearLeftovers(this.options.data, (line) => this.keeping.log(line));
        this.server = await startServer({ ...this.options, port: this.server.port, signal });
      } catch (error) {
        if (this.isStopped()) return;
        return this.keeping.lost(`${reason} and did not start again: ${errorMessage(error)}`);
      }
      if (this.isStopped()) return this.server.process.stop();
    }
  }

  private endsTooOften(): boolean {
    const now = performance.now();
    this.ends.push(now);
    return this.ends.filter((at) => at > now - WITHIN_MS).length > MOST_ENDS;
  }
}
