import type { Response, Test } from 'supertest';
import { eventually } from './eventually.js';
import { type Account, api, job, type Tenant } from './service.js';
import { isMatchingDone } from './sql-builders/rules.js';

export interface AlertRule {
  id: string;
  project_id: string;
  name: string;
  is_enabled: boolean;
  severity: string;
  condition: object;
  destination_ids: string[];
  channel_ids: string[];
  notifies: string;
  state: string;
  last_error: string | null;
  last_error_at: string | null;
  updated_at: string;
}

interface Refusal {
  detail: { loc: (string | number)[]; msg: string }[];
}

/** Returns a filter that matches every event of a type. */
export function eventIs(type: string): { all: object[] } {
  return { all: [{ field: 'event', op: 'eq', value: type }] };
}

/** Returns the invalid fields of the body, each with its reason. */
export function faultsOf({ body }: Response): [place: string, reason: string][] {
  return (body as Refusal).detail.map(({ loc, msg }) => [loc.slice(1).join('.'), msg]);
}

/** The actions of a caller on the alert rules of a tenant. */
export class RulesApi {
  constructor(
    private readonly tenant: Tenant,
    private readonly caller: Account = tenant.owner,
  ) {}

  as(caller: Account): RulesApi {
    return new RulesApi(this.tenant, caller);
  }

  /** Creates a rule that matches the events `payment.failed`, with the changes of a test. */
  create(more: object = {}): Test {
    return api.as(this.caller).post('/v1/alert-rules', {
      project_id: this.tenant.projectId,
      name: 'Payments fail',
      condition: { kind: 'match', ...eventIs('payment.failed') },
      ...more,
    });
  }

  /** Back-tests the rule of {@link create} without storing it. */
  preview(more: object = {}): Test {
    return this.create({ preview: true, ...more });
  }

  /** @returns the id */
  async rule(more: object = {}): Promise<string> {
    return ((await this.create(more).expect(201)).body as AlertRule).id;
  }

  read(id: string): Test {
    return api.as(this.caller).get(`/v1/alert-rules/${id}`);
  }

  async get(id: string): Promise<AlertRule> {
    return (await this.read(id).expect(200)).body as AlertRule;
  }

  async stateOf(id: string): Promise<string> {
    return (await this.get(id)).state;
  }

  /** Returns the rules of the project, the newest first. */
  async list(): Promise<AlertRule[]> {
    const query = { project_id: this.tenant.projectId };
    return (await api.as(this.caller).get('/v1/alert-rules', query).expect(200)).body as AlertRule[];
  }

  patch(id: string, change: object): Test {
    return api.as(this.caller).patch(`/v1/alert-rules/${id}`, change);
  }

  async patched(id: string, change: object): Promise<AlertRule> {
    return (await this.patch(id, change).expect(200)).body as AlertRule;
  }

  /** Replaces the destinations and channels of a rule. */
  link(id: string, links?: object): Test {
    return api.as(this.caller).put(`/v1/alert-rules/${id}/destinations`, links);
  }

  remove(id: string): Test {
    return api.as(this.caller).delete(`/v1/alert-rules/${id}`);
  }

  backtest(id: string, window: object = {}): Test {
    return api.as(this.caller).post(`/v1/alert-rules/${id}/backtest`, window);
  }

  /** Waits until every event of the project is matched and no series of a match rule is due. */
  async matched(): Promise<void> {
    await job('rule-evaluations');
    await eventually(
      () => isMatchingDone(this.tenant.projectId),
      (isDone) => isDone,
      () => `the events of project ${this.tenant.projectId} are not matched`,
    );
  }
}
