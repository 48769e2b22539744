import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listSecrets: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-72bb-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          name: 'ON_CALL_TOKEN',
          description: 'Token of the on-call service',
          version: 2,
          references: 0,
          last_used_at: null,
          created_at: '2026-03-02T04:10:44.000Z',
          updated_at: '2026-03-02T04:10:44.000Z',
          created_by: '019cadc6-9a80-704f-8000-000000000001',
          updated_by: '019cadc6-9a80-704f-8000-000000000001',
        },
      ],
    },
  },
  createSecret: {
    request: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'ON_CALL_TOKEN',
        value: 'example-on-call-token',
        description: 'Token of the on-call service',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bb-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'ON_CALL_TOKEN',
        description: 'Token of the on-call service',
        version: 1,
        references: 0,
        last_used_at: null,
        created_at: '2026-03-02T04:10:44.000Z',
        updated_at: '2026-03-02T04:10:44.000Z',
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        updated_by: '019cadc6-9a80-704f-8000-000000000001',
      },
    },
  },
  replaceSecret: {
    parameters: { secret_id: '019cadc6-9a80-72bb-8000-000000000001' },
    request: { type: 'application/json', value: { value: 'example-rotated-token' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bb-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'ON_CALL_TOKEN',
        description: 'Token of the on-call service',
        version: 2,
        references: 0,
        last_used_at: null,
        created_at: '2026-03-02T04:10:44.000Z',
        updated_at: '2026-03-02T04:10:44.000Z',
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        updated_by: '019cadc6-9a80-704f-8000-000000000001',
      },
    },
  },
  deleteSecret: { parameters: { secret_id: '019cadc6-9a80-72bb-8000-000000000001' } },
};
