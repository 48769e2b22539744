import { clearLeftovers } from './leftovers.js';
import { errorMessage } from './embedded-database-error.js';
import { type Server, type ServerOptions, startServer } from './server.js';

/** One that ends more often than this within a minute is not started again. */
const MOST_ENDS = 5;
const WITHIN_MS = 60_000;

export interface Keeping {
  /** Whether a server that ends without having been asked to is started again, on the same port. */
  readonly revives: boolean;
  log(line: string): void;
  /** Called once, when it has ended and is not or cannot be started again. */
  lost(reason: string): void;
}

/** A server that is looked after until it is stopped. */
export class KeptServer {
  private readonly ends: number[] = [];
  private stopping: Promise<void> | null = null;
  /** Set while the server is being started again. */
  private reviving: Promise<void> | null = null;

  private constructor(
    private readonly options: ServerOptions,
    private readonly keeping: Keeping,
    private server: Server,
  ) {
    this.watch();
  }

  static async start(options: ServerOptions, keeping: Keeping): Promise<KeptServer> {
    return new KeptServer(options, keeping, await startServer(options));
  }

  get port(): number {
    return this.server.port;
  }

  /** Of the server that runs now. */
  get pid(): number {
    return this.server.process.pid;
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  private async end(): Promise<void> {
    await this.reviving;
    await this.server.process.stop();
  }

  private watch(): void {
    this.server.process.exited.then(
      (code) => {
        if (this.stopping === null) this.reviving = this.ended(code).finally(() => (this.reviving = null));
      },
      () => undefined,
    );
  }

  private async ended(code: number | null): Promise<void> {
    const reason = `the embedded PostgreSQL ended by itself (${code ?? 'unknown code'})`;
    const now = performance.now();
    this.ends.push(now);
    const recent = this.ends.filter((at) => at > now - WITHIN_MS).length;
    if (!this.keeping.revives || recent > MOST_ENDS) return this.keeping.lost(reason);
    this.keeping.log(`${reason} and is started again`);
    try {
      await clearLeftovers(this.options.data, (line) => this.keeping.log(line));
      const server = await startServer({ ...this.options, port: this.server.port });
      this.server = server;
      this.watch();
    } catch (error) {
      this.keeping.lost(`${reason} and did not start again: ${errorMessage(error)}`);
    }
  }
}
