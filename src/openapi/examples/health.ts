import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  getHealth: {
    answer: {
      type: 'application/json',
      value: {
        status: 'ok',
        version: '1.0.0',
        checks: { database: 'ok', redis: 'not_configured', queue: 'ok', workers: 'healthy' },
      },
    },
  },
};
