/** An event that the web shop sends to `POST /v1/events/ingest`, visit by visit. */
export interface ShopEvent {
  readonly event_type: string;
  readonly source: string;
  readonly event_id: string;
  readonly timestamp: string;
  readonly severity?: string;
  readonly status?: string;
  readonly message?: string;
  readonly environment: string;
  readonly properties: Readonly<Record<string, string | number>>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const COUNTRIES = ['DE', 'FR', 'US'];
const PRODUCTS = ['green-tea', 'oolong', 'teapot', 'strainer'];

/**
 * Returns the events of a number of visits, spread evenly over the day that begins at an instant. The name of the day
 * is the prefix of the event ids.
 */
export function dayOfTrade(day: string, opensAt: number, visits: number): ShopEvent[] {
  return Array.from({ length: visits }, (_, nth) => visit(day, opensAt + (nth * DAY_MS) / visits, nth)).flat();
}

/** Two of three visitors fill a cart, three of four of these pay, and the bank refuses one in ten of these payments. */
function visit(day: string, at: number, nth: number): ShopEvent[] {
  const visitor = {
    user: `visitor-${nth + 1}`,
    country: COUNTRIES[Math.floor(nth / 2) % COUNTRIES.length] ?? '',
    plan: Math.floor(nth / 3) % 4 === 0 ? 'pro' : 'free',
  };
  const product = PRODUCTS[nth % PRODUCTS.length] ?? '';
  const amount = 12 + ((nth * 17) % 90);
  const told = new Journal(`${day}-${nth + 1}`, at);

  told.request(0, 'GET', '/products', 20 + ((nth * 37) % 75), 200);
  told.event(0, 'product.viewed', { ...visitor, product });
  if (nth % 3 === 2) return told.events;
  told.request(2, 'POST', '/cart', 40 + ((nth * 29) % 110), 200);
  told.event(2, 'cart.updated', { ...visitor, product, items: 1 + (nth % 3) });
  if (nth % 4 === 1) return told.events;
  const isRefused = nth % 10 === 0;
  told.request(5, 'POST', '/checkout', 180 + ((nth * 53) % 720), isRefused ? 502 : 200);
  if (isRefused) told.refusal(5, { ...visitor, amount, reason: 'card_declined' });
  else told.event(5, 'order.placed', { ...visitor, product, amount, currency: 'EUR' });
  return told.events;
}

class Journal {
  readonly events: ShopEvent[] = [];

  constructor(
    private readonly visit: string,
    private readonly at: number,
  ) {}

  event(minute: number, type: string, properties: ShopEvent['properties']): void {
    this.add(minute, { event_type: type, source: 'shop', severity: 'info', properties });
  }

  request(minute: number, method: string, path: string, latency: number, status: number): void {
    this.add(minute, {
      event_type: 'http.request',
      source: 'shop',
      properties: { method, path, status_code: status, latency_ms: latency },
    });
  }

  refusal(minute: number, properties: ShopEvent['properties']): void {
    this.add(minute, {
      event_type: 'payment.failed',
      source: 'payments',
      severity: 'critical',
      status: 'failed',
      message: 'The bank declined the card',
      properties,
    });
  }

  private add(minute: number, event: Omit<ShopEvent, 'event_id' | 'timestamp' | 'environment'>): void {
    this.events.push({
      ...event,
      event_id: `${this.visit}-${this.events.length + 1}`,
      timestamp: new Date(this.at + minute * MINUTE_MS).toISOString(),
      environment: 'production',
    });
  }
}
