import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Download, Locator, Page } from 'playwright-core';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { bytesOfDownload } from '../../support/chromium.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import {
  addressOf,
  DESKTOP,
  enter,
  faultsOf,
  follow,
  goTo,
  heading,
  onDesktop,
  SCREENS,
  signIn,
} from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';

const MINUTE_MS = 60_000;
/** The tests read more in a minute than a person does. */
const LIMITS = ['events', 'performance', 'logs', 'analytics', 'project-events-explorer']
  .map((name) => `${name}=1000/1000`)
  .join();

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: LIMITS } });
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  await app
    .request()
    .post('/v1/events/ingest')
    .set('X-API-Key', owner.apiKey)
    .set('Content-Type', 'application/x-ndjson')
    .send(
      shopEvents()
        .map((event) => JSON.stringify(event))
        .join('\n'),
    )
    .expect(200);
});
afterAll(() => app.close());

/** In the last hour: seven carts are opened and four orders placed, and of twelve requests two fail. */
function shopEvents(): object[] {
  const now = Date.now();
  const many = (count: number, make: (index: number) => object): object[] =>
    Array.from({ length: count }, (_, index) => ({
      source: 'web',
      timestamp: new Date(now - (30 - index) * MINUTE_MS).toISOString(),
      ...make(index),
    }));
  const plan = (index: number) => (index < 3 ? 'pro' : 'free');
  return [
    ...many(7, (index) => ({ event_type: 'cart.opened', payload: { user: `u${index}`, plan: plan(index) } })),
    ...many(4, (index) => ({
      event_type: 'order.placed',
      timestamp: new Date(now - (20 - index) * MINUTE_MS).toISOString(),
      payload: { user: `u${index}`, plan: plan(index), total: 10 },
    })),
    ...many(12, (index) => ({
      event_type: 'http.request',
      payload: {
        method: 'GET',
        path: '/cart',
        status_code: index < 2 ? 503 : 200,
        latency_ms: 20 + index,
        plan: plan(index),
      },
    })),
  ];
}

interface View {
  readonly id: string;
  readonly name: string;
  readonly updated_at: string;
  readonly filters: { readonly panels: readonly StoredPanel[]; readonly variables?: readonly object[] };
}
interface StoredPanel {
  readonly title: string;
  readonly question: object;
  readonly layout: Box;
}
interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const path = () => `/v1/projects/${owner.projectId}/saved-views`;

async function make(name: string, filters: object, kind = 'dashboard'): Promise<View> {
  const { body } = await app
    .request()
    .post(path())
    .set('Authorization', owner.bearer)
    .send({ name, kind, filters })
    .expect(201);
  return body as View;
}

async function stored(name: string): Promise<View | undefined> {
  const { body } = await app.request().get(path()).set('Authorization', owner.bearer).expect(200);
  return (body as View[]).find((each) => each.name === name);
}

async function remove(id: string): Promise<void> {
  await app.request().delete(`${path()}/${id}`).set('Authorization', owner.bearer).expect(204);
}

async function change(id: string, filters: object): Promise<void> {
  await app.request().patch(`${path()}/${id}`).set('Authorization', owner.bearer).send({ filters }).expect(200);
}

const box = (x: number, y: number, w = 6, h = 6): Box => ({ x, y, w, h });
const count = (id: string, layout: object = box(0, 0), search: object = {}) => ({
  id,
  title: `Count ${id}`,
  question: { kind: 'figure', search },
  layout,
});

describe.each(SCREENS)('a dashboard on $device', ({ device, screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await page.goto(`${app.url}/console/login`);
    await signIn(page, owner.email);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
  });

  /** Names are unique in a project, and each device has its own. */
  const named = (name: string) => `${name} on ${device}`;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const panel = (title: string) => page.getByRole('region', { name: title, exact: true });
  const open = async ({ id, name }: View, query = 'range=1h') => {
    await page.goto(`${address}/dashboards/${id}?${query}`);
    await heading(page, name);
  };
  const more = async (item: string) => {
    await button('More actions').click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const actOn = async (title: string, item: string) => {
    await button(`Actions for ${title}`).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const refresh = () => page.getByRole('button', { name: 'Refresh', exact: true }).click();
  const rename = async (title: string, to: string) => {
    await actOn(title, 'Rename');
    await page.getByRole('dialog').getByLabel('Name').fill(to);
    await page.getByRole('dialog').getByRole('button', { name: 'Save the name' }).click();
    await panel(to).waitFor();
  };
  const inOrder = (titles: readonly string[]) =>
    eventually(
      () => page.getByRole('heading', { level: 2, name: /^Count / }).allTextContents(),
      (shown) => shown.join() === titles.join(),
    );
  /** Counts the reads of panels for each condition. */
  const counted = () => {
    const reads = new Map<string, number>();
    page.on('request', (request) => {
      if (!request.url().includes('/v1/analytics/timeseries')) return;
      const where = String(new URL(request.url()).searchParams.get('where'));
      reads.set(where, (reads.get(where) ?? 0) + 1);
    });
    return reads;
  };
  /** The browser reports a refused request each time that a panel asks. No other fault is expected. */
  const forgive = (status: number) => {
    const others = browser.faults.filter((fault) => !fault.includes(`status of ${status}`));
    expect(others.length).toBeLessThan(browser.faults.length);
    browser.faults.splice(0, Infinity, ...others);
  };
  const inside = (within: Locator, text: string) => within.getByText(text, { exact: true }).first().waitFor();
  /** Pins what the page shows. */
  async function pin(title: string, to: { dashboard?: string; as?: string }): Promise<void> {
    await button('Pin to dashboard').click();
    const dialog = page.getByRole('dialog', { name: 'Pin to dashboard' });
    if (to.dashboard !== undefined) {
      await dialog.getByRole('combobox', { name: 'Dashboard' }).click();
      await page.getByRole('option', { name: 'New dashboard' }).click();
      await dialog.getByLabel('Name of the dashboard').fill(to.dashboard);
    }
    await dialog.getByLabel('Title of the panel').fill(title);
    if (to.as !== undefined) {
      await dialog.getByRole('combobox', { name: 'Show as' }).click();
      await page.getByRole('option', { name: to.as }).click();
    }
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
    await dialog.getByText('The panel is on').waitFor();
  }

  it('gets the questions of all pages as panels, which show the same numbers', async () => {
    await goTo(page, 'Dashboards');
    expect(await browser.lookAt('dashboards')).toEqual([]);
    const name = named('Shop');
    await page.goto(`${address}/analytics?range=1h&event=order.placed`);
    await heading(page, 'Analytics');
    await pin('Orders', { dashboard: name });
    expect(await browser.lookAt('pin')).toEqual([]);
    await button('Stay here').click();
    const questions = [
      ['analytics?range=1h&event=order.placed', 'Number of orders', 'Single figure'],
      ['analytics?range=1h&ask=breakdown&by=properties.plan', 'Plans', undefined],
      [
        `analytics?range=1h&ask=funnel&by=properties.user&steps=${encodeURIComponent('["cart.opened","order.placed"]')}`,
        'Way to the order',
        undefined,
      ],
      ['performance?range=1h', 'Speed', 'Figures'],
      ['performance?range=1h', 'Latencies', 'Charts'],
      ['performance?range=1h', 'Cart routes', 'Routes and endpoints'],
      ['logs?range=1h&event=cart.opened', 'Carts', undefined],
      [`eql?range=1h&q=${encodeURIComponent('any where log.status >= 500')}`, 'Failed', undefined],
    ] as const;
    for (const [question, title, as] of questions) {
      await page.goto(`${address}/${question}`);
      await pin(title, as === undefined ? {} : { as });
      if (title !== 'Failed') await button('Stay here').click();
    }
    await page.getByRole('link', { name: 'Open the dashboard' }).click();
    await heading(page, name);
    const shown = async (title: string, ...texts: string[]) => {
      await panel(title).scrollIntoViewIfNeeded();
      for (const text of texts) await inside(panel(title), text);
    };
    await panel('Orders')
      .getByRole('img', { name: /^Events per minute/ })
      .waitFor();
    await panel('Orders')
      .getByText(/^Events per minute\. Time zone: /)
      .waitFor();
    await shown('Latencies', 'Latency per minute', 'Requests and errors per minute');
    const headings = page.locator('.panel').getByRole('heading');
    const levels = async (): Promise<string[]> =>
      headings.evaluateAll((all) => all.map((each) => `${each.tagName} ${each.textContent}`));
    expect((await levels()).slice(0, 1)).toEqual(['H2 Orders']);
    expect((await levels()).filter((each) => each.startsWith('H3'))).toEqual([
      'H3 Latency per minute',
      'H3 Requests and errors per minute',
    ]);
    expect((await levels()).filter((each) => each.startsWith('H2'))).toHaveLength(questions.length + 1);
    await shown('Number of orders', '4');
    await shown('Plans', 'pro', 'free');
    await shown('Way to the order', '4 · 57.14%');
    await shown('Speed', '12', '16.67%');
    await shown('Cart routes', 'GET /cart');
    await shown('Carts', '7 events');
    await panel('Failed').scrollIntoViewIfNeeded();
    await panel('Failed')
      .getByText(/^2 events, of \d+ events read in/)
      .waitFor();
    await page.evaluate('scrollTo(0, 0)');
    expect(await browser.lookAt('dashboard')).toEqual([]);
    await panel('Carts')
      .getByRole('button', { name: /cart\.opened/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: 'Event' }).getByText('cart.opened').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await actOn('Number of orders', 'Open in Analytics');
    await page.waitForURL(/analytics\?.*event=order\.placed/);
    await heading(page, 'Analytics');
  });

  it('narrows every panel by the value of a variable', async () => {
    const view = await make(named('Plans'), {
      panels: [
        count('all'),
        {
          ...count('query', box(6, 0)),
          question: { kind: 'query', search: { q: 'any where log.status == 200 | tail 30' } },
        },
        {
          ...count('chain', box(0, 6)),
          question: { kind: 'query', search: { q: 'sequence by properties.user [any where true] [any where true]' } },
        },
        { ...count('logs', box(6, 6)), question: { kind: 'logs', search: {} } },
      ],
    });
    await open(view);
    await inside(panel('Count all'), '23');
    await button('Edit').click();
    await button('Variable').click();
    const dialog = page.getByRole('dialog', { name: 'Add a variable' });
    await dialog.getByLabel('Field').fill('log.status');
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Add the variable' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Field').fill('properties.plan');
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Add the variable' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await button('Save').click();
    await button('Edit').waitFor();
    await page.getByRole('combobox', { name: 'plan' }).click();
    await page.getByRole('option', { name: 'pro', exact: true }).click();
    await inside(panel('Count all'), '9');
    await panel('Count logs').scrollIntoViewIfNeeded();
    await inside(panel('Count logs'), '9 events');
    await panel('Count query')
      .getByText(/^7 events, of/)
      .waitFor();
    await panel('Count chain').scrollIntoViewIfNeeded();
    await inside(panel('Count chain'), 'Variables narrow queries for events only, so this one is not narrowed.');
    expect(await browser.lookAt('dashboard-variables')).toEqual([]);
    // The choice belongs to the address. The dashboard itself stays at all values.
    await page.reload();
    await inside(panel('Count all'), '9');
    await actOn('Count all', 'Open in Analytics');
    await page.waitForURL((url) => url.searchParams.get('where') === 'properties.plan == "pro"');
    await open(view);
    await inside(panel('Count all'), '23');
  });

  itOnDesktop('dims old numbers while those of another value are read, and takes a value that is typed', async () => {
    const view = await make(named('Typed'), {
      panels: [count('all')],
      variables: [
        { name: 'plan', field: 'properties.plan' },
        { name: 'code', field: 'properties.status_code', value: 200 },
      ],
    });
    await open(view);
    await inside(panel('Count all'), '10');
    const value = page.getByRole('combobox', { name: 'plan' });
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route('**/v1/analytics/timeseries**', async (route) => {
      await held;
      await route.continue();
    });
    await value.fill('gold');
    await page.getByRole('option', { name: 'gold', exact: true }).click();
    const content = page.getByRole('group', { name: 'Content of Count all' });
    await eventually(
      () => content.getAttribute('aria-busy'),
      (busy) => busy === 'true',
    );
    expect(await panel('Count all').getByText('10', { exact: true }).count()).toBe(1);
    goOn();
    await inside(panel('Count all'), '0');
    await eventually(
      () => content.getAttribute('aria-busy'),
      (busy) => busy === 'false',
    );
    await page.unroute('**/v1/analytics/timeseries**');
    // A number is typed as a number when the known values are numbers. The address names only what was chosen.
    await open(view);
    const code = page.getByRole('combobox', { name: 'code' });
    await code.click();
    await page.getByRole('option', { name: '503', exact: true }).waitFor();
    await code.fill('404');
    await page.getByRole('option', { name: '404', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('values') === '{"code":404}');
    await inside(panel('Count all'), '0');
    await button('Edit').click();
    await value.click();
    await page.getByRole('option', { name: 'pro', exact: true }).click();
    await button('Save').click();
    await button('Edit').waitFor();
    expect((await stored(view.name))?.filters.variables).toEqual([
      { name: 'plan', field: 'properties.plan', value: 'pro' },
      { name: 'code', field: 'properties.status_code', value: 200 },
    ]);
  });

  it('moves, sizes, renames, duplicates and removes panels, and saves that together', async () => {
    const view = await make(named('Moves'), { panels: [count('one'), count('two', box(6, 0))] });
    await open(view);
    await button('Edit').click();
    if (screen.isMobile) {
      await actOn('Count two', 'Move down');
      await inOrder(['Count one', 'Count two']);
      await actOn('Count two', 'Move up');
      await inOrder(['Count two', 'Count one']);
      await actOn('Count two', 'Move down');
      await inOrder(['Count one', 'Count two']);
    } else {
      await button('Move Count one').press('ArrowDown');
      await button('Move Count one').press('Shift+ArrowRight');
      await button('Move Count one').press('Shift+ArrowDown');
    }
    await actOn('Count two', 'Duplicate');
    await page.getByRole('heading', { name: 'Count two' }).nth(1).waitFor();
    await page.getByRole('button', { name: 'Actions for Count two' }).nth(1).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Count three');
    await page.getByRole('dialog').getByRole('button', { name: 'Save the name' }).click();
    await panel('Count three').waitFor();
    expect(await browser.lookAt('dashboard-editing')).toEqual([]);
    await actOn('Count two', 'Remove');
    await panel('Count two').waitFor({ state: 'hidden' });
    await button('Save').click();
    await button('Edit').waitFor();
    const saved = (await stored(view.name))?.filters.panels ?? [];
    expect(saved.map(({ title }) => title).sort()).toEqual(['Count one', 'Count three']);
    if (!screen.isMobile)
      expect(saved.find(({ title }) => title === 'Count one')?.layout).toMatchObject({ w: 7, h: 7 });
    await page.reload();
    await panel('Count three').waitFor();
    await panel('Count two').waitFor({ state: 'hidden' });
  });

  if (!screen.isMobile) {
    it('lets a panel be dragged by its handle and sized by its corner', async () => {
      const view = await make(named('Drags'), { panels: [count('one'), count('two', box(6, 0))] });
      await open(view);
      await button('Edit').click();
      await drag(button('Move Count one'), 560, 0);
      await drag(panel('Count two').locator('xpath=..').locator('.react-resizable-handle'), 0, 100);
      await button('Save').click();
      await button('Edit').waitFor();
      const saved = (await stored(view.name))?.filters.panels ?? [];
      expect(saved.find(({ title }) => title === 'Count one')?.layout.x).toBe(6);
      expect(saved.find(({ title }) => title === 'Count two')?.layout.h).toBeGreaterThan(6);
    });
  }

  /** Drags something by the mouse. */
  async function drag(what: Locator, x: number, y: number): Promise<void> {
    // Panels move to their places for a moment. This waits until they rest.
    await what.hover();
    const place = await what.boundingBox();
    if (place === null) throw new Error('nothing to drag');
    const [left, top] = [place.x + place.width / 2, place.y + place.height / 2];
    await page.mouse.move(left, top);
    await page.mouse.down();
    await page.mouse.move(left + x / 2, top + y / 2, { steps: 5 });
    await page.mouse.move(left + x, top + y, { steps: 5 });
    await page.mouse.up();
  }

  it('shows the change of another person before it saves, and keeps both', async () => {
    const view = await make(named('Shared'), { panels: [count('one')] });
    await open(view);
    await button('Edit').click();
    await rename('Count one', 'Mine');
    await change(view.id, { panels: [{ ...count('one'), title: 'Theirs' }] });
    await button('Save').click();
    const alert = page.getByRole('alert', { name: 'Somebody else has changed this dashboard' });
    await alert.waitFor();
    expect(await browser.lookAt('dashboard-conflict')).toEqual([]);
    expect((await stored(view.name))?.filters.panels[0]?.title).toBe('Theirs');
    await button('Save as a copy').click();
    await heading(page, `${view.name} (copy)`);
    await panel('Mine').waitFor();
    expect((await stored(`${view.name} (copy)`))?.filters.panels[0]?.title).toBe('Mine');
    expect((await stored(view.name))?.filters.panels[0]?.title).toBe('Theirs');
    await open(view);
    await panel('Theirs').waitFor();
  });

  itOnDesktop('asks before unsaved changes are left, and discards them on request', async () => {
    const view = await make(named('Left'), { panels: [count('one')] });
    await open(view);
    await button('Edit').click();
    await actOn('Count one', 'Remove');
    await page.getByRole('link', { name: 'Dashboards' }).last().click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByText('Keep editing').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await button('Cancel').click();
    await panel('Count one').waitFor();
  });

  itOnDesktop('overwrites no change that comes in the moment before it saves', async () => {
    const view = await make(named('Raced'), { panels: [count('one')] });
    await open(view);
    await button('Edit').click();
    await rename('Count one', 'Mine');
    const theirs = { panels: [{ ...count('one'), title: 'Theirs' }] };
    await page.route(
      `**${path()}/${view.id}`,
      async (route) => {
        await change(view.id, theirs);
        await route.continue();
      },
      { times: 1 },
    );
    await button('Save').click();
    await page.getByRole('alert', { name: 'Somebody else has changed this dashboard' }).waitFor();
    forgive(409);
    expect((await stored(view.name))?.filters).toEqual(theirs);
    await button('Discard mine and show theirs').click();
    await panel('Theirs').waitFor();
  });

  itOnDesktop('gets a pinned panel next to the change that somebody else makes in the same moment', async () => {
    const view = await make(named('Pinned at once'), { panels: [] });
    await page.goto(`${address}/analytics?range=1h&event=order.placed`);
    await page.route(
      `**${path()}/${view.id}`,
      async (route) => {
        await change(view.id, { panels: [{ ...count('one'), title: 'Theirs' }] });
        await route.continue();
      },
      { times: 1 },
    );
    await pin('Mine', {});
    forgive(409);
    expect((await stored(view.name))?.filters.panels.map(({ title }) => title)).toEqual(['Theirs', 'Mine']);
  });

  itOnDesktop('says that a panel is not pinned when others change it all the time, and pins it then', async () => {
    const view = await make(named('Busy'), { panels: [] });
    await page.goto(`${address}/analytics?range=1h&event=order.placed`);
    let changes = 0;
    await page.route(`**${path()}/${view.id}`, async (route) => {
      changes += 1;
      await change(view.id, { panels: [{ ...count('one'), title: `Theirs ${changes}` }] });
      await route.continue();
    });
    await button('Pin to dashboard').click();
    const dialog = page.getByRole('dialog', { name: 'Pin to dashboard' });
    await dialog.getByLabel('Title of the panel').fill('Mine');
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
    await dialog
      .getByText(
        'Somebody else has changed this dashboard meanwhile. The panel is not on it. Pin again, or choose another dashboard.',
      )
      .waitFor();
    forgive(409);
    expect(await browser.lookAt('pin-conflict')).toEqual([]);
    expect((await stored(view.name))?.filters.panels.map(({ title }) => title)).toEqual([`Theirs ${changes}`]);
    await page.unrouteAll({ behavior: 'wait' });
    expect(await dialog.getByLabel('Title of the panel').inputValue()).toBe('Mine');
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
    await dialog.getByText('The panel is on').waitFor();
    expect((await stored(view.name))?.filters.panels.map(({ title }) => title)).toEqual([`Theirs ${changes}`, 'Mine']);
  });

  itOnDesktop('refuses a panel for a dashboard that somebody else has filled meanwhile', async () => {
    const view = await make(named('Filled'), { panels: [] });
    await page.goto(`${address}/analytics?range=1h&event=order.placed`);
    await button('Pin to dashboard').click();
    const dialog = page.getByRole('dialog', { name: 'Pin to dashboard' });
    await dialog.getByLabel('Title of the panel').fill('Mine');
    const panels = Array.from({ length: 30 }, (_, index) => count(`${index}`, box(0, 6 * index)));
    await change(view.id, { panels });
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
    await dialog.getByText('This dashboard has 30 panels, which is the most. Choose another one.').waitFor();
    expect((await stored(view.name))?.filters.panels).toEqual(panels);
    await remove(view.id);
  });

  itOnDesktop('reports no conflict when nothing is changed here, or when the other change is the same', async () => {
    const view = await make(named('Calm'), { panels: [count('one')] });
    await open(view);
    await button('Edit').click();
    await change(view.id, { panels: [{ ...count('one'), title: 'Theirs' }] });
    await refresh();
    await panel('Theirs').waitFor();
    await rename('Theirs', 'Same');
    await change(view.id, { panels: [{ ...count('one'), title: 'Same' }] });
    await button('Save').click();
    await button('Edit').waitFor();
    expect((await stored(view.name))?.filters.panels[0]?.title).toBe('Same');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  itOnDesktop('says that somebody else has deleted it, and keeps changes until they are discarded', async () => {
    const view = await make(named('Gone'), { panels: [count('one')] });
    await open(view);
    await button('Edit').click();
    await rename('Count one', 'Mine');
    await remove(view.id);
    await refresh();
    await page.getByRole('alert', { name: 'Somebody else has deleted this dashboard' }).waitFor();
    await button('Discard my changes').click();
    await heading(page, 'Dashboards');
    const other = await make(named('Gone, too'), { panels: [count('one')] });
    await open(other);
    await remove(other.id);
    await refresh();
    await page.getByText('Somebody else has deleted this dashboard').waitFor();
  });

  itOnDesktop('keeps stored members that this version of the console does not know', async () => {
    const filters = {
      panels: [{ ...count('one', { ...box(0, 0), locked: true }), note: 'by another version' }],
      variables: [
        { name: 'plan', field: 'properties.plan', label: 'Plan' },
        { name: 'later', query: 'any' },
      ],
      theme: 'wall',
    };
    const view = await make(named('Later version'), filters);
    await open(view);
    await button('Edit').click();
    await rename('Count one', 'Count two');
    await button('Save').click();
    await button('Edit').waitFor();
    expect((await stored(view.name))?.filters).toEqual({
      ...filters,
      panels: [{ ...filters.panels[0], title: 'Count two' }],
    });
  });

  itOnDesktop('offers changes again that were not saved when the session ended', async () => {
    const view = await make(named('Session'), { panels: [count('one')] });
    await open(view);
    await button('Edit').click();
    await rename('Count one', 'Mine');
    const tab = await browser.openTab();
    await tab.goto(`${address}/keys`);
    await heading(tab, 'API keys');
    await tab.getByRole('button', { name: 'Your account' }).click();
    await tab.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    await tab.close();
    await signIn(page, owner.email);
    await heading(page, view.name);
    await panel('Count one').waitFor();
    await button('Continue with my changes').click();
    await panel('Mine').waitFor();
    await button('Save').click();
    await button('Edit').waitFor();
    expect((await stored(view.name))?.filters.panels[0]?.title).toBe('Mine');
    await page.reload();
    await panel('Mine').waitFor();
    expect(await button('Continue with my changes').count()).toBe(0);
  });

  it('exports a dashboard, and imports it under another name', async () => {
    const view = await make(named('Export'), {
      name: 'Another name',
      panels: [count('one')],
      variables: [{ name: 'plan', field: 'properties.plan', value: 'pro' }],
    });
    await open(view);
    const downloading: Promise<Download> = page.waitForEvent('download');
    await more('Export as JSON');
    const file = await bytesOfDownload(await downloading);
    expect(JSON.parse(file.toString('utf8'))).toMatchObject({ name: view.name, panels: [{ title: 'Count one' }] });
    await page.goto(`${address}/dashboards?range=1h`);
    await heading(page, 'Dashboards');
    const importing = async (text: string | Buffer) => {
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('dialog').getByRole('button', { name: 'File' }).click();
      await (
        await choosing
      ).setFiles({
        name: 'dashboard.json',
        mimeType: 'application/json',
        buffer: Buffer.from(text),
      });
      await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    };
    await button('Import').click();
    const bad = (text: string) => page.getByRole('dialog').getByRole('alert').getByText(text).waitFor();
    await importing('no JSON');
    await bad('This file is not JSON.');
    await importing('{"panels": []}');
    await bad('This file is not an exported dashboard.');
    await importing(
      JSON.stringify({
        format: 'operational-events-dashboard',
        version: 1,
        name: 'Odd',
        panels: [
          { ...count('a'), question: { kind: 'pie' } },
          { ...count('a'), title: '', layout: { x: 'left' } },
        ],
      }),
    );
    await bad(
      'Panel 1 has a question that this version of the console does not know. Panel 2 has the id of another panel. Panel 2 has no title. Panel 2 has no valid place and size.',
    );
    expect(await browser.lookAt('dashboard-import')).toEqual([]);
    const variable = { name: 'plan', field: 'properties.plan' };
    const odd = { format: 'operational-events-dashboard', version: 1, name: 'Odd', panels: [count('a')] };
    await importing(JSON.stringify({ ...odd, name: 'n'.repeat(201), variables: [variable, variable] }));
    await bad('The dashboard has a name of more than 200 characters. Variable 2 has the name of another variable.');
    await importing(JSON.stringify({ ...odd, variables: Array<object>(11).fill(variable) }));
    await bad('The dashboard has 11 variables. At most 10 are possible.');
    await importing(' '.repeat(262_145));
    await bad('This file has more than 256 KiB, so it is no dashboard.');
    await importing(file);
    await heading(page, `${view.name} (copy)`);
    await inside(panel('Count one'), '9');
    const { panels, variables } = view.filters;
    expect((await stored(`${view.name} (copy)`))?.filters).toEqual({ panels, variables });
  });

  itOnDesktop('duplicates, renames and deletes a dashboard', async () => {
    const view = await make(named('Twin'), { panels: [count('one')] });
    await open(view);
    await more('Duplicate');
    await heading(page, `${view.name} (copy)`);
    await more('Rename');
    await page.getByRole('dialog').getByLabel('Name').fill(named('Sister'));
    await page.getByRole('dialog').getByRole('button', { name: 'Save the name' }).click();
    await heading(page, named('Sister'));
    await more('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Dashboards');
    expect(await stored(named('Sister'))).toBeUndefined();
    expect(await stored(view.name)).toBeDefined();
  });

  itOnDesktop('is the home of the project for a browser that chooses it', async () => {
    const view = await make(named('Wall'), { panels: [count('one')] });
    await open(view);
    await more('Show as home');
    await follow(page, 'Overview');
    await heading(page, view.name);
    await page.getByRole('link', { name: 'Overview', exact: true }).last().click();
    await heading(page, owner.projectName);
    await page.goto(address);
    await heading(page, view.name);
    await more('Show the overview as home again');
    await page.goto(address);
    await heading(page, owner.projectName);
  });

  it('shows a sentence for each panel that it cannot draw, and all others', async () => {
    const view = await make(named('Nonsense'), {
      panels: [
        { ...count('a'), title: 'Unknown', question: { kind: 'pie', search: {} } },
        { ...count('b'), title: 'Empty', question: {} },
        { ...count('c', { x: -5, y: 1e15, w: 0, h: 1e9 }), title: 'Far away' },
        { ...count('d', { x: 'left' }), title: 'Nowhere' },
        {
          ...count('e'),
          title: 'Numbers',
          question: { kind: 'analysis', search: { aggregate: 'p95', event: 5, split: {} } },
        },
        { ...count('f'), title: 'No query', question: { kind: 'query', search: { q: 'any wher' } } },
        {
          ...count('g'),
          title: 'Nothing',
          question: { kind: 'performance', part: 'names', search: { where: 'log.status == 999' } },
        },
      ],
      variables: [{ name: 5 }, 'x', { name: 'odd', field: 'log.status' }],
    });
    await open(view);
    for (const title of ['Unknown', 'Empty'])
      await inside(panel(title), 'This version of the console does not know the question of this panel.');
    for (const title of ['Far away', 'Nowhere']) {
      await panel(title).scrollIntoViewIfNeeded();
      await inside(panel(title), '23');
    }
    await panel('Numbers').scrollIntoViewIfNeeded();
    await inside(panel('Numbers'), 'Choose the field to measure.');
    await panel('No query').scrollIntoViewIfNeeded();
    await panel('No query').getByRole('alert').waitFor();
    await panel('Nothing').scrollIntoViewIfNeeded();
    await inside(panel('Nothing'), 'Nothing matches');
    expect(await panel('Nothing').getByRole('button', { name: 'Clear search and filter' }).count()).toBe(0);
    expect(await browser.lookAt('dashboard-nonsense')).toEqual([]);
    forgive(422);
  });

  it('reads a panel only when it comes into view', async () => {
    const panels = Array.from({ length: 30 }, (_, index) =>
      count(`p${index}`, box(0, index * 6, 12), { where: `log.latency_ms < ${1000 + index}` }),
    );
    const view = await make(named('Tall'), { panels });
    const read = counted();
    await open(view);
    await inside(panel('Count p0'), '12');
    expect(read.size).toBeLessThan(15);
    await panel('Count p29').scrollIntoViewIfNeeded();
    await inside(panel('Count p29'), '12');
    expect(read.get('log.latency_ms < 1029')).toBe(1);
    // A panel that is out of view stays as it is. On a phone, the click scrolls to the top.
    await refresh();
    await panel('Count p29').scrollIntoViewIfNeeded();
    await eventually(
      () => read.get('log.latency_ms < 1029'),
      (reads) => reads === 2,
    );
    if (device === 'a desktop') expect(read.get('log.latency_ms < 1000')).toBe(1);
  });

  itOnDesktop('reads no panel again when editing begins and ends', async () => {
    const view = await make(named('Steady'), { panels: [count('one', box(0, 0), { where: 'log.latency_ms < 500' })] });
    await open(view);
    await inside(panel('Count one'), '12');
    const read = counted();
    await button('Edit').click();
    await button('Cancel').click();
    await button('Edit').click();
    await rename('Count one', 'Count two');
    await button('Save').click();
    await button('Edit').waitFor();
    await inside(panel('Count two'), '12');
    expect(read.size).toBe(0);
  });

  it('covers the window in full screen, which Escape leaves and Tab does not', async () => {
    const view = await make(named('Full'), {
      panels: [count('one')],
      variables: [{ name: 'plan', field: 'properties.plan' }],
    });
    await open(view, 'range=1h&full=on');
    await button('Leave full screen').waitFor();
    await inside(panel('Count one'), '23');
    expect(await browser.lookAt('dashboard-full')).toEqual([]);
    const isCovered = () => page.evaluate('document.activeElement.closest(".dashboard-full") === null');
    await eventually(isCovered, (covered) => covered === false);
    for (let tabs = 0; tabs < 8; tabs += 1) {
      await page.keyboard.press('Tab');
      expect(await isCovered()).toBe(false);
    }
    await page.getByRole('combobox', { name: 'plan' }).click();
    await page.getByRole('option', { name: 'pro', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('option', { name: 'pro', exact: true }).waitFor({ state: 'hidden' });
    expect(await button('Leave full screen').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await button('Full screen').waitFor();
  });

  itOnDesktop('opens saved questions where they belong, and adds them as panels', async () => {
    const name = named('Slow requests');
    await page.goto(`${address}/analytics?range=1h&event=http.request&aggregate=p95&field=log.latency_ms`);
    await button('Saved questions').click();
    await page.getByRole('menuitem', { name: 'Save this question' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.goto(`${address}/analytics?range=1h`);
    await button('Saved questions').click();
    await page.getByRole('menuitem', { name }).click();
    await page.waitForURL(/aggregate=p95/);
    expect(new URL(page.url()).searchParams.get('range')).toBe('1h');
    const view = await make(named('Of saved ones'), { panels: [] });
    await open(view);
    await button('Edit').click();
    await button('Panel').click();
    await page.getByRole('combobox', { name: 'Saved question' }).click();
    await page.getByRole('option', { name, exact: true }).click();
    await button('Add the panel').click();
    await panel(name).getByRole('img').waitFor();
    await button('Save').click();
    await button('Edit').waitFor();
    expect((await stored(view.name))?.filters.panels[0]?.question).toMatchObject({ kind: 'analysis' });
  });

  itOnDesktop('keeps recent queries, and begins an alert rule with a question that a rule can express', async () => {
    await page.goto(`${address}/eql?range=1h`);
    const query = 'order.placed where properties.total > 5';
    await page.getByRole('textbox', { name: 'Query' }).fill(query);
    await button('Run').click();
    await page.getByText(/^4 events, of/).waitFor();
    await page.goto(`${address}/eql?range=1h`);
    await button('Recent queries').click();
    await page.getByRole('menuitem', { name: query }).click();
    await page.getByText(/^4 events, of/).waitFor();
    await button('Create alert rule').click();
    await heading(page, 'New rule');
    await eventually(
      () =>
        page
          .getByRole('textbox', { name: 'Value' })
          .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value)),
      (values) => values.join() === 'order.placed,5',
    );
    await page.goto(`${address}/analytics?range=1h&ask=breakdown`);
    await page.getByRole('button', { name: 'Create alert rule', disabled: true }).hover();
    await page.getByRole('tooltip').getByText('A rule watches one number over time').waitFor();
    const sentences = [
      ['any where timestamp > "2026-01-01T00:00:00Z"', 'A rule cannot compare timestamp'],
      [
        'sequence by properties.user [any where true] [any where true]',
        'A rule watches single events, and no sequences',
      ],
      ['order.placed', 'A rule begins with a query that has an event type'],
    ] as const;
    for (const [query, sentence] of sentences) {
      await page.goto(`${address}/eql?range=1h&q=${encodeURIComponent(query)}`);
      await page.getByRole('button', { name: 'Create alert rule', disabled: true }).hover();
      await page.getByRole('tooltip').getByText(sentence).waitFor();
    }
    // The service refuses the last query.
    await page.getByRole('alert').first().waitFor();
    forgive(422);
    await page.goto(`${address}/analytics?range=1h&ask=series&aggregate=errors&split=source`);
    await button('Create alert rule').click();
    await heading(page, 'New rule');
    expect(await page.getByRole('radio', { name: 'Threshold' }).isChecked()).toBe(true);
  });
});

describe('a viewer', () => {
  it('reads dashboards, and is told why nothing can be changed', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    const view = await make('For viewers', { panels: [count('one')] });
    const browser = await openConsole(app, DESKTOP);
    try {
      const { page } = browser;
      const isRefused = async (name: string) => {
        await page.getByRole('button', { name, exact: true, disabled: true }).hover();
        await page.getByRole('tooltip').getByText('Your role here is viewer').waitFor();
        await page.mouse.move(0, 0);
        await page.getByRole('tooltip').waitFor({ state: 'hidden' });
      };
      await enter(browser, `${address}/dashboards?range=1h`, viewer);
      await isRefused('New dashboard');
      await isRefused('Import');
      await page.getByRole('link', { name: view.name }).click();
      await page.getByRole('region', { name: 'Count one' }).getByText('23', { exact: true }).waitFor();
      await isRefused('Edit');
      await page.getByRole('button', { name: 'More actions' }).click();
      for (const name of ['Rename', 'Duplicate', 'Delete'])
        expect(await page.getByRole('menuitem', { name }).isDisabled()).toBe(true);
      await page.getByText('Your role here is viewer').waitFor();
      expect(await browser.lookAt('dashboard-viewer')).toEqual([]);
      await page.keyboard.press('Escape');
      await page.goto(`${address}/analytics?range=1h`);
      await isRefused('Pin to dashboard');
      expect(await faultsOf(browser)).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
