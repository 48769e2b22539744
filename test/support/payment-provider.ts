import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { close, listen } from './http-server.mjs';
import { newPaymentSettings, paymentEnv, type PaymentSettings } from './payment-settings.mjs';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | undefined;
  /** Faults of the request itself; empty when the library works correctly. */
  readonly faults: readonly string[];
}

/** A subscription as the provider's API shows it. */
export interface StandInSubscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: string;
  created: number;
  metadata: Record<string, string>;
  items: { object: 'list'; data: { id: string; current_period_end: number; price: { id: string; object: 'price' } }[] };
}

export interface StandInEvent {
  id: string;
  object: 'event';
  type: string;
  created: number;
  livemode: boolean;
  data: { object: object };
}

interface Session {
  id: string;
  object: 'checkout.session';
  status: string;
  mode: string;
  url: string;
  customer: string | null;
  subscription: string | null;
  client_reference_id: string | null;
  metadata: Record<string, string>;
}

/** A fault that replaces the answer of the stand-in. */
export type Misbehaviour = 'error' | 'refusal' | 'hang' | 'drip' | 'reset' | 'garbage' | 'incomplete';

/** The payment provider's API, as far as the service calls it. It stores created objects and validates requests. */
export class PaymentStandIn {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly prices: PaymentSettings['prices'];
  /** Part of every id that the stand-in makes. */
  readonly token = randomBytes(4).toString('hex');
  readonly requests: SeenRequest[] = [];
  readonly customers = new Map<string, { id: string; deleted?: true } & Record<string, unknown>>();
  readonly sessions = new Map<string, Session>();
  readonly subscriptions = new Map<string, StandInSubscription>();
  /** The meter events by identifier. */
  readonly meterEvents = new Map<string, Readonly<Record<string, string>>>();
  /** The faults by path or beginning of a path. */
  readonly misbehaving = new Map<string, Misbehaviour>();
  /** Functions that run before the answer to a path. */
  readonly before = new Map<string, () => Promise<void>>();
  /** The first request of an idempotency key waits for a second one, which is refused because the key is in use. */
  contended = false;
  origin = '';

  private readonly answered = new Map<string, { request: string; status: number; body: unknown }>();
  private readonly inProgress = new Map<string, () => void>();
  private readonly hanging = new Set<ServerResponse>();
  private readonly server = createServer((request, response) => {
    void text(request)
      .then((body) => this.take(request, response, body))
      .catch(() => response.destroy());
  });

  protected constructor(private readonly settings: PaymentSettings) {
    this.secretKey = settings.secretKey;
    this.webhookSecret = settings.webhookSecret;
    this.prices = settings.prices;
  }

  static async start(): Promise<PaymentStandIn> {
    const standIn = new PaymentStandIn(newPaymentSettings());
    await standIn.open();
    return standIn;
  }

  /** Returns the environment of a service that uses only this stand-in. */
  get env(): Record<string, string> {
    return paymentEnv(this.settings, this.origin);
  }

  async close(): Promise<void> {
    for (const response of this.hanging) response.destroy();
    await close(this.server);
  }

  /** Removes all faults and the recorded requests. */
  reset(): void {
    this.requests.length = 0;
    this.misbehaving.clear();
    this.before.clear();
    this.contended = false;
  }

  asked(method: string, path: RegExp): SeenRequest[] {
    return this.requests.filter((request) => request.method === method && path.test(request.path));
  }

  subscription(
    given: Partial<Omit<StandInSubscription, 'items'>> & { price?: string | undefined } = {},
  ): StandInSubscription {
    const { price = this.prices.pro, ...rest } = given;
    const created = rest.created ?? Math.floor(Date.now() / 1000);
    return {
      id: this.id('sub'),
      object: 'subscription',
      customer: this.id('cus'),
      status: 'active',
      created,
      metadata: {},
      ...rest,
      items: {
        object: 'list',
        data: [{ id: this.id('si'), current_period_end: created + 2_592_000, price: { id: price, object: 'price' } }],
      },
    };
  }

  /** Simulates a payment: the session is complete and has a subscription. */
  pay(sessionId: string, given: Parameters<PaymentStandIn['subscription']>[0] = {}): StandInSubscription {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw new Error('there is no such session');
    const subscription = this.subscription({
      customer: session.customer ?? this.id('cus'),
      metadata: session.metadata,
      ...given,
    });
    this.subscriptions.set(subscription.id, subscription);
    Object.assign(session, { status: 'complete', subscription: subscription.id, customer: subscription.customer });
    return subscription;
  }

  event(type: string, object: object, given: Partial<StandInEvent> = {}): StandInEvent {
    const created = Math.floor(Date.now() / 1000);
    return { id: this.id('evt'), object: 'event', type, created, livemode: false, data: { object }, ...given };
  }

  /** Signs a payload with the provider's own library. */
  sign(payload: string, timestamp?: number): string {
    return Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: this.webhookSecret,
      ...(timestamp !== undefined && { timestamp }),
    });
  }

  /** Signs a payload as the provider's documentation describes it. */
  signByHand(payload: string, seconds = Math.floor(Date.now() / 1000), secret = this.webhookSecret): string {
    return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')}`;
  }

  protected async open(): Promise<void> {
    this.origin = await listen(this.server);
  }

  private id(prefix: string): string {
    return `${prefix}_${this.token}_${randomBytes(8).toString('hex')}`;
  }

  private async take(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const method = request.method ?? '';
    const form = Object.fromEntries(new URLSearchParams(method === 'GET' ? query : body));
    const key = request.headers['idempotency-key'];
    const idempotencyKey = typeof key === 'string' ? key : undefined;
    this.requests.push({ method, path, form, idempotencyKey, faults: this.faultsOf(request, idempotencyKey) });
    await [...this.before].find(([start]) => path.startsWith(start))?.[1]();
    const misbehaviour = [...this.misbehaving].find(([start]) => path.startsWith(start))?.[1];
    if (misbehaviour !== undefined) {
      // The provider stores its own failure as the answer to the idempotency key.
      if (misbehaviour === 'error' && idempotencyKey !== undefined)
        this.answered.set(idempotencyKey, { request: `${path}?${body}`, status: 500, body: FAILURE });
      return this.misbehave(misbehaviour, response);
    }
    if (request.headers.authorization !== `Bearer ${this.secretKey}`) {
      return send(response, 401, error('invalid_request_error', undefined, 'Invalid API Key provided: sk_test_***'));
    }
    if (idempotencyKey === undefined) return this.answer(response, this.route(method, path, form));
    return this.once(idempotencyKey, `${path}?${body}`, response, () => this.route(method, path, form));
  }

  /** Returns the same answer for the same key. Refuses another request with the same key. */
  private async once(
    key: string,
    request: string,
    response: ServerResponse,
    work: () => { status: number; body: unknown },
  ): Promise<void> {
    const known = this.answered.get(key);
    if (known !== undefined) {
      const isSame = known.request === request;
      return isSame
        ? this.answer(response, known)
        : send(
            response,
            400,
            error('idempotency_error', undefined, 'Keys for idempotent requests can only be used once'),
          );
    }
    if (this.inProgress.has(key)) {
      send(response, 409, error('invalid_request_error', 'idempotency_key_in_use', 'The key is in use'));
      this.inProgress.get(key)?.();
      return;
    }
    if (this.contended && request.startsWith('/v1/customers')) {
      await new Promise<void>((resolve) => this.inProgress.set(key, resolve));
      this.inProgress.delete(key);
    }
    const made = work();
    this.answered.set(key, { request, ...made });
    this.answer(response, made);
  }

  private answer(response: ServerResponse, { status, body }: { status: number; body: unknown }): void {
    send(response, status, body);
  }

  private faultsOf(request: IncomingMessage, key: string | undefined): string[] {
    const faults: string[] = [];
    if (request.headers.authorization !== `Bearer ${this.secretKey}`) faults.push('no secret key');
    if (request.headers['stripe-version'] === undefined) faults.push('no API version');
    if (request.method === 'POST') {
      if (key === undefined) faults.push('no idempotency key');
      if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') faults.push('no form');
    }
    return faults;
  }

  private route(method: string, path: string, form: Record<string, string>): { status: number; body: unknown } {
    const [, resource = '', key = ''] =
      /^\/v1\/(customers|checkout\/sessions|billing_portal\/sessions|subscriptions)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (method === 'POST' && path === '/v1/billing/meter_events') return this.newMeterEvent(form);
    if (method === 'POST' && resource === 'customers') return this.newCustomer(form);
    if (method === 'POST' && resource === 'checkout/sessions') return this.newSession(form);
    if (method === 'POST' && resource === 'billing_portal/sessions') return this.newPortalSession(form);
    if (method === 'DELETE' && resource === 'customers') return this.removeCustomer(key);
    if (method === 'GET' && resource === 'customers') return found(this.customers.get(key), 'customer', key);
    if (method === 'GET' && resource === 'subscriptions')
      return found(this.subscriptions.get(key), 'subscription', key);
    if (method === 'GET' && resource === 'checkout/sessions') {
      const session = this.sessions.get(key);
      const expanded = form['expand[0]'] === 'subscription' && typeof session?.subscription === 'string';
      const subscription = expanded
        ? (this.subscriptions.get(session.subscription ?? '') ?? session.subscription)
        : session?.subscription;
      return found(session && { ...session, subscription }, 'checkout.session', key);
    }
    return {
      status: 404,
      body: error('invalid_request_error', undefined, `Unrecognized request URL (${method}: ${path})`),
    };
  }

  /** Creates a customer without a request of the service. @returns the id */
  addCustomer(): string {
    return (this.newCustomer({}).body as { id: string }).id;
  }

  private newCustomer(form: Record<string, string>): { status: number; body: unknown } {
    const customer = {
      id: this.id('cus'),
      object: 'customer',
      name: form.name,
      email: form.email,
      metadata: nested(form, 'metadata'),
    };
    this.customers.set(customer.id, customer);
    return { status: 200, body: customer };
  }

  /** Removes a customer, cancels their subscriptions and expires their open checkouts. */
  private removeCustomer(key: string): { status: number; body: unknown } {
    const customer = this.customers.get(key);
    if (customer === undefined || customer.deleted) return found(undefined, 'customer', key);
    const removed = { id: key, object: 'customer', deleted: true } as const;
    this.customers.set(key, removed);
    for (const subscription of this.subscriptions.values())
      if (subscription.customer === key) subscription.status = 'canceled';
    for (const session of this.sessions.values())
      if (session.customer === key && session.status === 'open') session.status = 'expired';
    return { status: 200, body: removed };
  }

  private newSession(form: Record<string, string>): { status: number; body: unknown } {
    const customer = this.customers.get(form.customer ?? '');
    if (customer === undefined || customer.deleted) return missing('customer', form.customer ?? '');
    const price = form['line_items[0][price]'] ?? '';
    if (!Object.values(this.prices).includes(price)) return missing('price', price);
    const session: Session = {
      id: this.id('cs_test'),
      object: 'checkout.session',
      status: 'open',
      mode: form.mode ?? '',
      url: `https://checkout.example.com/${randomBytes(8).toString('hex')}`,
      customer: customer.id,
      subscription: null,
      client_reference_id: form.client_reference_id ?? null,
      metadata: nested(form, 'metadata'),
    };
    this.sessions.set(session.id, session);
    return { status: 200, body: session };
  }

  private newPortalSession(form: Record<string, string>): { status: number; body: unknown } {
    const customer = this.customers.get(form.customer ?? '');
    if (customer === undefined || customer.deleted) return missing('customer', form.customer ?? '');
    return {
      status: 200,
      body: {
        id: this.id('bps'),
        object: 'billing_portal.session',
        url: `https://portal.example.com/${customer.id}`,
        return_url: form.return_url,
      },
    };
  }

  /** Accepts one event per identifier. */
  private newMeterEvent(form: Record<string, string>): { status: number; body: unknown } {
    const { identifier = '', event_name, timestamp } = form;
    const age = Date.now() / 1_000 - Number(timestamp);
    if (!(age < 35 * 86_400 && age > -300)) return refused(`timestamp ${timestamp} is out of bounds`);
    if (this.customers.get(form['payload[stripe_customer_id]'] ?? '') === undefined) return refused('no such customer');
    if (this.meterEvents.has(identifier)) return refused(`An event already exists with identifier ${identifier}.`);
    this.meterEvents.set(identifier, form);
    const payload = nested(form, 'payload');
    return { status: 200, body: { object: 'billing.meter_event', identifier, event_name, payload, livemode: false } };
  }

  private misbehave(misbehaviour: Misbehaviour, response: ServerResponse): void {
    switch (misbehaviour) {
      case 'error':
        return send(response, 500, FAILURE);
      case 'refusal':
        return send(response, 400, error('invalid_request_error', 'parameter_invalid', 'No'));
      case 'hang':
        this.hanging.add(response);
        return;
      case 'drip': {
        // An occasional byte keeps the connection alive forever.
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 200);
        response.on('close', () => clearInterval(timer));
        return;
      }
      case 'reset':
        response.destroy();
        return;
      case 'garbage':
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end('<html>');
        return;
      case 'incomplete':
        return send(response, 200, { object: 'something' });
    }
  }
}

const FAILURE = error('api_error', undefined, 'Something went wrong');

function found(thing: unknown, what: string, key: string): { status: number; body: unknown } {
  return thing === undefined ? { ...missing(what, key), status: 404 } : { status: 200, body: thing };
}

function missing(what: string, key: string): { status: number; body: unknown } {
  return { status: 400, body: error('invalid_request_error', 'resource_missing', `No such ${what}: '${key}'`) };
}

function error(type: string, code: string | undefined, message: string): object {
  return { error: { type, code, message } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Request-Id': `req_${randomBytes(8).toString('hex')}`,
  });
  response.end(JSON.stringify(body));
}

/** Returns `name[a]=1` as `{a: '1'}`. */
function nested(form: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).flatMap(([key, value]) => {
      const [, inner] = new RegExp(`^${name}\\[(\\w+)\\]$`).exec(key) ?? [];
      return inner === undefined ? [] : [[inner, value]];
    }),
  );
}

function refused(message: string): { status: number; body: unknown } {
  return { status: 400, body: error('invalid_request_error', undefined, message) };
}
