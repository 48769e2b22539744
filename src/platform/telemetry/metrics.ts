import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { within } from '../concurrency/index.js';
import { LeanHistogram } from './lean-histogram.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The metrics of the process, which all its applications share. Their collectors never end and keep the registry alive.
 */
let ofTheProcess: Registry | undefined;

function processMetrics(): Registry {
  if (ofTheProcess === undefined) {
    ofTheProcess = new Registry();
    collectDefaultMetrics({ register: ofTheProcess });
  }
  return ofTheProcess;
}

/** The prefix of all names except those of Node and the process. */
const PREFIX = 'oes_';
/** The time limit for the value of one metric. A scrape must not wait for a database that hangs. */
const READ_LIMIT_MS = 2_000;
/** A line of a metric with the prefix. */
const PREFIXED = new RegExp(`^(# (?:HELP|TYPE) )?${PREFIX}(.*)$`, 'gm');

/**
 * Prometheus metrics of one application. Each instance has its own registry, so that applications in one process do not
 * clash. A second call with the same name returns the same metric, and throws an Error when kind or labels differ.
 *
 * A metric is exported after its first change: every process loads the code of all roles, and a constant zero in a
 * process that never does the work would look like stalled work. A gauge with `collect` is exported at once, so create
 * one only where its value can change.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly process = processMetrics();
  private readonly samples: (() => void)[] = [];
  private readonly made = new Map<string, { readonly signature: string; readonly metric: unknown }>();
  private readonly failures = this.counter(
    `${PREFIX}metric_read_failures_total`,
    'Scrapes without a metric, because its value could not be read',
    ['metric'],
  );

  /** The Content-Type of {@link render}. */
  get contentType(): string {
    return this.registry.contentType;
  }

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.once('counter', name, labelNames, () =>
      this.exportedOnMove(new Counter<L>({ name, help, labelNames, registers: [] }), ['inc']),
    );
  }

  /**
   * `collect` runs before each rendering, for values that are read instead of counted. When it fails or takes more than
   * two seconds, the metric has no value in this rendering.
   */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    return this.once('gauge', name, labelNames, () => {
      if (collect === undefined)
        return this.exportedOnMove(new Gauge<L>({ name, help, labelNames, registers: [] }), ['set', 'inc', 'dec']);
      const { failures } = this;
      return new Gauge<L>({
        name,
        help,
        labelNames,
        registers: [this.registry],
        async collect() {
          try {
            await within(READ_LIMIT_MS, Promise.resolve(collect(this)), () => new Error('no value in time'));
          } catch {
            failures.inc({ metric: name });
            if (labelNames.length === 0) this.remove();
            else this.reset();
          }
        },
      });
    });
  }

  /**
   * `take` runs at the start of each rendering, before any `collect`. It samples what the queries of a rendering change,
   * such as the use of the database's pool.
   */
  beforeCollect(take: () => void): void {
    this.samples.push(take);
  }

  /** `buckets` are upper bounds in the unit of the name (seconds for `*_seconds`); by default 1 ms to 10 s. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = SECONDS,
  ): Histogram<L> {
    return this.once('histogram', name, labelNames, () =>
      this.exportedOnMove(new Histogram<L>({ name, help, labelNames, buckets: [...buckets], registers: [] }), [
        'observe',
      ]),
    );
  }

  /** As {@link histogram}, for values of every request. Observing is cheap, and the caller keeps the series. */
  leanHistogram(name: string, help: string, buckets: readonly number[] = SECONDS): LeanHistogram {
    return this.once('lean histogram', name, [], () =>
      this.exportedOnMove(new LeanHistogram(name, help, buckets), ['series']),
    );
  }

  /**
   * Returns all metrics in Prometheus's text format, those of the process first. The last part repeats the metrics without
   * their prefix, because their names had none before version 1.1.
   */
  async render(): Promise<string> {
    for (const take of this.samples) take();
    const own = await this.registry.metrics();
    const former = [...own.matchAll(PREFIXED)].map(([, comment = '', line = '']) => comment + line);
    return [await this.process.metrics(), own, ...former, ''].join('\n');
  }

  /** Registers the metric at the first call of one of these methods. Later calls have no overhead. */
  private exportedOnMove<M extends object>(metric: M, moves: readonly (string & keyof M)[]): M {
    const own = new Map(moves.map((move) => [move, metric[move]]));
    for (const move of moves) {
      Object.assign(metric, {
        [move]: (...values: unknown[]): unknown => {
          this.registry.registerMetric(metric as unknown as Metric);
          for (const [name, original] of own) Object.assign(metric, { [name]: original });
          return (metric[move] as (...values: unknown[]) => unknown)(...values);
        },
      });
    }
    return metric;
  }

  private once<M>(kind: string, name: string, labelNames: readonly string[], make: () => M): M {
    const signature = `${kind}(${labelNames.join(',')})`;
    const known = this.made.get(name);
    if (known === undefined) {
      const metric = make();
      this.made.set(name, { signature, metric });
      return metric;
    }
    if (known.signature !== signature) throw new Error(`Metric ${name} is declared twice, differently`);
    // The signature ensures that the metric has this type.
    return known.metric as M;
  }
}
