import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listAlertDestinations: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-7b5c-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          type: 'slack',
          name: 'Payments chat',
          target_url: 'https://hooks.acme.example/***',
          has_secret: false,
          is_enabled: true,
          template: null,
          created_at: '2026-03-02T04:10:45.000Z',
          updated_at: '2026-03-02T04:10:45.000Z',
        },
        {
          id: '019cadc6-9a80-7b5c-8000-000000000002',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          type: 'webhook',
          name: 'On call',
          target_url: 'https://hooks.acme.example/on-call',
          has_secret: true,
          is_enabled: true,
          template: null,
          created_at: '2026-03-02T04:10:44.000Z',
          updated_at: '2026-03-02T04:10:44.000Z',
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
        name: 'On call',
        target_url: 'https://hooks.acme.example/on-call',
        secret: 'not-a-real-secret-0000000000',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'webhook',
        name: 'On call',
        target_url: 'https://hooks.acme.example/on-call',
        has_secret: true,
        is_enabled: true,
        template: null,
        created_at: '2026-03-02T04:10:44.000Z',
        updated_at: '2026-03-02T04:10:44.000Z',
      },
    },
  },
  updateAlertDestination: {
    parameters: { destination_id: '019cadc6-9a80-7b5c-8000-000000000001' },
    request: {
      type: 'application/json',
      value: { name: 'On-call team', target_url: 'https://hooks.acme.example/teams/on-call' },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'webhook',
        name: 'On-call team',
        target_url: 'https://hooks.acme.example/teams/on-call',
        has_secret: true,
        is_enabled: true,
        template: null,
        created_at: '2026-03-02T04:10:44.000Z',
        updated_at: '2026-03-02T04:10:48.000Z',
      },
    },
  },
  deleteAlertDestination: { parameters: { destination_id: '019cadc6-9a80-7b5c-8000-000000000001' } },
  disableAlertDestination: {
    parameters: { destination_id: '019cadc6-9a80-7b5c-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'slack',
        name: 'Payments chat',
        target_url: 'https://hooks.acme.example/***',
        has_secret: false,
        is_enabled: false,
        template: null,
        created_at: '2026-03-02T04:10:45.000Z',
        updated_at: '2026-03-02T04:10:45.000Z',
      },
    },
  },
  enableAlertDestination: {
    parameters: { destination_id: '019cadc6-9a80-7b5c-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b5c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        type: 'slack',
        name: 'Payments chat',
        target_url: 'https://hooks.acme.example/***',
        has_secret: false,
        is_enabled: true,
        template: null,
        created_at: '2026-03-02T04:10:45.000Z',
        updated_at: '2026-03-02T04:10:45.000Z',
      },
    },
  },
  testAlertDestination: {
    parameters: { destination_id: '019cadc6-9a80-7b5c-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        ok: true,
        destination: {
          id: '019cadc6-9a80-7b5c-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          type: 'webhook',
          name: 'On call',
          target_url: 'https://hooks.acme.example/on-call',
          has_secret: true,
          is_enabled: true,
          template: null,
          created_at: '2026-03-02T04:10:44.000Z',
          updated_at: '2026-03-02T04:10:44.000Z',
        },
        delivery_id: '019cadc6-9a80-7b4a-8000-000000000001',
        response_code: 200,
        response_summary: null,
        duration_ms: 45,
        tested_at: '2026-03-02T04:10:45.000Z',
      },
    },
  },
};
