import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { within } from '../concurrency/index.js';
import { LeanHistogram } from './lean-histogram.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The metrics of Node and the process, which all applications of the process share. Their collectors never end, and
 * they keep this registry alive.
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
/** The time limit for reading the value of one metric, so that a scrape does not wait for a database that hangs. */
const READ_LIMIT_MS = 2_000;
/** Matches a line of a metric whose name has the prefix. */
const PREFIXED = new RegExp(`^(# (?:HELP|TYPE) )?${PREFIX}(.*)$`, 'gm');

/**
 * Prometheus metrics of one application. Each instance has its own registry, so that several applications in one
 * process do not clash. A second declaration with the same name returns the same metric, and throws an Error when its
 * kind or labels differ.
 *
 * A metric is exported after its first change. Every process loads the code of all roles, and in a process that never
 * does the work, a constant zero would look as if the work had stopped. A gauge with `collect` is exported at once, so
 * create one only where its value can change.
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
   * With `collect`, the value is read before each rendering instead of being counted. When `collect` fails or takes
   * more than two seconds, the metric has no value in this rendering.
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
   * Calls `take` at the start of each rendering, before any `collect`. Use it to sample values that the queries of a
   * rendering change, such as the use of the database pool.
   */
  beforeCollect(take: () => void): void {
    this.samples.push(take);
  }

  /**
   * `buckets` are upper bounds in the unit of the metric's name (seconds for `*_seconds`). By default they range from 1
   * ms to 10 s.
   */
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

  /**
   * Like {@link histogram}, for values that are observed at every request. Observing is cheap, but the caller must keep
   * the series.
   */
  leanHistogram(name: string, help: string, buckets: readonly number[] = SECONDS): LeanHistogram {
    return this.once('lean histogram', name, [], () =>
      this.exportedOnMove(new LeanHistogram(name, help, buckets), ['series']),
    );
  }

  /**
   * Returns all metrics in Prometheus's text format, beginning with the metrics of the process. At the end, the metrics
   * are repeated without their prefix, because their names had no prefix before version 1.1.
   */
  async render(): Promise<string> {
    for (const take of this.samples) take();
    const own = await this.registry.metrics();
    const former = [...own.matchAll(PREFIXED)].map(([, comment = '', line = '']) => comment + line);
    return [await this.process.metrics(), own, ...former, ''].join('\n');
  }

  /** Registers the metric at the first call of one of these methods. Later calls call the original method directly. */
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
