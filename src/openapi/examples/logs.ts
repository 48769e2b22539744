import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listLogs: {
    parameters: {
      project_id: '019cadc6-9a80-7244-8000-000000000001',
      range: '24h',
      method: 'POST',
      query: 'checkout',
      limit: 20,
    },
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-798f-8000-000000000001',
          timestamp: '2026-03-02T04:10:39.000Z',
          method: 'POST',
          endpoint: '/checkout',
          status: 200,
          latency_ms: 184,
          latency_bucket: 'slow',
          latency_color: 'yellow',
          api_key_prefix: 'EXAMPLE0',
          project: 'Web shop',
          request_body: {
            event: 'http.request',
            properties: { path: '/checkout', method: 'POST', source: 'shop', latency_ms: 184, status_code: 200 },
          },
          response_body: { accepted: true, event: 'http.request', status_code: 200 },
        },
        {
          id: '019cadc6-9a80-798f-8000-000000000002',
          timestamp: '2026-03-02T03:17:00.000Z',
          method: 'POST',
          endpoint: '/checkout',
          status: 200,
          latency_ms: 374,
          latency_bucket: 'very_slow',
          latency_color: 'red',
          api_key_prefix: 'EXAMPLE0',
          project: 'Web shop',
          request_body: {
            event: 'http.request',
            properties: {
              path: '/checkout',
              method: 'POST',
              source: 'shop',
              event_id: 'today-59-5',
              latency_ms: 374,
              environment: 'production',
              status_code: 200,
            },
          },
          response_body: { accepted: true, event: 'http.request', status_code: 200 },
        },
      ],
    },
  },
  streamLogs: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'text/event-stream',
      value: {
        type: 'log',
        log: {
          id: '019cadc6-9a80-7836-8000-000000000001',
          timestamp: '2026-03-02T04:10:39.000Z',
          method: 'POST',
          endpoint: '/checkout',
          status: 200,
          latency_ms: 184,
          latency_bucket: 'slow',
          latency_color: 'yellow',
          api_key_prefix: 'EXAMPLE0',
          project: 'Web shop',
          request_body: {
            event: 'http.request',
            properties: { path: '/checkout', method: 'POST', source: 'shop', latency_ms: 184, status_code: 200 },
          },
          response_body: { accepted: true, event: 'http.request', status_code: 200 },
        },
      },
    },
  },
};
