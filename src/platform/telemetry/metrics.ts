import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

type Labels = readonly string[];

/**
 * Prometheus metrics of one application. Each instance has a registry of its own, and asking twice for a
 * name gives the same metric, so applications in one process and modules in one application do not clash.
 */
export class Metrics {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** The Content-Type of {@link render}. */
  get contentType(): string {
    return this.registry.contentType;
  }

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.once(name, labelNames, Counter<L>, () => new Counter<L>({ name, help, labelNames, registers: [this.registry] }));
  }

  /** `collect` runs before each rendering and may set values that are read rather than counted. */
  gauge<L extends string = never>(name: string, help: string, labelNames: readonly L[] = [], collect?: (gauge: Gauge<L>) => void | Promise<void>): Gauge<L> {
    return this.once(name, labelNames, Gauge<L>, () => {
      const read = collect === undefined ? undefined : function (this: Gauge<L>) { return collect(this); };
      return new Gauge<L>({ name, help, labelNames, registers: [this.registry], ...(read === undefined ? {} : { collect: read }) });
    });
  }

  /** `buckets` are upper bounds in the unit of the name (seconds for `*_seconds`); by default 1 ms to 10 s. */
  histogram<L extends string = never>(name: string, help: string, labelNames: readonly L[] = [], buckets: readonly number[] = SECONDS): Histogram<L> {
    return this.once(name, labelNames, Histogram<L>, () => new Histogram<L>({ name, help, labelNames, buckets: [...buckets], registers: [this.registry] }));
  }

  /** All metrics in Prometheus text form. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  private readonly labels = new Map<string, string>();

  private once<M extends Counter | Gauge | Histogram>(name: string, labelNames: Labels, kind: new (...args: never[]) => M, make: () => M): M {
    const existing = this.registry.getSingleMetric(name);
    const signature = labelNames.join(',');
    if (existing === undefined) {
      this.labels.set(name, signature);
      return make();
    }
    if (!(existing instanceof kind) || this.labels.get(name) !== signature) throw new Error(`Metric ${name} is declared twice, differently`);
    return existing;
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
