import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listProjects: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-7244-8000-000000000001',
          organization_id: '019cadc6-9a80-7af3-8000-000000000001',
          name: 'Web shop',
          slug: 'web-shop',
          owner_id: '019cadc6-9a80-704f-8000-000000000001',
          created_at: '2026-03-02T04:10:34.000Z',
        },
      ],
    },
  },
  createProject: {
    request: {
      type: 'application/json',
      value: { organization_id: '019cadc6-9a80-7af3-8000-000000000001', name: 'Web shop', slug: 'web-shop' },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Web shop',
        slug: 'web-shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:34.000Z',
      },
    },
  },
  selectProject: {
    request: { type: 'application/json', value: { project_id: '019cadc6-9a80-7244-8000-000000000001' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Web shop',
        slug: 'web-shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:34.000Z',
      },
    },
  },
  getProject: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Web shop',
        slug: 'web-shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:34.000Z',
      },
    },
  },
  updateProject: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    request: { type: 'application/json', value: { name: 'Staging', slug: 'staging' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Staging',
        slug: 'staging',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:35.000Z',
      },
    },
  },
  deleteProject: { parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' } },
  listProjectActivity: {
    parameters: { limit: 5, project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            id: '019cadc6-9a80-7065-8000-000000000001',
            actor_user_id: '019cadc6-9a80-704f-8000-000000000001',
            organization_id: '019cadc6-9a80-7af3-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            action: 'saved_view.deleted',
            target_type: 'saved_view',
            target_id: '019cadc6-9a80-734a-8000-000000000001',
            detail: { name: 'Orders from Germany' },
            request_id: '019cadc6-9a80-71f5-8000-000000000001',
            created_at: '2026-03-02T04:10:41.000Z',
          },
          {
            id: '019cadc6-9a80-7065-8000-000000000002',
            actor_user_id: '019cadc6-9a80-704f-8000-000000000001',
            organization_id: '019cadc6-9a80-7af3-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            action: 'saved_view.created',
            target_type: 'saved_view',
            target_id: '019cadc6-9a80-734a-8000-000000000001',
            detail: { name: 'Orders from Germany' },
            request_id: '019cadc6-9a80-71f5-8000-000000000002',
            created_at: '2026-03-02T04:10:41.000Z',
          },
        ],
        total: 34,
        limit: 5,
        offset: 0,
      },
    },
  },
  archiveProject: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Staging',
        slug: 'staging',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:35.000Z',
        archived_at: '2026-03-02T04:10:35.000Z',
      },
    },
  },
  getProjectCapabilities: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        can_read_delivery: true,
        can_replay_delivery: true,
        can_retry_now_delivery: true,
        can_drain_delivery_dlq: false,
        can_manage_delivery_channels: false,
      },
    },
  },
  getProjectDashboard: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Web shop',
        from_ts: '2026-03-01T04:10:41.000Z',
        to_ts: '2026-03-02T04:10:41.000Z',
        totals: { events: 259, errors: 6, error_rate: 0.023166023166023165, p50_latency_ms: 82, p95_latency_ms: 732 },
        timeseries: [
          { ts: '2026-03-01T04:00:00.000Z', events: 6, errors: 0 },
          { ts: '2026-03-01T05:00:00.000Z', events: 12, errors: 0 },
        ],
        top_events: [
          { event: 'http.request', total: 128 },
          { event: 'product.viewed', total: 59 },
        ],
        sources: [
          {
            id: '019cadc6-9a80-741c-8000-000000000001',
            name: 'Shop servers',
            events: 257,
            last_event_at: '2026-03-02T04:10:40.000Z',
          },
          {
            id: '019cadc6-9a80-741c-8000-000000000002',
            name: 'Web storefront',
            events: 1,
            last_event_at: '2026-03-02T04:10:36.000Z',
          },
        ],
        open_alerts: 0,
        deliveries: { sent: 0, failed: 0, dlq: 0 },
        usage: { events_used: 395, events_limit: 500000 },
      },
    },
  },
  listProjectEvents: {
    parameters: {
      from_ts: '2026-03-01T04:00:00.000Z',
      to_ts: '2026-03-02T04:00:00.000Z',
      event: 'order.placed',
      limit: 10,
      project_id: '019cadc6-9a80-7244-8000-000000000001',
    },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Web shop',
        from_ts: '2026-03-01T04:00:00.000Z',
        to_ts: '2026-03-02T04:00:00.000Z',
        items: [
          {
            id: '019cadc6-9a80-7b8e-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            source_id: '019cadc6-9a80-741c-8000-000000000001',
            api_key_id: '019cadc6-9a80-72c7-8000-000000000001',
            event: 'order.placed',
            source: 'shop',
            severity: 'info',
            status: null,
            environment: 'production',
            message: null,
            external_event_id: 'today-59-6',
            properties: {
              plan: 'free',
              user: 'visitor-59',
              amount: 98,
              source: 'shop',
              country: 'US',
              product: 'teapot',
              currency: 'EUR',
              event_id: 'today-59-6',
              severity: 'info',
              environment: 'production',
            },
            timestamp: '2026-03-02T03:17:00.000Z',
            created_at: '2026-03-02T04:10:40.000Z',
          },
          {
            id: '019cadc6-9a80-7b8e-8000-000000000002',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            source_id: '019cadc6-9a80-741c-8000-000000000001',
            api_key_id: '019cadc6-9a80-72c7-8000-000000000001',
            event: 'order.placed',
            source: 'shop',
            severity: 'info',
            status: null,
            environment: 'production',
            message: null,
            external_event_id: 'today-56-6',
            properties: {
              plan: 'free',
              user: 'visitor-56',
              amount: 47,
              source: 'shop',
              country: 'DE',
              product: 'strainer',
              currency: 'EUR',
              event_id: 'today-56-6',
              severity: 'info',
              environment: 'production',
            },
            timestamp: '2026-03-02T02:05:00.000Z',
            created_at: '2026-03-02T04:10:40.000Z',
          },
        ],
        total: 26,
        limit: 10,
        offset: 0,
        has_more: true,
      },
    },
  },
  exportProjectEvents: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    request: {
      type: 'application/json',
      value: {
        from_ts: '2026-03-01T04:00:00.000Z',
        to_ts: '2026-03-02T04:00:00.000Z',
        event: 'payment.failed',
        format: 'ndjson',
      },
    },
    answer: {
      type: 'application/x-ndjson',
      value:
        '{"id":"019cadc6-9a80-7b8e-8000-000000000001","project_id":"019cadc6-9a80-7244-8000-000000000001","source_id":"019cadc6-9a80-741c-8000-000000000001","api_key_id":"019cadc6-9a80-72c7-8000-000000000001","event":"payment.failed","source":"payments","severity":"critical","status":"failed","environment":"production","message":"The bank declined the card","external_event_id":"today-41-6","properties":{"plan": "free", "user": "visitor-41", "amount": 62, "reason": "card_declined", "source": "payments", "status": "failed", "country": "US", "message": "The bank declined the card", "event_id": "today-41-6", "severity": "critical", "environment": "production"},"timestamp":"2026-03-01T20:05:00.000Z","created_at":"2026-03-02T04:10:40.000Z"}\n{"id":"019cadc6-9a80-7b8e-8000-000000000002","project_id":"019cadc6-9a80-7244-8000-000000000001","source_id":"019cadc6-9a80-741c-8000-000000000001","api_key_id":"019cadc6-9a80-72c7-8000-000000000001","event":"payment.failed","source":"payments","severity":"critical","status":"failed","environment":"production","message":"The bank declined the card","external_event_id":"today-31-6","properties":{"plan": "free", "user": "visitor-31", "amount": 72, "reason": "card_declined", "source": "payments", "status": "failed", "country": "DE", "message": "The bank declined the card", "event_id": "today-31-6", "severity": "critical", "environment": "production"},"timestamp":"2026-03-01T16:05:00.000Z","created_at":"2026-03-02T04:10:40.000Z"}\n',
    },
  },
  getProjectEventFacets: {
    parameters: {
      from_ts: '2026-03-01T04:00:00.000Z',
      to_ts: '2026-03-02T04:00:00.000Z',
      project_id: '019cadc6-9a80-7244-8000-000000000001',
    },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Web shop',
        from_ts: '2026-03-01T04:00:00.000Z',
        to_ts: '2026-03-02T04:00:00.000Z',
        facets: {
          event: [
            { value: 'http.request', count: 130 },
            { value: 'product.viewed', count: 60 },
          ],
          source_id: [{ value: '019cadc6-9a80-7cd4-8000-000000000001', count: 260, name: 'Shop servers' }],
          severity: [
            { value: null, count: 130 },
            { value: 'info', count: 126 },
            { value: 'critical', count: 4 },
          ],
          status: [
            { value: null, count: 256 },
            { value: 'failed', count: 4 },
          ],
          environment: [{ value: 'production', count: 260 }],
        },
      },
    },
  },
  getProjectEvent: {
    parameters: {
      event_id: '019cadc6-9a80-7b8e-8000-000000000001',
      project_id: '019cadc6-9a80-7244-8000-000000000001',
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b8e-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: null,
        api_key_id: null,
        event: 'release.deployed',
        source: 'console',
        severity: 'info',
        status: null,
        environment: null,
        message: null,
        external_event_id: null,
        properties: { source: 'console', service: 'checkout', version: '2026.3.1', severity: 'info' },
        timestamp: '2026-03-02T04:10:40.000Z',
        created_at: '2026-03-02T04:10:40.000Z',
        log: {
          id: '019cadc6-9a80-7b8e-8000-000000000001',
          timestamp: '2026-03-02T04:10:40.000Z',
          method: 'EVENT',
          endpoint: '/events/release.deployed',
          status: 200,
          latency_ms: 0,
          latency_bucket: 'fast',
          latency_color: 'green',
          api_key_prefix: 'dashboard',
          project: 'Web shop',
          request_body: {
            event: 'release.deployed',
            properties: { source: 'console', service: 'checkout', version: '2026.3.1', severity: 'info' },
          },
          response_body: { accepted: true, event: 'release.deployed', status_code: 200 },
        },
        related_alerts: [],
      },
    },
  },
  getProjectHealth: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        status: 'healthy',
        last_event_at: '2026-03-02T04:10:40.000Z',
        events_last_hour: 13,
        events_last_24h: 259,
        active_keys: 5,
        archived_at: null,
        onboarding: { has_key: true, has_event: true, completed: true },
      },
    },
  },
  listProjectMembers: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: [
        {
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          user_id: '019cadc6-9a80-704f-8000-000000000001',
          display_name: 'Barbara Liskov',
          role: 'member',
          created_at: '2026-03-02T04:10:35.000Z',
        },
        {
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          user_id: '019cadc6-9a80-704f-8000-000000000002',
          display_name: 'Grace Hopper',
          role: 'operator',
          created_at: '2026-03-02T04:10:34.000Z',
        },
        {
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          user_id: '019cadc6-9a80-704f-8000-000000000003',
          display_name: 'Ada Lovelace',
          role: 'owner',
          created_at: '2026-03-02T04:10:34.000Z',
        },
      ],
    },
  },
  createProjectMember: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    request: { type: 'application/json', value: { user_id: '019cadc6-9a80-704f-8000-000000000001', role: 'member' } },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        user_id: '019cadc6-9a80-704f-8000-000000000001',
        display_name: 'Barbara Liskov',
        role: 'member',
        created_at: '2026-03-02T04:10:35.000Z',
      },
    },
  },
  getCurrentProjectMember: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        user_id: '019cadc6-9a80-704f-8000-000000000001',
        display_name: 'Grace Hopper',
        role: 'operator',
        created_at: '2026-03-02T04:10:34.000Z',
      },
    },
  },
  updateProjectMember: {
    parameters: { user_id: '019cadc6-9a80-704f-8000-000000000001', project_id: '019cadc6-9a80-7244-8000-000000000001' },
    request: { type: 'application/json', value: { role: 'viewer' } },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        user_id: '019cadc6-9a80-704f-8000-000000000001',
        display_name: 'Barbara Liskov',
        role: 'viewer',
        created_at: '2026-03-02T04:10:35.000Z',
      },
    },
  },
  deleteProjectMember: {
    parameters: { user_id: '019cadc6-9a80-704f-8000-000000000001', project_id: '019cadc6-9a80-7244-8000-000000000001' },
  },
  restoreProject: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Staging',
        slug: 'staging',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:35.000Z',
        archived_at: null,
      },
    },
  },
  listSavedViews: {
    parameters: { kind: 'view', project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-72bc-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          name: 'Failed payments in production',
          kind: 'view',
          filters: { event: 'payment.failed', range: '7d', environment: 'production' },
          created_by: '019cadc6-9a80-704f-8000-000000000001',
          created_at: '2026-03-02T04:10:41.000Z',
          updated_at: '2026-03-02T04:10:41.000Z',
        },
      ],
    },
  },
  createSavedView: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    request: {
      type: 'application/json',
      value: { name: 'Failed payments', filters: { event: 'payment.failed', severity: 'critical', range: '7d' } },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bc-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Failed payments',
        kind: 'view',
        filters: { event: 'payment.failed', range: '7d', severity: 'critical' },
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:41.000Z',
        updated_at: '2026-03-02T04:10:41.000Z',
      },
    },
  },
  updateSavedView: {
    parameters: { view_id: '019cadc6-9a80-72bc-8000-000000000001', project_id: '019cadc6-9a80-7244-8000-000000000001' },
    request: {
      type: 'application/json',
      value: {
        name: 'Failed payments in production',
        filters: { event: 'payment.failed', environment: 'production', range: '7d' },
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bc-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Failed payments in production',
        kind: 'view',
        filters: { event: 'payment.failed', range: '7d', environment: 'production' },
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:41.000Z',
        updated_at: '2026-03-02T04:10:41.000Z',
      },
    },
  },
  deleteSavedView: {
    parameters: { view_id: '019cadc6-9a80-72bc-8000-000000000001', project_id: '019cadc6-9a80-7244-8000-000000000001' },
  },
  getProjectSettings: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        timezone: 'Europe/Berlin',
        default_range: '7d',
        redacted_properties: ['card.number', 'customer.email'],
        noise_endpoints: ['/health', '/metrics'],
        annotation_events: ['deploy.*', 'price.changed'],
        updated_at: '2026-03-02T04:10:36.000Z',
      },
    },
  },
  replaceProjectSettings: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    request: {
      type: 'application/json',
      value: {
        timezone: 'Europe/Berlin',
        default_range: '7d',
        redacted_properties: ['card.number', 'customer.email'],
        noise_endpoints: ['/health', '/metrics'],
        annotation_events: ['deploy.*', 'price.changed'],
      },
    },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        timezone: 'Europe/Berlin',
        default_range: '7d',
        redacted_properties: ['card.number', 'customer.email'],
        noise_endpoints: ['/health', '/metrics'],
        annotation_events: ['deploy.*', 'price.changed'],
        updated_at: '2026-03-02T04:10:36.000Z',
      },
    },
  },
  getProjectDailyUsage: {
    parameters: { days: 2, project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        usage: [
          { date: '2026-02-28', events: 104 },
          { date: '2026-03-01', events: 238 },
          { date: '2026-03-02', events: 47 },
        ],
      },
    },
  },
};
