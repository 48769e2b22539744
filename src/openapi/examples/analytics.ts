import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  getAnalyticsBreakdown: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '2026-02-27T03:59:59.000Z',
        to_ts: '2026-03-01T23:59:59.000Z',
        by: 'properties.n',
        total: { events: 582, errors: 218 },
        distinct: 11,
        items: [
          {
            value: -2,
            events: 67,
            errors: 24,
            error_rate: 0.3582089552238806,
            share: 0.11512027491408934,
            previous_events: 4,
            change: 15.75,
          },
        ],
        missing: { events: 80, errors: 31 },
        other: { events: 435, errors: 163, values: 10 },
      },
    },
  },
  getAnalyticsFunnel: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '2026-02-27T23:00:00.000Z',
        to_ts: '2026-02-28T11:00:00.000Z',
        by: 'properties.a.b',
        within_seconds: 604800,
        steps: [
          {
            step: 1,
            event: 'c.error',
            reached: 6,
            conversion: 1,
            step_conversion: 1,
            dropped: 5,
            median_seconds: null,
            p95_seconds: null,
          },
          {
            step: 2,
            event: 'order.placed',
            reached: 1,
            conversion: 0.16666666666666666,
            step_conversion: 0.16666666666666666,
            dropped: 1,
            median_seconds: 6507.738,
            p95_seconds: 6507.738,
          },
        ],
        conversion: 0,
        values: 12,
      },
    },
  },
  getAnalyticsOverview: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '2026-02-27T10:07:59.000Z',
        to_ts: '2026-02-28T08:00:00.000Z',
        totals: {
          events: 147,
          errors: 60,
          error_rate: 0.40816326530612246,
          event_types: 4,
          sources: 2,
          p50_latency_ms: 26,
          p95_latency_ms: 49,
        },
        previous: {
          events: 146,
          errors: 55,
          error_rate: 0.3767123287671233,
          event_types: 4,
          sources: 2,
          p50_latency_ms: 21,
          p95_latency_ms: 48,
        },
        change: {
          events: 0.00684931506849315,
          errors: 0.09090909090909091,
          error_rate: 0.031450936538999164,
          event_types: 0,
          sources: 0,
          p50_latency_ms: 0.23809523809523808,
          p95_latency_ms: 0.020833333333333332,
        },
        by_severity: [
          { value: 'info', events: 55 },
          { value: 'critical', events: 48 },
        ],
        top_events: [
          { value: 'a', events: 56, previous_events: 36, change: 0.5555555555555556 },
          { value: 'c.error', events: 33, previous_events: 34, change: -0.029411764705882353 },
        ],
        last_event_at: '2026-02-28T07:32:58.000Z',
      },
    },
  },
  getAnalyticsTimeseries: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '1970-01-01T00:00:00.000Z',
        to_ts: '2026-03-02T00:45:32.000Z',
        interval: 'day',
        timezone: 'Asia/Kathmandu',
        aggregate: 'sum',
        split_by: 'log.status',
        series: [
          {
            value: 200,
            is_missing: false,
            total: 0,
            points: [
              { ts: '2026-02-26T18:15:00.000Z', value: 0 },
              { ts: '2026-02-27T18:15:00.000Z', value: 0 },
            ],
          },
          {
            value: 404,
            is_missing: false,
            total: 0,
            points: [
              { ts: '2026-02-26T18:15:00.000Z', value: 0 },
              { ts: '2026-02-27T18:15:00.000Z', value: 0 },
            ],
          },
        ],
        other: {
          value: null,
          is_missing: false,
          total: 0,
          points: [
            { ts: '2026-02-26T18:15:00.000Z', value: 0 },
            { ts: '2026-02-27T18:15:00.000Z', value: 0 },
          ],
        },
        previous: null,
      },
    },
  },
};
