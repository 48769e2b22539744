import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  getUsage: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Demo shop',
        period: '30d',
        from_ts: '2026-01-31T01:01:58.000Z',
        to_ts: '2026-03-02T01:01:58.000Z',
        total_events: 3,
        by_event: [{ event: 'job.done', total: 3 }],
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
        events_used: 10,
        events_limit: 4,
        events_remaining: 0,
      },
    },
  },
};
