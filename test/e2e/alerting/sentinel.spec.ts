import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type SentinelApi, sentinelOf, type Steady } from '../../support/sentinel-api.js';
import { tenant } from '../../support/service.js';

const DAY = 288;

describe('Sentinel', () => {
  let sentinel: SentinelApi;

  beforeEach(async () => {
    sentinel = await sentinelOf(await tenant());
  });

  it.each<[string, Steady, (Partial<Steady> | null)[], string[]]>([
    [
      'a warning spike of ten times as many events as usual',
      { events: 5 },
      [{ events: 50 }],
      ['rate_spike project warning'],
    ],
    [
      'a critical spike of thirty times as many events as usual',
      { events: 5 },
      [{ events: 150 }],
      ['rate_spike project critical'],
    ],
    ['no spike below three times as many events as usual', { events: 20 }, [{ events: 59 }], []],
    ['no spike of fewer than fifty events', { events: 4 }, [{ events: 49 }], []],
    [
      'a drop to a fifth of the events',
      { events: 20 },
      [{ events: 4 }, { events: 4 }, { events: 4 }],
      ['rate_drop project warning'],
    ],
    ['no drop to a half of the events', { events: 20 }, [{ events: 10 }, { events: 10 }, { events: 10 }], []],
    ['no drop where few events are expected', { events: 6 }, [{ events: 1 }, { events: 1 }, { events: 1 }], []],
    ['silence after three buckets without events', { events: 7 }, [null, null, null], ['silence project critical']],
    ['no silence after two buckets without events', { events: 7 }, [null, null], []],
    [
      'a warning burst of errors in 20 of 50 events',
      { events: 20, errors: 1 },
      [{ events: 50, errors: 20 }],
      ['error_burst project warning'],
    ],
    [
      'a critical burst of errors in 25 of 50 events',
      { events: 20, errors: 1 },
      [{ events: 50, errors: 25 }],
      ['error_burst project critical'],
    ],
    ['no burst of fewer than ten errors', { events: 9 }, [{ errors: 9 }], []],
    [
      'a shift of latency to three times in three buckets',
      { events: 30, latencyMs: 100 },
      [{ latencyMs: 300 }, { latencyMs: 300 }, { latencyMs: 300 }],
      ['latency_shift project warning'],
    ],
    [
      'no shift of latency in two buckets',
      { events: 30, latencyMs: 100 },
      [{ latencyMs: 300 }, { latencyMs: 300 }],
      [],
    ],
    [
      'no shift of latency below one and a half times',
      { events: 30, latencyMs: 200 },
      [{ latencyMs: 299 }, { latencyMs: 299 }, { latencyMs: 299 }],
      [],
    ],
    ['nothing while the events stay steady', { events: 20, errors: 1, latencyMs: 80 }, [{}, {}, {}, {}], []],
  ])('finds after steady events %s', async (_, steady, then, found) => {
    await sentinel.detectHistory(steady, then);
    expect(await sentinel.kinds()).toEqual(found);
  });

  it('finds nothing while a series learns', async () => {
    await sentinel.detectHistory({ events: 5 }, [{ events: 500 }], 2);
    expect(await sentinel.kinds()).toEqual([]);
    expect(await sentinel.overview()).toMatchObject({
      state: 'healthy',
      score: 100,
      coverage: { series: 2, learning: 2 },
    });
  });

  it('finds a type that is unusual in a usual project, and the source instead of its only type', async () => {
    const sourceId = randomUUID();
    await sentinel.put(-3 * DAY - 3, 0, { events: 30, event: 'other' });
    await sentinel.put(-3 * DAY - 3, -3, { events: 4, event: 'rare' });
    await sentinel.put(-2, -2, { events: 60, event: 'rare' });
    await sentinel.put(-1, 0, { events: 4, event: 'rare' });
    await sentinel.put(-3 * DAY - 3, -3, { events: 8, event: 'sent', sourceId });
    await sentinel.count();
    await sentinel.watchFrom(-2);
    await sentinel.detect();
    const findings = await sentinel.findings();
    expect(findings.map(({ kind, severity, series }) => [kind, severity, series.type, series.value])).toEqual([
      ['silence', 'critical', 'source', sourceId],
      ['rate_spike', 'warning', 'event', 'rare'],
    ]);
    const silence = await sentinel.finding(findings[0]?.id ?? '');
    expect(silence.evidence.contributors).toEqual([
      { field: 'event', value: 'sent', share: 0, usual_share: expect.closeTo(8 / 42, 2) },
    ]);
  });

  it('finds a new event type once, and ten of them a day at most', async () => {
    await sentinel.put(-4 * DAY, 0, { events: 5 });
    for (let index = 0; index < 12; index++) await sentinel.put(-1, 0, { events: 1, event: `new.${index}` });
    await sentinel.count();
    await sentinel.watchFrom(-1);
    await sentinel.detect();
    const found = await sentinel.findings('&kind=new_event_type');
    expect(new Set(found.map(({ series }) => series.value)).size).toBe(10);
    expect(found[0]).toMatchObject({ severity: 'info', actual: null, expected: null, series: { type: 'event' } });
    const { evidence } = await sentinel.finding(found[0]?.id ?? '');
    expect(evidence.sample_event_ids).toHaveLength(1);
    // A new type is compared with nothing.
    expect(evidence).toMatchObject({ interval_seconds: 300, points: [], contributors: [], baseline: { samples: 0 } });
  });

  it.each([
    ['event_types', (index: number) => ({ events: 1, event: `many.${index}` })],
    ['endpoints', (index: number) => ({ events: 1, event: 'paid', endpoint: `/e/${index}` })],
  ])('finds more distinct %s than in any hour of a week', async (metric, one) => {
    await sentinel.put(-4 * DAY, 0, { events: 5, endpoint: '/pay' });
    for (let index = 0; index < 60; index++) await sentinel.put(0, 0, one(index));
    await sentinel.count();
    await sentinel.watchFrom(0);
    await sentinel.detect();
    const finding = await sentinel.first('&kind=cardinality_explosion');
    expect(finding.series).toEqual({ type: 'project', value: null, metric });
    const { evidence } = await sentinel.finding(finding.id);
    expect(evidence.interval_seconds).toBe(3_600);
    const { points } = evidence;
    expect(points.pop()).toEqual({
      ts: finding.started_at,
      actual: 61,
      expected: 1,
      lower: 0,
      upper: 20,
      is_anomalous: true,
    });
    // The hours of a day before the one that was evaluated.
    const evaluated = Date.parse(finding.started_at) - 55 * 60_000;
    const last = evaluated - (evaluated % 3_600_000);
    expect(points).toEqual(
      Array.from({ length: 24 }, (_, hour) => ({
        ts: new Date(last - (24 - hour) * 3_600_000).toISOString(),
        ...{ actual: 1, expected: null, lower: null, upper: null, is_anomalous: false },
      })),
    );
    expect(evidence.sample_event_ids).toHaveLength(5);
  });

  it('learns from events that come days late, and changes nothing that it evaluated before', async () => {
    await sentinel.put(0, 0, { events: 60 });
    await sentinel.count();
    await sentinel.watchFrom(-1);
    await sentinel.detect();
    expect(await sentinel.kinds()).toEqual([]);
    await sentinel.put(-4 * DAY, -1, { events: 5 });
    // These events come from the future.
    await sentinel.put(2, 20, { events: 400 });
    await sentinel.count();
    await sentinel.detect();
    expect(await sentinel.kinds()).toEqual([]);
    await sentinel.watchFrom(0);
    await sentinel.detect();
    expect(await sentinel.kinds()).toEqual(['rate_spike project warning']);
  });
});
