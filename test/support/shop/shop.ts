import { type Payments, startPayments } from '../payments.js';
import { platformAdmin } from '../platform-admin.js';
import { type Receiver, startReceiver } from '../receiver.js';
import { service } from '../service.js';
import { Caller, Person } from './person.js';
import { dayOfTrade, type ShopEvent } from './trade.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A web shop that uses the service. Each chapter of its day shows a part of the service. */
export interface Shop {
  readonly payments: Payments;
  /** The receiver of webhooks. */
  readonly hooks: Receiver;
  /** The owner of the shop. */
  readonly ada: Person;
  readonly grace: Person;
  /** The operator of the service. */
  readonly root: Person;
  readonly jobs: Caller;
  readonly organizationId: string;
  readonly projectId: string;
  /** The shop's servers, with the key of their Event Source. */
  readonly server: Caller;
  readonly serverSourceId: string;
  /** A key that can only read. */
  readonly reader: Caller;
  /** The sales of the day that ended with the last full hour, and of the day before. */
  readonly today: readonly ShopEvent[];
  readonly yesterday: readonly ShopEvent[];
  /** That day, as the parameters of a time window. */
  readonly day: { readonly from_ts: string; readonly to_ts: string };
  close(): Promise<void>;
}

export async function openShop(): Promise<Shop> {
  const [payments, hooks] = [await startPayments(), await startReceiver()];
  const ada = await Person.join('Ada Lovelace', 'ada@acme.example');
  const [grace, admin] = await Promise.all([Person.join('Grace Hopper', 'grace@acme.example'), platformAdmin()]);
  const root = new Person(admin);
  const organization = await ada.post('/v1/organizations', { name: 'Acme', slug: 'acme' });
  await payments.serves({ organizationId: organization.id, owner: ada.account });
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
    payments,
    hooks,
    ada,
    grace,
    root,
    jobs: new Caller({ 'X-Internal-Token': service.internalToken }),
    organizationId: organization.id,
    projectId: project.id,
    server: new Caller({ 'X-API-Key': source.key.key }),
    serverSourceId: source.id,
    reader: new Caller({ 'X-API-Key': key.key }),
    today: dayOfTrade('today', closesAt - DAY_MS, 60),
    yesterday: dayOfTrade('yesterday', closesAt - 2 * DAY_MS, 30),
    day: { from_ts: new Date(closesAt - DAY_MS).toISOString(), to_ts: new Date(closesAt).toISOString() },
    close: async () => {
      await hooks.close();
      await payments.close();
    },
  };
}
