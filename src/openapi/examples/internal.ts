import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listJobStates: {
    answer: {
      type: 'application/json',
      value: [
        {
          name: 'maintenance',
          last_run_at: '2026-03-02T04:10:32.000Z',
          last_duration_ms: 867,
          last_error: null,
          due: 0,
        },
        {
          name: 'hour-rollups',
          last_run_at: '2026-03-02T04:10:32.000Z',
          last_duration_ms: 35,
          last_error: null,
          due: 0,
        },
      ],
    },
  },
  runAlertDeliveries: { answer: { type: 'application/json', value: { processed: 0 } } },
  runDeliveryRetries: { answer: { type: 'application/json', value: { processed: 1 } } },
  runMaintenance: { answer: { type: 'application/json', value: { processed: 151 } } },
  runRuleEvaluations: { answer: { type: 'application/json', value: { processed: 3 } } },
};
