import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listAlertDestinations: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-7b5c-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          type: 'webhook',
          name: 'Hook',
          target_url: 'https://hooks.acme.example/',
          has_secret: false,
          is_enabled: false,
          created_at: '2026-03-02T00:56:00.000Z',
          updated_at: '2026-03-02T00:56:00.000Z',
        },
      ],
    },
  },
  createAlertDestination: {
    request: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'webhook',
        name: 'Receiver',
        target_url: 'https://hooks.acme.example/hook',
        secret: 'not-a-real-secret-0000000000',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'webhook',
        name: 'Receiver',
        target_url: 'https://hooks.acme.example/hook',
        has_secret: true,
        is_enabled: true,
        created_at: '2026-03-02T00:52:44.000Z',
        updated_at: '2026-03-02T00:52:44.000Z',
      },
    },
  },
  updateAlertDestination: {
    request: {
      type: 'application/json',
      value: { name: 'On call', target_url: 'https://hooks.acme.example/b', type: 'webhook' },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'webhook',
        name: 'On call',
        target_url: 'https://hooks.acme.example/b',
        has_secret: true,
        is_enabled: true,
        created_at: '2026-03-02T00:57:29.000Z',
        updated_at: '2026-03-02T00:57:30.000Z',
      },
    },
  },
  deleteAlertDestination: {},
  disableAlertDestination: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'webhook',
        name: 'Hook',
        target_url: 'https://hooks.acme.example/',
        has_secret: false,
        is_enabled: false,
        created_at: '2026-03-02T00:56:00.000Z',
        updated_at: '2026-03-02T00:57:09.000Z',
      },
    },
  },
  enableAlertDestination: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'webhook',
        name: 'Hook',
        target_url: 'https://hooks.acme.example/',
        has_secret: false,
        is_enabled: true,
        created_at: '2026-03-02T00:56:00.000Z',
        updated_at: '2026-03-02T00:57:10.000Z',
      },
    },
  },
  testAlertDestination: {
    answer: {
      type: 'application/json',
      value: {
        ok: true,
        destination: {
          id: '019cadc6-9a80-7b5c-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          type: 'slack',
          name: 'Chat',
          target_url: 'https://hooks.acme.example/***',
          has_secret: false,
          is_enabled: true,
          created_at: '2026-03-02T00:57:37.000Z',
          updated_at: '2026-03-02T00:57:37.000Z',
        },
        delivery_id: '019cadc6-9a80-7b4a-8000-000000000001',
        response_code: 200,
        response_summary: null,
        duration_ms: 36,
        tested_at: '2026-03-02T00:57:37.000Z',
      },
    },
  },
};
