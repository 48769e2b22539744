import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listLogs: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-798f-8000-000000000001',
          timestamp: '2026-03-02T01:01:44.000Z',
          method: 'GET',
          endpoint: '/Cart',
          status: 204,
          latency_ms: 99,
          latency_bucket: 'fast',
          latency_color: 'green',
          api_key_prefix: 'EXAMPLE0',
          project: 'Tea House',
          request_body: {
            event: 'http.request',
            properties: { path: '/Cart', method: 'get', source: 'web', latency_ms: 99.9, status_code: 204 },
          },
          response_body: { accepted: true, event: 'http.request', status_code: 200 },
        },
        {
          id: '019cadc6-9a80-798f-8000-000000000002',
          timestamp: '2026-03-02T01:00:44.000Z',
          method: 'POST',
          endpoint: '/orders',
          status: 200,
          latency_ms: 100,
          latency_bucket: 'slow',
          latency_color: 'yellow',
          api_key_prefix: 'EXAMPLE0',
          project: 'Tea House',
          request_body: {
            event: 'http.request',
            properties: { path: '/orders', source: 'web', endpoint: '/orders', latency_ms: 100, http_method: 'POST' },
          },
          response_body: { accepted: true, event: 'http.request', status_code: 200 },
        },
      ],
    },
  },
  streamLogs: {
    answer: {
      type: 'text/event-stream',
      value: {
        type: 'log',
        log: {
          id: '019cadc6-9a80-7dca-8000-000000000001',
          timestamp: '2026-03-02T00:42:10.000Z',
          method: 'EVENT',
          endpoint: '/events/e',
          status: 200,
          latency_ms: 0,
          latency_bucket: 'fast',
          latency_color: 'green',
          api_key_prefix: '01a205da',
          project: 'Web shop',
          request_body: { event: 'e', properties: { source: 's' } },
          response_body: { accepted: true, event: 'e', status_code: 200 },
        },
      },
    },
  },
};
