import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listSecrets: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-72bb-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          name: 'PASSWORD_1',
          description: null,
          version: 1,
          references: 1,
          last_used_at: '2026-03-02T00:51:16.000Z',
          created_at: '2026-03-02T00:51:15.000Z',
          updated_at: '2026-03-02T00:51:15.000Z',
          created_by: '019cadc6-9a80-704f-8000-000000000001',
          updated_by: '019cadc6-9a80-704f-8000-000000000001',
        },
        {
          id: '019cadc6-9a80-72bb-8000-000000000002',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          name: 'USER',
          description: null,
          version: 1,
          references: 2,
          last_used_at: '2026-03-02T00:51:16.000Z',
          created_at: '2026-03-02T00:51:15.000Z',
          updated_at: '2026-03-02T00:51:15.000Z',
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
        name: 'BAD',
        value: 'marked-bad\r\n0123456789',
        description: 'no header',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bb-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'BAD',
        description: 'no header',
        version: 1,
        references: 0,
        last_used_at: null,
        created_at: '2026-03-02T00:51:45.000Z',
        updated_at: '2026-03-02T00:51:45.000Z',
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        updated_by: '019cadc6-9a80-704f-8000-000000000001',
      },
    },
  },
  replaceSecret: {
    request: { type: 'application/json', value: { value: 'a\r\nX-Evil: 1' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bb-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'TOKEN',
        description: null,
        version: 8,
        references: 1,
        last_used_at: '2026-03-02T00:51:22.000Z',
        created_at: '2026-03-02T00:51:21.000Z',
        updated_at: '2026-03-02T00:51:22.000Z',
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        updated_by: '019cadc6-9a80-704f-8000-000000000001',
      },
    },
  },
  deleteSecret: {},
};
