import { beforeAll, describe, expect, it } from '@jest/globals';
import { api, type Tenant, tenant } from '../../support/service.js';
import { countEvents, type EventRow, insertEvents } from '../../support/sql-builders/event-rows.js';

const MINUTE_MS = 60_000;
const UUID = '0b8f3a2e-1C4d-4e5f-8a9b-0c1d2e3f4a5b';
const USERS = '/users/{user}';

/** Requests with their routes. */
const ROUTES: readonly (readonly [route: string, row: Omit<EventRow, 'timestamp'>])[] = [
  ['/orders/:id', { log_endpoint: '/orders/12' }],
  ['/orders/:id', { log_endpoint: '/orders/00013?page=2#end', log_status: 503 }],
  ['/orders/:id', { log_endpoint: `/orders/${UUID}`, log_status: 404 }],
  ['/:id/:id/x/:id/', { log_endpoint: '/1/2/x/0123456789abcdefABCDEF/' }],
  [':id', { log_endpoint: '5f2b8c9d1e3a' }],
  // A part with more than an id, and one with few hexadecimal digits.
  ['/v2/café/42nd/cafe', { log_endpoint: '/v2/café/42nd/cafe' }],
  [USERS, { log_endpoint: '/users/7', properties: { route: USERS, http_route: '/other' } }],
  [USERS, { log_endpoint: '/users/8', properties: { route: '', http_route: USERS } }],
  [USERS, { log_endpoint: '/users/9', properties: { route: 5, http_route: null, 'http.route': USERS } }],
  [USERS, { log_endpoint: '/users/10', properties: { http: { route: USERS } }, log_status: 301 }],
  // A route that a property names stays as it is.
  ['/raw/1', { log_endpoint: '/x', properties: { route: '/raw/1' } }],
  ['/users/:id', { log_endpoint: '/users/11', properties: { route: ['/users'], http: ['route'] } }],
];

describe('A field computed from a request', () => {
  let acme: Tenant;
  let globex: Tenant;
  let ids: string[];
  const begin = Date.now() - 30 * MINUTE_MS;

  beforeAll(async () => {
    [acme, globex] = [await tenant(), await tenant()];
    const rows = ROUTES.map(([, row], n) => ({ ...row, timestamp: new Date(begin + n), log_method: 'GET' }));
    ids = await insertEvents(acme.projectId, rows);
    await insertEvents(globex.projectId, [{ timestamp: new Date(begin), properties: { route: USERS } }]);
    for (const { projectId } of [acme, globex]) await countEvents(projectId);
  });

  const read = async <T>(path: string, query: object): Promise<T> => {
    const { status, body } = await api.as(acme.owner).get(path, { project_id: acme.projectId, ...query });
    expect([path, query, status, status === 200 ? null : (body as unknown)]).toEqual([path, query, 200, null]);
    return body as T;
  };
  const routed = (route: string): string[] => ids.filter((_, n) => ROUTES[n]?.[0] === route);
  const counts = new Map<string, number>();
  for (const [route] of ROUTES) counts.set(route, (counts.get(route) ?? 0) + 1);

  it('is a value that events are counted by', async () => {
    interface Breakdown {
      items: { value: string; events: number; errors: number }[];
      missing: { events: number };
    }
    const routes = await read<Breakdown>('/v1/analytics/breakdown', { by: 'log.route', limit: 100 });
    expect(new Map(routes.items.map(({ value, events }) => [value, events]))).toEqual(counts);
    expect(routes.missing.events).toBe(0);
    const classes = await read<Breakdown>('/v1/analytics/breakdown', { by: 'log.status_class' });
    expect(classes.items.map(({ value, events, errors }) => [value, events, errors])).toEqual([
      ['2xx', ROUTES.length - 3, 0],
      ['3xx', 1, 0],
      ['4xx', 1, 0],
      ['5xx', 1, 1],
    ]);
  });

  it('splits a series', async () => {
    interface Series {
      series: { value: string; total: number }[];
    }
    const asked = { interval: 'hour', split_by: 'log.route', top: 1 };
    const { series } = await read<Series>('/v1/analytics/timeseries', asked);
    expect(series.map(({ value, total }) => [value, total])).toEqual([[USERS, 4]]);
    const unique = { interval: 'hour', aggregate: 'unique', aggregate_field: 'log.route' };
    const { series: all } = await read<Series>('/v1/analytics/timeseries', unique);
    expect(all.map(({ total }) => total)).toEqual([counts.size]);
  });

  // The first condition of each route is decided in SQL, the second one event by event.
  it.each([
    [`log.route == "${USERS}"`, USERS],
    [`log.route regex "/users/[{]user[}]"`, USERS],
    ['log.route : "/ORDERS/*"', '/orders/:id'],
    ['concat(log.route, log.status_class) regex "/orders/:id[245]xx"', '/orders/:id'],
    ['log.route == "/:id/:id/x/:id/" and log.status_class in ("1xx", "2xx")', '/:id/:id/x/:id/'],
    ['log.route == "/users/:id" and not log.status_class == "5xx"', '/users/:id'],
  ])('is compared by the condition %s', async (where, route) => {
    const expected = routed(route);
    expect(expected).not.toEqual([]);
    const { items, total } = await read<{ items: { id: string }[]; total: number }>(
      `/v1/projects/${acme.projectId}/events`,
      { where },
    );
    expect([total, items.map(({ id }) => id).reverse()]).toEqual([expected.length, expected]);
    const logs = await read<{ id: string }[]>('/v1/logs', { where });
    expect(logs.map(({ id }) => id).reverse()).toEqual(expected);
    const found = await api
      .as(acme.owner)
      .post('/v1/eql', { project_id: acme.projectId, query: `any where ${where}` })
      .expect(200);
    expect((found.body as { events: { id: string }[] }).events.map(({ id }) => id)).toEqual(expected);
    const overview = await read<{ totals: { events: number } }>('/v1/analytics/overview', { where });
    expect(overview.totals.events).toBe(expected.length);
    const funnel = await read<{ values: number }>('/v1/analytics/funnel', { where, by: 'source', step: ['e', 'e'] });
    expect(funnel.values).toBe(1);
  });

  it('joins the events of a sequence', async () => {
    const query = 'sequence by log.route [any where log.status_class == "2xx"] [any where log.status_class == "5xx"]';
    const { body } = await api.as(acme.owner).post('/v1/eql', { project_id: acme.projectId, query }).expect(200);
    expect((body as { sequences: { join_keys: string[] }[] }).sequences.map(({ join_keys: keys }) => keys)).toEqual([
      ['/orders/:id'],
    ]);
  });

  it('is a field of conditions of alert rules, also of a preview', async () => {
    const asOwner = api.as(acme.owner);
    const filter = { field: 'log.route', op: 'eq', value: USERS };
    const rule = {
      project_id: acme.projectId,
      name: 'Requests of a route',
      severity: 'info',
      condition: {
        kind: 'match',
        all: [filter, { field: 'log.status_class', op: 'in', value: ['2xx', '3xx'] }],
      },
      group_by: ['log.route'],
    };
    const { body } = await asOwner.post('/v1/alert-rules', rule).expect(201);
    const { id } = body as { id: string };
    const window = { from_ts: new Date(begin).toISOString(), to_ts: new Date(begin + MINUTE_MS).toISOString() };
    const tried = await asOwner.post(`/v1/alert-rules/${id}/backtest`, window).expect(200);
    expect(tried.body).toMatchObject({
      evaluations: routed(USERS).length,
      firings: [{ group: { 'log.route': USERS } }],
    });
    const previewed = await asOwner.post('/v1/alert-rules', { ...rule, ...window, preview: true }).expect(200);
    expect(previewed.body).toEqual({ ...(tried.body as object), rule_id: null });
    await asOwner.delete(`/v1/alert-rules/${id}`).expect(204);
  });

  it('is listed among the fields of queries', async () => {
    const { fields } = await read<{ fields: { name: string }[] }>('/v1/eql', {});
    expect(fields).toEqual(
      expect.arrayContaining(
        ['log.route', 'log.status_class'].map((name) => ({ name, type: 'text', is_property: false })),
      ),
    );
  });
});
