import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { LeanHistogram } from './lean-histogram.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What is the process's own, however many applications run in it: its watchers never end, and keep their registry alive. */
let ofTheProcess: Registry | undefined;

function processMetrics(): Registry {
  if (ofTheProcess === undefined) {
    ofTheProcess = new Registry();
    collectDefaultMetrics({ register: ofTheProcess });
  }
  return ofTheProcess;
}

/**
 * Prometheus metrics of one application. Each instance has a registry of its own, so applications in one
 * process do not clash; asking twice for a name gives the same metric, and an Error when kind or labels differ.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly process = processMetrics();
  private readonly signatures = new Map<string, string>();

  /** The Content-Type of {@link render}. */
  get contentType(): string {
    return this.registry.contentType;
  }

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.once(
      'counter',
      name,
      labelNames,
      () => new Counter<L>({ name, help, labelNames, registers: [this.registry] }),
    );
  }

  /** `collect` runs before each rendering, for values that are read rather than counted. */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    return this.once('gauge', name, labelNames, () => {
      const options = { name, help, labelNames, registers: [this.registry] };
      if (collect === undefined) return new Gauge<L>(options);
      return new Gauge<L>({
        ...options,
        collect() {
          return collect(this);
        },
      });
    });
  }

  /** `buckets` are upper bounds in the unit of the name (seconds for `*_seconds`); by default 1 ms to 10 s. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = SECONDS,
  ): Histogram<L> {
    const make = () => new Histogram<L>({ name, help, labelNames, buckets: [...buckets], registers: [this.registry] });
    return this.once('histogram', name, labelNames, make);
  }

  /** {@link histogram} for what happens on every request: cheap to observe, its series are kept by who observes. */
  leanHistogram(name: string, help: string, buckets: readonly number[] = SECONDS): LeanHistogram {
    return this.once('lean histogram', name, [], () => {
      const made = new LeanHistogram(name, help, buckets);
      this.registry.registerMetric(made as unknown as Metric);
      return made;
    });
  }

  /** All metrics in Prometheus text form, those of the process first. */
  async render(): Promise<string> {
    return [await this.process.metrics(), await this.registry.metrics()].join('\n');
  }

  private once<M>(kind: string, name: string, labelNames: readonly string[], make: () => M): M {
    const signature = `${kind}(${labelNames.join(',')})`;
    const known = this.signatures.get(name);
    if (known !== undefined && known !== signature) throw new Error(`Metric ${name} is declared twice, differently`);
    this.signatures.set(name, signature);
    // The signature says which of the kinds the registry holds under this name.
    return (this.registry.getSingleMetric(name) as M | undefined) ?? make();
  }
}
