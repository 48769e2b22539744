import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  searchProject: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001', q: 'payment', range: '7d' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        q: 'payment',
        items: [
          {
            type: 'event_type',
            id: 'payment.failed',
            title: 'payment.failed',
            subtitle: null,
            matched: { field: 'name', text: 'payment.failed' },
            score: 0.8,
            timestamp: '2026-03-01T20:05:00.000Z',
          },
          {
            type: 'event_source',
            id: '019cadc6-9a80-7241-8000-000000000001',
            title: 'Shop servers',
            subtitle: 'Orders, payments and requests of the web shop',
            matched: { field: 'description', text: 'Orders, payments and requests of the web shop' },
            score: 0.6,
            timestamp: '2026-03-02T04:10:34.000Z',
          },
        ],
        counts: {
          event: 6,
          event_type: 1,
          event_source: 1,
          api_key: 0,
          alert_rule: 0,
          alert_event: 0,
          alert_destination: 0,
          delivery_channel: 0,
          saved_view: 1,
          object: 0,
          secret: 0,
          finding: 0,
        },
        is_partial: false,
      },
    },
  },
};
