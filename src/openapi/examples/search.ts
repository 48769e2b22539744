import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  searchProject: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        q: '019cadc6-9a80-78e3-8000-000000000001',
        items: [
          {
            type: 'event',
            id: '019cadc6-9a80-7241-8000-000000000001',
            title: 'kestrel.seen',
            subtitle: 'high up',
            matched: { field: 'id', text: '019cadc6-9a80-7982-8000-000000000001' },
            score: 0.45,
            timestamp: '2026-03-02T00:52:49.000Z',
          },
        ],
        counts: {
          event: 1,
          event_type: 0,
          event_source: 0,
          api_key: 0,
          alert_rule: 0,
          alert_event: 0,
          alert_destination: 0,
          delivery_channel: 0,
          saved_view: 0,
          object: 0,
          secret: 0,
          finding: 0,
        },
        is_partial: false,
      },
    },
  },
};
