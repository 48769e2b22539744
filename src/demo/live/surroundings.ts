import { type ApiClient, isSuccess, detailOf, isRecord, textOf } from '../api-client.js';
import { printable } from '../table.js';
import type { SignIn, Workspace } from '../workspace.js';
import { type Service, SERVICES } from './services.js';

export interface Surroundings {
  /** A key for each service. A service without its own source uses the key of the project. */
  readonly keys: ReadonlyMap<Service, string>;
  /** Whether the organization has the plan `scale` instead of the free plan. */
  readonly isLarge: boolean;
}

interface Place {
  readonly client: ApiClient;
  readonly signIn: SignIn;
  readonly workspace: Workspace;
  /** The address to which webhooks are sent. Null: the demo creates no webhooks. */
  readonly receiverUrl: string | null;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Creates the sources, destinations, rules and views that a team would use with its events. Skips what the service
 * refuses.
 * @throws the reason of the signal when it aborts
 */
export async function surround(place: Place): Promise<Surroundings> {
  const { client, signIn, workspace, receiverUrl, print, signal } = place;
  const project_id = workspace.projectId;
  const make = async (what: string, method: 'POST' | 'PATCH', path: string, body: object): Promise<unknown> => {
    const answer = await client.exchange(method, path, { headers: await signIn.header(), body });
    signal.throwIfAborted();
    if (isSuccess(answer)) return answer.body;
    print(`Left out ${what}: ${printable(detailOf(answer.body))}`);
    return null;
  };

  // Only a platform administrator may set the plan. The demo's account is one only in a service that the demo started.
  const plan = { plan: 'scale' };
  const isLarge = (await make('the plan scale', 'PATCH', `/v1/billing/org/${workspace.organizationId}`, plan)) !== null;

  const keys = new Map<Service, string>();
  for (const name of SERVICES) {
    const source = { project_id, name, type: name === 'jobs' ? 'cron' : 'server' };
    const made = await make(`the source ${name}`, 'POST', '/v1/ingest-sources', source);
    keys.set(name, isRecord(made) ? textOf(made.key, 'key') : workspace.apiKey);
  }

  const webhook = { project_id, type: 'webhook' };
  const destination =
    receiverUrl &&
    (await make('the webhook', 'POST', '/v1/alert-destinations', {
      ...webhook,
      name: 'On call',
      target_url: receiverUrl,
      secret: 'on-call-of-the-demo',
    }));
  const mail = { to: [workspace.email], subject_prefix: '[shop] ' };
  const channel = await make('the mail', 'POST', '/v1/delivery/channels', {
    project_id,
    type: 'email',
    name: 'Mail to the team',
    configuration: mail,
  });
  if (receiverUrl !== null)
    await make('the webhook channel', 'POST', '/v1/delivery/channels', {
      ...webhook,
      name: 'Status page',
      configuration: { url: receiverUrl },
    });
  const destination_ids = isRecord(destination) ? [textOf(destination, 'id')] : [];
  const channel_ids = isRecord(channel) ? [textOf(channel, 'id')] : [];
  for (const rule of RULES) {
    const body = { ...rule, project_id, destination_ids, channel_ids };
    await make(`the rule ${rule.name}`, 'POST', '/v1/alert-rules', body);
  }
  await make('the silence', 'POST', '/v1/alerts/silences', {
    project_id,
    filter: { all: [{ field: 'event', op: 'eq', value: 'job.finished' }] },
    ends_at: new Date(Date.now() + 24 * 3_600_000).toISOString(),
    reason: 'The stock system is moved today',
  });
  for (const view of VIEWS) await make(`the view ${view.name}`, 'POST', `/v1/projects/${project_id}/saved-views`, view);
  const secret = { project_id, name: 'STATUS_PAGE_TOKEN', value: 'made-up-for-the-demo', description: 'Status page' };
  await make('the secret', 'POST', '/v1/secrets', secret);
  const invited = { email: 'bob@example.com', role: 'operator' };
  await make('the invitation', 'POST', `/v1/organizations/${workspace.organizationId}/invites`, invited);
  return { keys, isLarge };
}

const failed = { field: 'log.status', op: 'gte', value: 500 };

const RULES = [
  {
    name: 'Payments fail',
    severity: 'critical',
    condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] },
    group_by: ['properties.country'],
    cooldown_seconds: 60,
  },
  {
    name: 'Many errors',
    severity: 'critical',
    condition: { kind: 'threshold', window_seconds: 300, aggregate: 'count', op: 'gte', value: 12, all: [failed] },
  },
  {
    name: 'Slow for many',
    condition: {
      kind: 'threshold',
      window_seconds: 60,
      aggregate: 'p95',
      aggregate_field: 'log.latency_ms',
      op: 'gt',
      value: 900,
    },
    keep_firing_seconds: 60,
  },
  {
    name: 'Nobody orders',
    condition: {
      kind: 'absence',
      window_seconds: 900,
      all: [{ field: 'event', op: 'eq', value: 'order.placed' }],
    },
  },
  {
    name: 'A dependency is down',
    severity: 'critical',
    condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'dependency.down' }] },
    group_by: ['properties.dependency'],
    cooldown_seconds: 300,
  },
  { name: 'Something unusual', severity: 'info', condition: { kind: 'anomaly', min_severity: 'warning' } },
] as const;

/** Saved views in the form in which the pages of the console store them. */
const VIEWS = [
  { name: 'Failed payments', filters: { page: 'explorer', event: 'payment.failed', range: '24h' } },
  { name: 'Exceptions', filters: { page: 'explorer', event: 'exception', range: '24h' } },
  { name: 'Errors, live', filters: { page: 'logs', status: 'errors' } },
] as const;
