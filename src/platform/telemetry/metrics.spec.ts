import { describe, expect, it, jest } from '@jest/globals';
import { Metrics } from './metrics.js';

describe('Metrics', () => {
  it('renders counters, gauges, histograms and those of the process', async () => {
    const metrics = new Metrics();
    metrics.counter('events_accepted_total', 'Events accepted', ['mode']).inc({ mode: 'direct' }, 3);
    metrics.gauge('queue_waiting', 'Jobs waiting').set(7);
    metrics.gauge('clients', 'Clients', ['kind'], (gauge) => gauge.set({ kind: 'sse' }, 2));
    metrics.histogram('request_seconds', 'Duration', ['route'], [0.1, 1]).observe({ route: '/a' }, 0.5);
    const text = await metrics.render();
    expect(text).toContain('events_accepted_total{mode="direct"} 3');
    expect(text).toContain('queue_waiting 7');
    expect(text).toContain('clients{kind="sse"} 2');
    expect(text).toContain('request_seconds_bucket{le="0.1",route="/a"} 0');
    expect(text).toContain('request_seconds_bucket{le="1",route="/a"} 1');
    expect(text).toContain('process_cpu_user_seconds_total');
    expect(metrics.contentType).toContain('text/plain');
  });

  it('repeats metrics under the names that they had without the prefix', async () => {
    const metrics = new Metrics();
    metrics.counter('oes_hits_total', 'Hits', ['route']).inc({ route: '/oes_a' }, 3);
    const lines = (await metrics.render()).split('\n').filter((line) => line.includes('hits_total'));
    expect(lines).toEqual([
      '# HELP oes_hits_total Hits',
      '# TYPE oes_hits_total counter',
      'oes_hits_total{route="/oes_a"} 3',
      '# HELP hits_total Hits',
      '# TYPE hits_total counter',
      'hits_total{route="/oes_a"} 3',
    ]);
  });

  it('leaves out a gauge whose value cannot be read, and counts that', async () => {
    const metrics = new Metrics();
    let isLost = false;
    const read = (): number => {
      if (isLost) throw new Error('lost');
      return 7;
    };
    metrics.gauge('oes_rows', 'Rows', [], (gauge) => gauge.set(read()));
    metrics.gauge('oes_kinds', 'Kinds', ['kind'], (gauge) => gauge.set({ kind: 'a' }, read()));
    expect(await metrics.render()).toMatch(/^oes_rows 7$/m);
    isLost = true;
    await metrics.render();
    const text = await metrics.render();
    expect(text).not.toMatch(/^oes_(?:rows|kinds\{kind="a"\}) /m);
    expect(text).toMatch(/^oes_metric_read_failures_total\{metric="oes_rows"\} [12]$/m);
    isLost = false;
    expect(await metrics.render()).toMatch(/^oes_kinds\{kind="a"\} 7$/m);
  });

  it('leaves out a gauge whose value takes more than two seconds', async () => {
    const metrics = new Metrics();
    metrics.gauge('oes_rows', 'Rows', [], () => new Promise<void>(() => undefined));
    metrics.counter('oes_hits_total', 'Hits').inc();
    jest.useFakeTimers({ doNotFake: ['performance', 'hrtime', 'nextTick', 'queueMicrotask'] });
    try {
      const rendered = metrics.render();
      await jest.advanceTimersByTimeAsync(2_100);
      expect(await rendered).toMatch(/^oes_hits_total 1$/m);
    } finally {
      jest.useRealTimers();
    }
  });

  it('samples values before the first gauge is read', async () => {
    const metrics = new Metrics();
    let waiting = 0;
    let sample = 0;
    metrics.gauge('oes_queries', 'One query', [], (gauge) => gauge.set((waiting += 1)));
    metrics.beforeCollect(() => (sample = waiting));
    metrics.gauge('oes_waiting', 'Callers that wait', [], (gauge) => gauge.set(sample));
    expect(await metrics.render()).toContain('\noes_waiting 0\n');
  });

  it('renders lean histograms as the others', async () => {
    const metrics = new Metrics();
    const other = metrics.histogram('other_seconds', 'Duration', ['route'], [0.1, 1]);
    const lean = metrics.leanHistogram('lean_seconds', 'Duration', [0.1, 1]);
    expect(metrics.leanHistogram('lean_seconds', 'Duration', [0.1, 1])).toBe(lean);
    const series = lean.series({ route: '/"a"' });
    for (const value of [0.05, 0.1, 0.5, 7]) {
      other.observe({ route: '/"a"' }, value);
      series.observe(value);
    }
    const text = await metrics.render();
    const linesOf = (name: string) => text.split('\n').filter((line) => line.includes(name));
    expect(linesOf('lean_seconds')).toHaveLength(7);
    expect(linesOf('lean_seconds').map((line) => line.replace('lean_', 'other_'))).toEqual(linesOf('other_seconds'));
    expect(() => metrics.histogram('lean_seconds', 'Duration')).toThrow('declared twice');
  });

  it('gives the same metric to everybody who asks for its name', async () => {
    const metrics = new Metrics();
    for (let i = 0; i < 2; i++) metrics.counter('hits_total', 'Hits').inc();
    expect(await metrics.render()).toContain('hits_total 2');
  });

  it('refuses one name for two kinds or label sets', () => {
    const metrics = new Metrics();
    metrics.counter('hits_total', 'Hits');
    expect(() => metrics.gauge('hits_total', 'Hits')).toThrow('declared twice');
    expect(() => metrics.counter('hits_total', 'Hits', ['route'])).toThrow('declared twice');
  });

  it('keeps applications of one process apart', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.counter('hits_total', 'Hits').inc();
    other.counter('hits_total', 'Hits').inc(2);
    expect(await one.render()).toContain('hits_total 1');
    expect(await other.render()).toContain('hits_total 2');
  });

  it('exports a family from its first move on', async () => {
    const metrics = new Metrics();
    const hits = metrics.counter('hits_total', 'Hits');
    const labelled = metrics.counter('labelled_total', 'Hits', ['route']);
    const seconds = metrics.histogram('hit_seconds', 'Duration');
    const waiting = metrics.gauge('hits_waiting', 'Hits that wait');
    expect(await metrics.render()).not.toMatch(/hit|labelled/);
    hits.inc();
    hits.inc(2);
    labelled.inc({ route: '/a' });
    seconds.observe(1);
    seconds.observe(1);
    waiting.inc(3);
    waiting.set(5);
    const text = await metrics.render();
    for (const line of ['hits_total 3', 'labelled_total{route="/a"} 1', 'hit_seconds_count 2', 'hits_waiting 5'])
      expect(text.split('\n')).toContain(line);
  });
});
