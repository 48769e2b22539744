import type { Response } from 'supertest';
import type { Actor, Owner } from './actors.js';
import type { TestApp } from './app.js';
import { DELIVERY_ENV, INTERNAL_TOKEN, type Json } from './delivery.js';
import { eventually } from './service-process.js';

/** The environment of an API process, in which only the test evaluates rules. */
export const RULES_ENV = { ...DELIVERY_ENV, PROCESS_ROLE: 'api' };

/** Returns a filter that matches every event of a type. */
export function eventIs(type: string): { all: object[] } {
  return { all: [{ field: 'event', op: 'eq', value: type }] };
}

/** The actions of a person on the alert rules of one project. */
export class RuleClient {
  constructor(
    private readonly app: TestApp,
    private readonly actor: Pick<Actor, 'bearer'>,
    readonly projectId: string,
  ) {}

  as(actor: Pick<Actor, 'bearer'>): RuleClient {
    return new RuleClient(this.app, actor, this.projectId);
  }

  async send(method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: object): Promise<Response> {
    const request = this.app.request()[method](path).set('Authorization', this.actor.bearer);
    return body === undefined ? request : request.send(body);
  }

  create(rule: object = {}): Promise<Response> {
    return this.send('post', '/v1/alert-rules', {
      project_id: this.projectId,
      name: 'Payments fail',
      condition: { kind: 'match', ...eventIs('payment.failed') },
      ...rule,
    });
  }

  /** @returns the id */
  async rule(rule: object = {}): Promise<string> {
    const answer = await this.create(rule);
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return (answer.body as { id: string }).id;
  }

  async list(): Promise<Json[]> {
    return (await this.send('get', `/v1/alert-rules?project_id=${this.projectId}`)).body as Json[];
  }

  async get(id: string): Promise<Json> {
    return (await this.send('get', `/v1/alert-rules/${id}`)).body;
  }

  patch(id: string, change: object): Promise<Response> {
    return this.send('patch', `/v1/alert-rules/${id}`, change);
  }

  link(id: string, links: object): Promise<Response> {
    return this.send('put', `/v1/alert-rules/${id}/destinations`, links);
  }

  remove(id: string): Promise<Response> {
    return this.send('delete', `/v1/alert-rules/${id}`);
  }

  backtest(id: string, window: object = {}): Promise<Response> {
    return this.send('post', `/v1/alert-rules/${id}/backtest`, window);
  }
}

export function rulesOf(app: TestApp, owner: Owner): RuleClient {
  return new RuleClient(app, owner, owner.projectId);
}

/** Calls POST /internal/jobs/rule-evaluations. */
export async function evaluateRules(app: TestApp): Promise<number> {
  const answer = await app
    .request()
    .post('/internal/jobs/rule-evaluations')
    .set('X-Internal-Token', INTERNAL_TOKEN)
    .expect(200);
  return (answer.body as { processed: number }).processed;
}

/**
 * Evaluates until every accepted event has been matched and has raised its alerts. Events wait for earlier transactions
 * that are still open.
 */
export async function matchEvents(app: TestApp): Promise<void> {
  await eventually(
    async () => {
      await evaluateRules(app);
      return app.rows(
        `(SELECT FROM event_outbox JOIN event_watches USING (project_id) LIMIT 1)
         UNION ALL (SELECT FROM alert_rule_firings LIMIT 1)`,
      );
    },
    (waiting) => waiting.length === 0,
  );
}
