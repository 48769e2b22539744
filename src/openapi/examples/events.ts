import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  recordEvent: {
    request: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        event_type: 'deploy',
        source: 'console',
        severity: 'info',
        event_id: 'd-1',
        timestamp: '2026-01-02T03:04:05Z',
        properties: { version: 7 },
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72dc-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: null,
        api_key_id: null,
        event: 'deploy',
        source: 'console',
        severity: 'info',
        status: null,
        environment: null,
        message: null,
        external_event_id: 'd-1',
        properties: { version: 7, source: 'console', severity: 'info', event_id: 'd-1' },
        timestamp: '2026-01-02T03:04:05.000Z',
        created_at: '2026-03-02T00:51:10.000Z',
      },
    },
  },
  listEvents: {
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            id: '019cadc6-9a80-72dc-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            source_id: null,
            api_key_id: '019cadc6-9a80-72e9-8000-000000000001',
            event: 'one',
            source: 'web',
            severity: null,
            status: null,
            environment: null,
            message: null,
            external_event_id: null,
            properties: { a: 1, source: 'web' },
            timestamp: '2015-05-17T10:05:03.123Z',
            created_at: '2026-03-02T01:04:59.000Z',
          },
        ],
        next_before: null,
      },
    },
  },
  getEventCounts: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        range: '24h',
        interval: 'hour',
        from_ts: '2026-03-01T00:57:30.000Z',
        to_ts: '2026-03-02T00:57:30.000Z',
        total_events: 4,
        counts: [
          { ts: '2026-03-01T00:00:00.000Z', events: 0, errors: 0 },
          { ts: '2026-03-01T01:00:00.000Z', events: 0, errors: 0 },
        ],
      },
    },
  },
  ingestEvent: {
    request: {
      type: 'application/json',
      value: {
        source: 'web',
        event_type: 'http.request',
        timestamp: '2026-03-02T01:01:44.000Z',
        payload: { method: 'get', path: '/Cart', status_code: 204, latency_ms: 99.9 },
      },
    },
    answer: {
      type: 'application/json',
      value: {
        accepted: true,
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        api_key_id: '019cadc6-9a80-72e9-8000-000000000001',
        ingested_event_id: '019cadc6-9a80-7b8e-8000-000000000001',
        external_event_id: null,
        event_type: 'http.request',
        timestamp: '2026-03-02T01:01:44.000Z',
        properties: { method: 'get', path: '/Cart', status_code: 204, latency_ms: 99.9, source: 'web' },
        duplicate: false,
        ingest_mode: 'batched',
        persisted_synchronously: true,
      },
    },
  },
  listEventNames: {
    answer: {
      type: 'application/json',
      value: [
        { event: 'order.placed', total: 3 },
        { event: 'http.request', total: 1 },
      ],
    },
  },
  streamEvents: {
    answer: {
      type: 'text/event-stream',
      value: {
        type: 'event',
        event: {
          id: '019cadc6-9a80-7dca-8000-000000000001',
          project_id: '019cadc6-9a80-7dca-8000-000000000002',
          source_id: null,
          api_key_id: '019cadc6-9a80-7dca-8000-000000000003',
          event: 'e',
          source: 's',
          severity: null,
          status: null,
          environment: null,
          message: null,
          external_event_id: null,
          properties: { source: 's' },
          timestamp: '2026-03-02T00:42:37.000Z',
          created_at: '2026-03-02T00:42:37.000Z',
        },
      },
    },
  },
};
