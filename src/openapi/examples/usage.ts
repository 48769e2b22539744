import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  getUsage: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001', period: '7d' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Web shop',
        period: '7d',
        from_ts: '2026-02-23T04:10:42.000Z',
        to_ts: '2026-03-02T04:10:42.000Z',
        total_events: 395,
        by_event: [
          { event: 'http.request', total: 196 },
          { event: 'product.viewed', total: 90 },
        ],
      },
    },
  },
  getCurrentUsage: {
    answer: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        month: '2026-03',
        from_day: '2026-03-01',
        to_day: '2026-04-01',
        reset_day: '2026-04-01',
        events_used: 395,
        events_limit: 500000,
        events_remaining: 499605,
      },
    },
  },
};
