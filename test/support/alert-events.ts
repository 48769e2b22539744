import type { Response } from 'supertest';
import type { ProjectId } from '../../src/modules/access/index.js';
import { AlertRaiser, type Firing } from '../../src/modules/alerting/alerts/index.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/ids/index.js';
import type { Actor, Owner } from './actors.js';
import type { TestApp } from './app.js';
import { AlertClient } from './alerts.js';
import { INTERNAL_TOKEN, type Json } from './delivery.js';

export type Fired = Partial<Omit<Firing, 'rule'>> & { readonly rule?: Partial<Firing['rule']> };

/** The actions of a person and of a rule on the alert events of one project. */
export class AlertEventsClient {
  readonly http: AlertClient;

  constructor(
    private readonly app: TestApp,
    actor: Pick<Actor, 'bearer'>,
    readonly projectId: ProjectId,
  ) {
    this.http = new AlertClient(app, actor, projectId);
  }

  as(actor: Pick<Actor, 'bearer'>): AlertEventsClient {
    return new AlertEventsClient(this.app, actor, this.projectId);
  }

  /** Fires as rules do, in a transaction of its own. @returns the id of the alert event */
  fire({ rule, ...more }: Fired = {}): Promise<string> {
    const id = rule?.id ?? newId();
    const firing: Firing = {
      projectId: this.projectId,
      fingerprint: `${id} default`,
      groupValues: {},
      event: { id: newId(), type: 'payment.failed', source: 'checkout', timestamp: new Date() },
      message: 'Payments fail: card declined',
      payload: { amount: 120 },
      ...more,
      rule: {
        id,
        name: 'Payments fail',
        severity: 'critical',
        cooldownSeconds: 0,
        targets: { kind: 'project' },
        ...rule,
      },
    };
    return this.app.nest
      .get(Database)
      .transaction((tx) => this.app.nest.get(AlertRaiser, { strict: false }).fire(firing, tx));
  }

  recover(ruleId: string, fingerprint = `${ruleId} default`): Promise<void> {
    const { projectId } = this;
    return this.app.nest
      .get(Database)
      .transaction((tx) =>
        this.app.nest.get(AlertRaiser, { strict: false }).recover({ projectId, ruleId, fingerprint }, tx),
      );
  }

  async get(id: string): Promise<Json> {
    return (await this.http.send('get', `/v1/alerts/events/${id}`)).body;
  }

  async list(query: Readonly<Record<string, string | number>> = {}): Promise<Json> {
    return (await this.ask('/events', query)).body;
  }

  /** Sends a GET below /v1/alerts with the project. */
  ask(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<Response> {
    const given = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const search = new URLSearchParams([['project_id', this.projectId], ...given]);
    return this.http.send('get', `/v1/alerts${path}?${search.toString()}`);
  }

  act(id: string, action: string, body?: object): Promise<Response> {
    return this.http.send('post', `/v1/alerts/events/${id}/${action}`, body);
  }

  async timeline(id: string): Promise<Json[]> {
    return (await this.http.send('get', `/v1/alerts/events/${id}/timeline`)).body as Json[];
  }

  async types(id: string): Promise<string[]> {
    return (await this.timeline(id)).map(({ type }) => type as string);
  }

  raise(more: object = {}): Promise<Response> {
    return this.http.send('post', '/v1/alerts/events', { project_id: this.projectId, message: 'By hand', ...more });
  }

  silence(more: object = {}): Promise<Response> {
    return this.http.send('post', '/v1/alerts/silences', {
      project_id: this.projectId,
      filter: { field: 'event', op: 'eq', value: 'payment.failed' },
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      ...more,
    });
  }

  /** Returns the notifications of an alert event, in order. */
  notifications(id: string): Promise<{ status: string; occurrences: number }[]> {
    return this.app.rows(
      `SELECT notice ->> 'status' AS status, (notice -> 'occurrences')::text::int AS occurrences
       FROM alert_notices WHERE alert_event_id = $1 ORDER BY created_at`,
      [id],
    );
  }
}

export function alertEventsOf(app: TestApp, owner: Owner): AlertEventsClient {
  return new AlertEventsClient(app, owner, owner.projectId);
}

/** Calls POST /internal/jobs/maintenance. */
export async function runMaintenance(app: TestApp): Promise<void> {
  await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
}
