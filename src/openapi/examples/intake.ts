import type { Example, ExampleBody, Examples } from './example.js';

const JSON_TYPE = 'application/json';

/** The answer of the intake to accepted events. */
function accepted(...ids: string[]): ExampleBody {
  const results = ids.map((id, position) => ({ position, accepted: true, duplicate: false, ingested_event_id: id }));
  return { type: JSON_TYPE, value: { accepted: ids.length, rejected: 0, duplicates: 0, results } };
}

const SHOP = {
  attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }],
};

const exportLogs: Example = {
  request: {
    type: JSON_TYPE,
    value: {
      resourceLogs: [
        {
          resource: SHOP,
          scopeLogs: [
            {
              logRecords: [
                {
                  timeUnixNano: '1772424638000000000',
                  severityNumber: 17,
                  severityText: 'ERROR',
                  body: { stringValue: 'Payment failed' },
                  attributes: [{ key: 'order.id', value: { stringValue: '1042' } }],
                },
              ],
            },
          ],
        },
      ],
    },
  },
  answer: { type: JSON_TYPE, value: {} },
};

const exportTraces: Example = {
  parameters: { spans: 'requests' },
  request: {
    type: JSON_TYPE,
    value: {
      resourceSpans: [
        {
          resource: SHOP,
          scopeSpans: [
            {
              spans: [
                {
                  traceId: '5b8efff798038103d269b633813fc60c',
                  spanId: 'eee19b7ec3c1b174',
                  name: 'GET /orders/{id}',
                  kind: 2,
                  startTimeUnixNano: '1772424638000000000',
                  endTimeUnixNano: '1772424638125000000',
                  attributes: [
                    { key: 'http.request.method', value: { stringValue: 'GET' } },
                    { key: 'http.response.status_code', value: { intValue: '200' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  },
  answer: { type: JSON_TYPE, value: {} },
};

const exportMetrics: Example = {
  request: {
    type: JSON_TYPE,
    value: {
      resourceMetrics: [
        {
          resource: SHOP,
          scopeMetrics: [
            { metrics: [{ name: 'queue.length', gauge: { dataPoints: [{ asInt: '7' }, { asInt: '9' }] } }] },
          ],
        },
      ],
    },
  },
  answer: {
    type: JSON_TYPE,
    value: {
      partialSuccess: {
        rejectedDataPoints: '2',
        errorMessage: 'This service stores logs and traces. Metrics are not stored.',
      },
    },
  },
};

/** Written by hand, because recordings have only the operations of the public document. */
export const EXAMPLES: Examples = {
  sendJson: {
    parameters: { event_type: 'log', source: 'shop' },
    request: {
      type: 'application/x-ndjson',
      value:
        '{"level":"info","msg":"Order placed","time":"2026-03-02T04:10:38.000Z","order":1042}\n{"level":"error","msg":"Payment failed","time":"2026-03-02T04:10:39.000Z","order":1042}\n',
    },
    answer: accepted('019cadc6-9a80-7b8e-8000-000000000001', '019cadc6-9a80-7b8e-8000-000000000002'),
  },
  sendCloudEvents: {
    request: {
      type: 'application/cloudevents+json',
      value: {
        specversion: '1.0',
        id: 'order-1042',
        source: '/shop/orders',
        type: 'com.example.order.placed',
        time: '2026-03-02T04:10:38.000Z',
        datacontenttype: 'application/json',
        data: { amount: 49.9, currency: 'EUR' },
      },
    },
    answer: accepted('019cadc6-9a80-7b8e-8000-000000000001'),
  },
  sendWebhook: {
    parameters: { hook_id: '3f6d1c0a9be24785a1d0c7e4f2b86953' },
    request: {
      type: JSON_TYPE,
      value: {
        action: 'opened',
        issue: { number: 7, title: 'The checkout is slow' },
        repository: { full_name: 'example/shop' },
      },
    },
    answer: accepted('019cadc6-9a80-7b8e-8000-000000000001'),
  },
  exportLogs,
  exportTraces,
  exportMetrics,
};
