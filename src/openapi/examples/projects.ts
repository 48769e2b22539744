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
          created_at: '2026-03-02T00:55:59.000Z',
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
        created_at: '2026-03-02T00:55:59.000Z',
      },
    },
  },
  selectProject: {
    request: { type: 'application/json', value: { project_id: '019cadc6-9a80-7244-8000-000000000001' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7b1a-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Web shop',
        slug: 'web-shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:59.000Z',
      },
    },
  },
  getProject: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Web shop',
        slug: 'web-shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:59.000Z',
      },
    },
  },
  updateProject: {
    request: { type: 'application/json', value: { name: 'Shop', slug: 'shop' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Shop',
        slug: 'shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:56:37.000Z',
      },
    },
  },
  deleteProject: {},
  listProjectActivity: {
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            id: '019cadc6-9a80-7244-8000-000000000001',
            actor_user_id: '019cadc6-9a80-704f-8000-000000000001',
            organization_id: '019cadc6-9a80-7af3-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000002',
            action: 'alert_rule.created',
            target_type: 'alert_rule',
            target_id: '019cadc6-9a80-734a-8000-000000000001',
            detail: { kind: 'match', name: 'Payments fail' },
            request_id: '019cadc6-9a80-71f5-8000-000000000001',
            created_at: '2026-03-02T00:52:07.000Z',
          },
          {
            id: '019cadc6-9a80-7244-8000-000000000003',
            actor_user_id: '019cadc6-9a80-704f-8000-000000000001',
            organization_id: '019cadc6-9a80-7af3-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000002',
            action: 'api_key.created',
            target_type: 'api_key',
            target_id: '019cadc6-9a80-734a-8000-000000000002',
            detail: { name: 'Test', prefix: 'EXAMPLE0', scopes: ['events:read', 'events:write'] },
            request_id: '019cadc6-9a80-71f5-8000-000000000002',
            created_at: '2026-03-02T00:52:07.000Z',
          },
        ],
        total: 3,
        limit: 50,
        offset: 0,
      },
    },
  },
  archiveProject: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Web shop',
        slug: 'web-shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:59.000Z',
        archived_at: '2026-03-02T00:57:41.000Z',
      },
    },
  },
  getProjectCapabilities: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        can_read_delivery: true,
        can_replay_delivery: false,
        can_retry_now_delivery: false,
        can_drain_delivery_dlq: false,
        can_manage_delivery_channels: false,
      },
    },
  },
  getProjectDashboard: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '2026-03-01T01:06:13.000Z',
        to_ts: '2026-03-02T01:06:13.000Z',
        totals: { events: 23, errors: 2, error_rate: 0.08695652173913043, p50_latency_ms: 100, p95_latency_ms: 190 },
        timeseries: [
          { ts: '2026-03-01T01:00:00.000Z', events: 0, errors: 0 },
          { ts: '2026-03-01T02:00:00.000Z', events: 0, errors: 0 },
        ],
        top_events: [
          { event: 'order.placed', total: 2 },
          { event: 'payment.failed', total: 2 },
        ],
        sources: [
          {
            id: '019cadc6-9a80-7244-8000-000000000002',
            name: 'Server',
            events: 2,
            last_event_at: '2026-03-02T01:06:12.000Z',
          },
          { id: '019cadc6-9a80-7244-8000-000000000003', name: 'Browser', events: 0, last_event_at: null },
        ],
        open_alerts: 3,
        deliveries: { sent: 5, failed: 2, dlq: 1 },
        usage: { events_used: 25, events_limit: 10000 },
      },
    },
  },
  listProjectEvents: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '2026-03-01T00:54:30.000Z',
        to_ts: '2026-03-02T00:54:30.000Z',
        items: [
          {
            id: '019cadc6-9a80-72dc-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            source_id: null,
            api_key_id: '019cadc6-9a80-72e9-8000-000000000001',
            event: 'order.placed',
            source: 'web',
            severity: 'info',
            status: 'ok',
            environment: 'production',
            message: null,
            external_event_id: null,
            properties: { source: 'web', status: 'ok', severity: 'info', environment: 'production' },
            timestamp: '2026-03-02T00:53:24.000Z',
            created_at: '2026-03-02T00:54:29.000Z',
          },
          {
            id: '019cadc6-9a80-72dc-8000-000000000002',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            source_id: null,
            api_key_id: '019cadc6-9a80-72e9-8000-000000000001',
            event: 'order.placed',
            source: 'web',
            severity: 'info',
            status: null,
            environment: null,
            message: 'hello',
            external_event_id: 'x-1',
            properties: { source: 'web', message: 'hello', event_id: 'x-1', severity: 'info' },
            timestamp: '2026-03-02T00:52:24.000Z',
            created_at: '2026-03-02T00:54:30.000Z',
          },
        ],
        total: 6,
        limit: 2,
        offset: 0,
        has_more: true,
      },
    },
  },
  exportProjectEvents: {
    request: {
      type: 'application/json',
      value: { range: 'all', severity: 'critical', event: 'order.placed', format: 'ndjson' },
    },
    answer: {
      type: 'application/x-ndjson',
      value:
        '{"id":"019cadc6-9a80-7244-8000-000000000001","project_id":"019cadc6-9a80-7244-8000-000000000002","source_id":null,"api_key_id":"019cadc6-9a80-7244-8000-000000000003","event":"b","source":"web","severity":"critical","status":null,"environment":"staging","message":null,"external_event_id":null,"properties":{"path": "/b", "source": "web", "severity": "critical", "latency_ms": 7, "environment": "staging"},"timestamp":"2026-03-02T00:24:24.000Z","created_at":"2026-03-02T00:54:30.000Z"}\n',
    },
  },
  getProjectEventFacets: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '2026-03-01T00:54:31.000Z',
        to_ts: '2026-03-02T00:54:31.000Z',
        facets: {
          event: [
            { value: 'a', count: 2 },
            { value: 'b', count: 2 },
          ],
          source_id: [
            { value: null, count: 5, name: null },
            { value: '019cadc6-9a80-7cd4-8000-000000000001', count: 1, name: 'Browser' },
          ],
          severity: [
            { value: 'info', count: 3 },
            { value: 'critical', count: 2 },
          ],
          status: [
            { value: null, count: 4 },
            { value: 'failed', count: 1 },
          ],
          environment: [
            { value: null, count: 3 },
            { value: 'staging', count: 2 },
          ],
        },
      },
    },
  },
  getProjectEvent: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72dc-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        source_id: null,
        api_key_id: '019cadc6-9a80-72e9-8000-000000000001',
        event: 'disk.full',
        source: 'db1',
        severity: null,
        status: null,
        environment: null,
        message: null,
        external_event_id: null,
        properties: { source: 'db1' },
        timestamp: '2026-03-02T00:48:09.000Z',
        created_at: '2026-03-02T00:48:09.000Z',
        log: {
          id: '019cadc6-9a80-72dc-8000-000000000001',
          timestamp: '2026-03-02T00:48:09.000Z',
          method: 'EVENT',
          endpoint: '/events/disk.full',
          status: 200,
          latency_ms: 0,
          latency_bucket: 'fast',
          latency_color: 'green',
          api_key_prefix: 'EXAMPLE0',
          project: 'Web shop',
          request_body: { event: 'disk.full', properties: { source: 'db1' } },
          response_body: { accepted: true, event: 'disk.full', status_code: 200 },
        },
        related_alerts: [
          {
            id: '019cadc6-9a80-72dc-8000-000000000002',
            alert_rule_id: null,
            rule_name: null,
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            event_id: '019cadc6-9a80-7b8e-8000-000000000001',
            event_type: 'disk.full',
            source: 'web',
            severity: 'warning',
            status: 'open',
            message: 'By hand',
            payload: {},
            fingerprint: 'manual:019cadc6-9a80-7448-8000-000000000001',
            group_values: {},
            occurrences: 1,
            assignee_id: null,
            snoozed_until: null,
            created_at: '2026-03-02T00:48:09.000Z',
            last_occurred_at: '2026-03-02T00:48:09.000Z',
            acknowledged_at: null,
            resolved_at: null,
          },
        ],
      },
    },
  },
  getProjectHealth: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        status: 'failing',
        last_event_at: '2026-03-02T00:57:35.000Z',
        events_last_hour: 6,
        events_last_24h: 6,
        active_keys: 7,
        archived_at: '2026-03-02T00:57:41.000Z',
        onboarding: { has_key: true, has_event: true, completed: true },
      },
    },
  },
  listProjectMembers: {
    answer: {
      type: 'application/json',
      value: [
        {
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          user_id: '019cadc6-9a80-704f-8000-000000000001',
          role: 'admin',
          created_at: '2026-03-02T00:57:08.000Z',
        },
        {
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          user_id: '019cadc6-9a80-704f-8000-000000000002',
          role: 'operator',
          created_at: '2026-03-02T00:57:08.000Z',
        },
      ],
    },
  },
  createProjectMember: {
    request: { type: 'application/json', value: { user_id: '019cadc6-9a80-704f-8000-000000000001', role: 'admin' } },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        user_id: '019cadc6-9a80-704f-8000-000000000001',
        role: 'admin',
        created_at: '2026-03-02T01:00:07.000Z',
      },
    },
  },
  getCurrentProjectMember: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        user_id: '019cadc6-9a80-704f-8000-000000000001',
        role: 'viewer',
        created_at: '2026-03-02T00:57:08.000Z',
      },
    },
  },
  updateProjectMember: {
    request: { type: 'application/json', value: { role: 'viewer' } },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        user_id: '019cadc6-9a80-704f-8000-000000000001',
        role: 'viewer',
        created_at: '2026-03-02T00:56:00.000Z',
      },
    },
  },
  deleteProjectMember: {},
  restoreProject: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7244-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Web shop',
        slug: 'web-shop',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:59.000Z',
        archived_at: null,
      },
    },
  },
  listSavedViews: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-72bc-8000-000000000001',
          project_id: '019cadc6-9a80-7244-8000-000000000001',
          name: 'kestrel',
          filters: { event: 'hidden-filter' },
          created_by: '019cadc6-9a80-704f-8000-000000000001',
          created_at: '2026-03-02T00:52:49.000Z',
          updated_at: '2026-03-02T00:52:49.000Z',
        },
      ],
    },
  },
  createSavedView: {
    request: {
      type: 'application/json',
      value: {
        name: 'kestrel',
        filters: { event: 'hidden-filter' },
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bc-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'kestrel',
        filters: { event: 'hidden-filter' },
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:52:49.000Z',
        updated_at: '2026-03-02T00:52:49.000Z',
      },
    },
  },
  updateSavedView: {
    request: { type: 'application/json', value: { name: 'Two' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-72bc-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        name: 'Two',
        filters: { a: 1 },
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T01:06:17.000Z',
        updated_at: '2026-03-02T01:06:17.000Z',
      },
    },
  },
  deleteSavedView: {},
  getProjectSettings: {
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        timezone: 'Europe/Berlin',
        default_range: '7d',
        redacted_properties: ['card.number', 'users.*.email'],
        noise_endpoints: ['/metrics', '/ready'],
        updated_at: '2026-03-02T01:02:54.000Z',
      },
    },
  },
  replaceProjectSettings: {
    request: {
      type: 'application/json',
      value: {
        timezone: 'Europe/Berlin',
        default_range: '7d',
        redacted_properties: ['card.number', 'users.*.email'],
        noise_endpoints: ['/metrics', '/ready'],
      },
    },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        timezone: 'Europe/Berlin',
        default_range: '7d',
        redacted_properties: ['card.number', 'users.*.email'],
        noise_endpoints: ['/metrics', '/ready'],
        updated_at: '2026-03-02T01:02:54.000Z',
      },
    },
  },
  getProjectDailyUsage: {
    answer: {
      type: 'application/json',
      value: { project_id: '019cadc6-9a80-7244-8000-000000000001', usage: [{ date: '2026-03-02', events: 6 }] },
    },
  },
};
