import type { Test } from 'supertest';
import { eventually } from './eventually.js';
import { type Account, api, job, type Tenant } from './service.js';
import { alertNotifications, dueAlertEvents } from './sql-builders/alerting.js';

export interface AlertEvent {
  id: string;
  alert_rule_id: string | null;
  fingerprint: string;
  status: string;
  occurrences: number;
  assignee_id: string | null;
  created_at: string;
}

interface AlertEventPage {
  items: AlertEvent[];
  total: number;
  limit: number;
  offset: number;
}

interface TimelineEntry {
  id: string;
  type: string;
  actor: { user_id: string; display_name: string | null } | null;
  body: string | null;
  detail: object;
  created_at: string;
}

export interface Silence {
  id: string;
  state: string;
  ends_at: string;
}

/** An event that {@link AlertingApi.fire} sends, with the changes of a test. */
interface SentEvent {
  event_type?: string;
  source?: string;
  message?: string;
  payload?: object;
  [field: string]: unknown;
}

/** The actions of a caller on the alerts of a tenant. */
export class AlertingApi {
  constructor(
    private readonly tenant: Tenant,
    private readonly caller: Account = tenant.owner,
  ) {}

  as(caller: Account): AlertingApi {
    return new AlertingApi(this.tenant, caller);
  }

  /** Sends a GET below /v1/alerts for the project. */
  get(path: string, query: object = {}): Test {
    return api.as(this.caller).get(`/v1/alerts${path}`, { project_id: this.tenant.projectId, ...query });
  }

  /** Creates an alert event by hand. */
  raise(more: object = {}): Test {
    const alert = { project_id: this.tenant.projectId, message: 'By hand', ...more };
    return api.as(this.caller).post('/v1/alerts/events', alert);
  }

  async raised(more: object = {}): Promise<AlertEvent> {
    return (await this.raise(more).expect(201)).body as AlertEvent;
  }

  /** Creates a rule that matches the events of {@link fire}. @returns the id */
  async rule(more: object = {}): Promise<string> {
    const rule = {
      project_id: this.tenant.projectId,
      name: 'Payments fail',
      severity: 'critical',
      cooldown_seconds: 0,
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] },
      ...more,
    };
    return ((await api.as(this.caller).post('/v1/alert-rules', rule).expect(201)).body as { id: string }).id;
  }

  /** Sends events in one request. @returns their ids */
  async send(...events: readonly SentEvent[]): Promise<string[]> {
    const lines = events.map((event) =>
      JSON.stringify({
        event_type: 'payment.failed',
        source: 'checkout',
        message: 'card declined',
        payload: { amount: 120 },
        ...event,
      }),
    );
    const { body } = await api
      .as(this.tenant.key)
      .post('/v1/events/ingest', lines.join('\n'))
      .type('application/x-ndjson')
      .expect(200);
    return (body as { results: { ingested_event_id: string }[] }).results.map((one) => one.ingested_event_id);
  }

  /** Waits until a rule has counted this many events in total. @returns its newest alert event */
  async counted(ruleId: string, occurrences: number): Promise<AlertEvent> {
    await job('rule-evaluations');
    const alerts = await eventually(
      () => this.alertsOf(ruleId),
      (found) => sum(found) >= occurrences,
      (found) => `the rule has counted ${sum(found)} of ${occurrences} events`,
    );
    return alerts[0]!;
  }

  /**
   * Sends events, all of which a rule matches, and waits until the rule has counted them.
   * @returns the id of the newest alert event of the rule
   */
  async fire(ruleId: string, ...events: readonly SentEvent[]): Promise<string> {
    const sent = events.length === 0 ? [{}] : events;
    const before = sum(await this.alertsOf(ruleId));
    await this.send(...sent);
    return (await this.counted(ruleId, before + sent.length)).id;
  }

  async event(id: string): Promise<AlertEvent> {
    return (await api.as(this.caller).get(`/v1/alerts/events/${id}`).expect(200)).body as AlertEvent;
  }

  async list(query: object = {}): Promise<AlertEventPage> {
    return (await this.get('/events', query).expect(200)).body as AlertEventPage;
  }

  act(id: string, action: string, body?: object): Test {
    return api.as(this.caller).post(`/v1/alerts/events/${id}/${action}`, body);
  }

  async acted(id: string, action: string, body?: object): Promise<AlertEvent> {
    return (await this.act(id, action, body).expect(200)).body as AlertEvent;
  }

  async timeline(id: string): Promise<TimelineEntry[]> {
    return (await api.as(this.caller).get(`/v1/alerts/events/${id}/timeline`).expect(200)).body as TimelineEntry[];
  }

  /** Returns the types of the timeline, the oldest first. */
  async types(id: string): Promise<string[]> {
    return (await this.timeline(id)).map(({ type }) => type);
  }

  silence(more: object = {}): Test {
    return api.as(this.caller).post('/v1/alerts/silences', {
      project_id: this.tenant.projectId,
      filter: { field: 'event', op: 'eq', value: 'payment.failed' },
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      ...more,
    });
  }

  async silenced(more: object = {}): Promise<Silence> {
    return (await this.silence(more).expect(201)).body as Silence;
  }

  changeSilence(id: string, change: object): Test {
    return api.as(this.caller).patch(`/v1/alerts/silences/${id}`, change);
  }

  endSilence(id: string): Test {
    return api.as(this.caller).delete(`/v1/alerts/silences/${id}`);
  }

  /** Creates a webhook destination. @returns the id */
  async destination(url: string): Promise<string> {
    const destination = { project_id: this.tenant.projectId, type: 'webhook', name: 'Receiver', target_url: url };
    const { body } = await api.as(this.caller).post('/v1/alert-destinations', destination).expect(201);
    return (body as { id: string }).id;
  }

  /** Returns the notifications to destinations about an alert event, the oldest first. */
  async notifications(alertEventId: string): Promise<{ status: string; occurrences: number }[]> {
    return (await alertNotifications(alertEventId)).map(({ status, occurrences }) => ({ status, occurrences }));
  }

  /**
   * Waits until the service has processed every alert event of the project that is due. The service does so each
   * second.
   */
  async dueDone(): Promise<void> {
    await eventually(
      () => dueAlertEvents(this.tenant.projectId),
      (due) => due.length === 0,
    );
  }

  private async alertsOf(ruleId: string): Promise<AlertEvent[]> {
    return (await this.list({ alert_rule_id: ruleId, limit: 500 })).items;
  }
}

function sum(alerts: readonly AlertEvent[]): number {
  return alerts.reduce((total, { occurrences }) => total + occurrences, 0);
}
