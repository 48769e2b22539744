import type { TestApp } from '../app.js';
import { createTestApp } from '../app.js';
import { DELIVERY_ENV, INTERNAL_TOKEN } from '../delivery.js';
import { PaymentStandIn } from '../payment-provider.js';
import { type Receiver, startReceiver } from '../receiver.js';
import { Caller, Person } from './person.js';
import { dayOfTrade, type ShopEvent } from './trade.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OPERATOR = 'root@acme.example';

/** A web shop with the service, of which each chapter of its day asks something. */
export interface Shop {
  readonly app: TestApp;
  readonly payments: PaymentStandIn;
  /** Where webhooks go. */
  readonly hooks: Receiver;
  /** Who owns it. */
  readonly ada: Person;
  readonly grace: Person;
  /** Who operates the service. */
  readonly root: Person;
  readonly jobs: Caller;
  readonly organizationId: string;
  readonly projectId: string;
  /** The shop's servers, with the key of their Event Source. */
  readonly server: Caller;
  readonly serverSourceId: string;
  /** A key that reads. */
  readonly reader: Caller;
  /** What was sold in the day that ended with the last full hour, and in the one before. */
  readonly today: readonly ShopEvent[];
  readonly yesterday: readonly ShopEvent[];
  /** That day, as windows are asked for. */
  readonly day: { readonly from_ts: string; readonly to_ts: string };
  close(): Promise<void>;
}

export async function openShop(): Promise<Shop> {
  const [payments, hooks] = [await PaymentStandIn.start(), await startReceiver()];
  const app = await createTestApp({
    env: {
      ...DELIVERY_ENV,
      ...payments.env,
      ENABLE_BILLING_ADMIN: 'true',
      PLATFORM_ADMIN_EMAILS: OPERATOR,
      UPGRADE_URL: 'https://app.acme.example/upgrade',
    },
  });
  const ada = await Person.join(app, 'Ada Lovelace', 'ada@acme.example');
  const [grace, root] = await Promise.all([
    Person.join(app, 'Grace Hopper', 'grace@acme.example'),
    Person.join(app, 'Radia Perlman', OPERATOR),
  ]);
  const organization = await ada.post('/v1/organizations', { name: 'Acme', slug: 'acme' });
  await root.patch(`/v1/billing/org/${organization.id}`, { plan: 'pro', events_per_month_limit: 500_000 });
  const project = await ada.post('/v1/projects', {
    organization_id: organization.id,
    name: 'Web shop',
    slug: 'web-shop',
  });
  const source = await ada.post('/v1/ingest-sources', {
    project_id: project.id,
    name: 'Shop servers',
    type: 'server',
    description: 'Orders, payments and requests of the web shop',
  });
  const key = await ada.post('/v1/api-keys', {
    project_id: project.id,
    name: 'Weekly report',
    scopes: ['events:read'],
  });
  const closesAt = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  return {
    app,
    payments,
    hooks,
    ada,
    grace,
    root,
    jobs: new Caller(app, { 'X-Internal-Token': INTERNAL_TOKEN }),
    organizationId: organization.id,
    projectId: project.id,
    server: new Caller(app, { 'X-API-Key': source.key.key }),
    serverSourceId: source.id,
    reader: new Caller(app, { 'X-API-Key': key.key }),
    today: dayOfTrade('today', closesAt - DAY_MS, 60),
    yesterday: dayOfTrade('yesterday', closesAt - 2 * DAY_MS, 30),
    day: { from_ts: new Date(closesAt - DAY_MS).toISOString(), to_ts: new Date(closesAt).toISOString() },
    close: async () => {
      await app.close();
      await hooks.close();
      await payments.close();
    },
  };
}
