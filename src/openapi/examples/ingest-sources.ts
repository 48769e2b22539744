import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listIngestSources: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-741c-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          name: 'Checkout',
          type: 'server',
          is_enabled: true,
          description: 'Orders',
          created_at: '2026-03-02T00:53:39.000Z',
          last_event_at: '2026-03-02T00:53:40.000Z',
        },
      ],
    },
  },
  createIngestSource: {
    request: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Checkout',
        type: 'server',
        description: 'Orders',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-741c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Checkout',
        type: 'server',
        is_enabled: true,
        description: 'Orders',
        created_at: '2026-03-02T00:53:39.000Z',
        last_event_at: null,
        key: {
          id: '019cadc6-9a80-741c-8000-000000000002',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          source_id: '019cadc6-9a80-741c-8000-000000000001',
          name: 'Checkout',
          prefix: 'EXAMPLE0',
          scopes: ['events:write'],
          status: 'active',
          created_at: '2026-03-02T00:53:39.000Z',
          last_used_at: null,
          expires_at: null,
          key: 'oes_EXAMPLE_KEY_OF_NOBODY',
        },
      },
    },
  },
  getIngestSourceCatalog: {
    answer: {
      type: 'application/json',
      value: [
        {
          type: 'http',
          name: 'HTTP',
          description: 'Anything that can send a POST request with a header.',
          snippets: [
            {
              language: 'curl',
              title: 'curl',
              code: 'curl -sS --fail-with-body "$SERVICE_URL/v1/events/ingest" \\\n  -H "Content-Type: application/json" \\\n  -H "X-API-Key: $API_KEY" \\\n  -d \'{"event_type":"order.paid","source":"shop","properties":{"amount":42}}\'\n',
            },
            {
              language: 'node',
              title: 'Node 18 or newer',
              code: "const answer = await fetch(`${process.env.SERVICE_URL}/v1/events/ingest`, {\n  method: 'POST',\n  headers: { 'Content-Type': 'application/json', 'X-API-Key': process.env.API_KEY },\n  body: JSON.stringify({ event_type: 'order.paid', source: 'shop', properties: { amount: 42 } }),\n});\nif (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);\n",
            },
          ],
        },
        {
          type: 'server',
          name: 'Server',
          description: 'A back end with a secret key in its environment.',
          snippets: [
            {
              language: 'node',
              title: 'Node 18 or newer',
              code: "const answer = await fetch(`${process.env.SERVICE_URL}/v1/events/ingest`, {\n  method: 'POST',\n  headers: { 'Content-Type': 'application/json', 'X-API-Key': process.env.API_KEY },\n  body: JSON.stringify({ event_type: 'order.paid', source: 'shop', properties: { amount: 42 } }),\n});\nif (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);\n",
            },
            {
              language: 'python',
              title: 'Python 3, standard library',
              code: 'import json, os, urllib.request\n\nrequest = urllib.request.Request(\n    os.environ["SERVICE_URL"] + "/v1/events/ingest",\n    data=json.dumps({"event_type": "order.paid", "source": "shop", "properties": {"amount": 42}}).encode(),\n    headers={"Content-Type": "application/json", "X-API-Key": os.environ["API_KEY"]},\n)\nurllib.request.urlopen(request, timeout=10).read()\n',
            },
          ],
        },
      ],
    },
  },
  getIngestSource: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-741c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Checkout',
        type: 'server',
        is_enabled: true,
        description: 'Orders',
        created_at: '2026-03-02T00:53:39.000Z',
        last_event_at: '2026-03-02T00:53:40.000Z',
      },
    },
  },
  updateIngestSource: {
    request: { type: 'application/json', value: { name: 'Shop' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-741c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Shop',
        type: 'http',
        is_enabled: true,
        description: 'Orders',
        created_at: '2026-03-02T00:53:44.000Z',
        last_event_at: null,
      },
    },
  },
  deleteIngestSource: {},
  listBrowserKeys: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-72c7-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          source_id: '019cadc6-9a80-741c-8000-000000000001',
          name: 'Shop',
          prefix: 'EXAMPLE0',
          scopes: ['events:write'],
          status: 'active',
          created_at: '2026-03-02T01:15:06.000Z',
          last_used_at: null,
          expires_at: null,
          allowed_origins: ['https://shop.example.com', 'https://api.acme.example'],
          rate_limit_per_minute: 60,
        },
      ],
    },
  },
  createBrowserKey: {
    request: {
      type: 'application/json',
      value: { name: 'Shop', allowed_origins: ['https://shop.example.com'], rate_limit_per_minute: 10000 },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72c7-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        name: 'Shop',
        prefix: 'EXAMPLE0',
        scopes: ['events:write'],
        status: 'active',
        created_at: '2026-03-02T01:15:07.000Z',
        last_used_at: null,
        expires_at: null,
        allowed_origins: ['https://shop.example.com'],
        rate_limit_per_minute: 10000,
        key: 'Example-key-0000000000000000000000000000000000000000',
      },
    },
  },
  updateBrowserKey: {
    request: { type: 'application/json', value: { rate_limit_per_minute: 1 } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72c7-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        name: 'Shop',
        prefix: 'EXAMPLE0',
        scopes: ['events:write'],
        status: 'active',
        created_at: '2026-03-02T01:15:07.000Z',
        last_used_at: null,
        expires_at: null,
        allowed_origins: ['https://shop.example.com'],
        rate_limit_per_minute: 1,
      },
    },
  },
  revokeBrowserKey: {},
  disableIngestSource: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-741c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Checkout',
        type: 'http',
        is_enabled: false,
        description: null,
        created_at: '2026-03-02T00:56:00.000Z',
        last_event_at: '2026-03-02T00:56:00.000Z',
      },
    },
  },
  enableIngestSource: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-741c-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Checkout',
        type: 'http',
        is_enabled: true,
        description: null,
        created_at: '2026-03-02T00:56:00.000Z',
        last_event_at: '2026-03-02T00:56:00.000Z',
      },
    },
  },
  listIngestSourceEvents: {
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            id: '019cadc6-9a80-72dc-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            source_id: '019cadc6-9a80-741c-8000-000000000001',
            api_key_id: null,
            event: 'source.test',
            source: 'Checkout',
            severity: 'info',
            status: 'ok',
            environment: null,
            message: 'Test event of the Event Source',
            external_event_id: null,
            properties: {
              test: true,
              source: 'Checkout',
              status: 'ok',
              message: 'Test event of the Event Source',
              severity: 'info',
            },
            timestamp: '2026-03-02T00:56:31.000Z',
            created_at: '2026-03-02T00:56:31.000Z',
          },
        ],
        next_before: null,
      },
    },
  },
  listIngestSourceFailures: {
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            api_key_id: '019cadc6-9a80-72e9-8000-000000000001',
            reason_code: 'source_disabled',
            status_code: 403,
            occurred_at: '2026-03-02T00:53:54.000Z',
            request_id: '019cadc6-9a80-71f5-8000-000000000001',
            count: 3,
          },
          {
            api_key_id: '019cadc6-9a80-72e9-8000-000000000002',
            reason_code: 'source_disabled',
            status_code: 403,
            occurred_at: '2026-03-02T00:53:54.000Z',
            request_id: '019cadc6-9a80-71f5-8000-000000000002',
            count: 1,
          },
        ],
        total: 2,
        limit: 50,
        offset: 0,
      },
    },
  },
  getIngestSourceHealth: {
    answer: {
      type: 'application/json',
      value: {
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        status: 'healthy',
        is_enabled: true,
        last_event_at: '2026-03-02T00:56:00.000Z',
        events_last_24h: 0,
        failures_last_24h: 0,
        failure_rate: 0,
        active_keys: 3,
      },
    },
  },
  listIngestSourceKeys: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-72c7-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          source_id: '019cadc6-9a80-741c-8000-000000000001',
          name: 'Orders',
          prefix: 'EXAMPLE0',
          scopes: ['events:write'],
          status: 'active',
          created_at: '2026-03-02T00:57:32.000Z',
          last_used_at: null,
          expires_at: null,
          allowed_origins: ['https://example.com'],
          rate_limit_per_minute: 60,
        },
        {
          id: '019cadc6-9a80-72c7-8000-000000000002',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          source_id: '019cadc6-9a80-741c-8000-000000000001',
          name: 'Orders',
          prefix: 'EXAMPLE0',
          scopes: ['events:write'],
          status: 'active',
          created_at: '2026-03-02T00:57:32.000Z',
          last_used_at: null,
          expires_at: null,
          allowed_origins: ['https://example.com'],
          rate_limit_per_minute: 60,
        },
      ],
    },
  },
  createIngestSourceKey: {
    request: {
      type: 'application/json',
      value: { name: 'Green', scopes: ['events:read'], expires_at: '2026-03-02T00:54:56.000Z' },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72c7-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        name: 'Green',
        prefix: 'EXAMPLE0',
        scopes: ['events:read'],
        status: 'active',
        created_at: '2026-03-02T00:53:56.000Z',
        last_used_at: null,
        expires_at: '2026-03-02T00:54:56.000Z',
        key: 'oes_EXAMPLE_KEY_OF_NOBODY',
      },
    },
  },
  revokeIngestSourceKey: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72c7-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        name: 'Checkout',
        prefix: 'EXAMPLE0',
        scopes: ['events:write'],
        status: 'revoked',
        created_at: '2026-03-02T00:53:56.000Z',
        last_used_at: null,
        expires_at: null,
      },
    },
  },
  rotateIngestSourceKey: {
    request: { type: 'application/json', value: { grace_seconds: 60 } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72c7-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        name: 'Turned',
        prefix: 'EXAMPLE0',
        scopes: ['events:write'],
        status: 'active',
        created_at: '2026-03-02T01:15:07.000Z',
        last_used_at: null,
        expires_at: null,
        allowed_origins: ['https://shop.example.com'],
        rate_limit_per_minute: 60,
        key: 'Example-key-0000000000000000000000000000000000000000',
      },
    },
  },
  getIngestSourceSchema: {
    answer: {
      type: 'application/json',
      value: {
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        sampled_events: 4,
        from_ts: '2026-05-01T00:00:00.000Z',
        to_ts: '2026-05-01T00:00:03.000Z',
        event_types: [
          {
            event: 'order.paid',
            events: 3,
            properties: [
              {
                path: 'amount',
                events: 3,
                types: [
                  { type: 'number', events: 2 },
                  { type: 'null', events: 1 },
                ],
              },
              { path: 'lines', events: 1, types: [{ type: 'object', events: 1 }] },
            ],
            truncated: false,
            last_seen_at: '2026-05-01T00:00:02.000Z',
          },
          { event: 'login', events: 1, properties: [], truncated: false, last_seen_at: '2026-05-01T00:00:03.000Z' },
        ],
      },
    },
  },
  getIngestSourceStats: {
    answer: {
      type: 'application/json',
      value: {
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        range: '24h',
        interval: 'hour',
        from_ts: '2026-03-01T00:00:00.000Z',
        to_ts: '2026-03-02T01:00:00.000Z',
        totals: { events: 0, errors: 0 },
        timeseries: [
          { ts: '2026-03-01T00:00:00.000Z', events: 0, errors: 0 },
          { ts: '2026-03-01T01:00:00.000Z', events: 0, errors: 0 },
        ],
      },
    },
  },
  testIngestSource: {
    answer: {
      type: 'application/json',
      value: {
        accepted: true,
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: '019cadc6-9a80-741c-8000-000000000001',
        ingested_event_id: '019cadc6-9a80-7b8e-8000-000000000001',
        event_type: 'source.test',
        timestamp: '2026-03-02T00:57:35.000Z',
      },
    },
  },
};
