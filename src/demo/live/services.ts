/** The services of the shop. Each has its own Event Source if the plan allows that many. */
export const SERVICES = ['web', 'catalog', 'search', 'checkout', 'accounts', 'jobs'] as const;
export type Service = (typeof SERVICES)[number];
/** A service that answers requests. */
type Server = Exclude<Service, 'jobs'>;

const BY_FIRST_PART: Readonly<Record<string, Server>> = {
  products: 'catalog',
  search: 'search',
  cart: 'checkout',
  orders: 'checkout',
  sessions: 'accounts',
  users: 'accounts',
};

/** Returns the service that answers the requests of a route. */
export function serviceOf(route: string): Server {
  return BY_FIRST_PART[route.split('/')[1] ?? ''] ?? 'web';
}

/** An error in the code of a service. */
interface Fault {
  readonly type: string;
  readonly message: string;
  readonly frames: readonly string[];
}

const FAULTS: Readonly<Record<Server, Fault>> = {
  web: {
    type: 'TypeError',
    message: "Cannot read properties of undefined (reading 'price')",
    frames: ['renderPrice (web/src/views/price.ts:31:18)', 'renderPage (web/src/views/page.ts:88:7)'],
  },
  catalog: {
    type: 'DeadlockError',
    message: 'deadlock detected while reading stock levels',
    frames: ['StockReader.levels (catalog/src/stock/reader.ts:54:13)', 'productPage (catalog/src/routes.ts:40:22)'],
  },
  search: {
    type: 'TimeoutError',
    message: 'the search index did not answer within 5000 ms',
    frames: ['Index.query (search/src/index-client.ts:112:11)', 'search (search/src/routes.ts:19:30)'],
  },
  checkout: {
    type: 'PaymentTimeoutError',
    message: 'the payment service did not answer within 10000 ms',
    frames: ['Payments.authorize (checkout/src/payments.ts:77:9)', 'placeOrder (checkout/src/orders.ts:45:16)'],
  },
  accounts: {
    type: 'UpstreamClosedError',
    message: 'upstream closed the connection before the response was complete',
    frames: ['Directory.find (accounts/src/directory.ts:23:15)', 'showUser (accounts/src/routes.ts:61:12)'],
  },
};

const DEPENDENCY_DOWN: Fault = {
  type: 'ConnectError',
  message: 'connect ECONNREFUSED inventory-api:8080',
  frames: ['Inventory.reserve (checkout/src/inventory.ts:38:20)', 'addToCart (checkout/src/cart.ts:27:9)'],
};

/** Returns the fault that is reported for a failed request of a service. */
export function faultOf(service: Server, isDependencyDown: boolean): Fault {
  return isDependencyDown ? DEPENDENCY_DOWN : FAULTS[service];
}

export function stackOf({ type, message, frames }: Fault): string {
  return [`${type}: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n');
}
