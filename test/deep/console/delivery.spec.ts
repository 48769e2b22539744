import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { alertsOf } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, goTo, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { DELIVERY_ENV, deliveryOf, ruleMatch } from '../../support/delivery.js';
import { eventually } from '../../support/eventually.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { rulesOf } from '../../support/rules.js';

const SECRET = 'a-secret-of-the-receiver';

interface Delivery {
  readonly status: string;
}

/** Waits until the address is that of the attempts with these filters. */
function showsAttempts(page: Page, filters: Readonly<Record<string, string>>): Promise<void> {
  return page.waitForURL(
    ({ pathname, searchParams }) =>
      pathname.endsWith('/attempts') &&
      JSON.stringify([...searchParams].sort()) === JSON.stringify(Object.entries(filters).sort()),
  );
}

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: DELIVERY_ENV });
});
afterAll(() => app.close());

describe.each(SCREENS)('delivery on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver(200);
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });
  afterAll(async () => {
    await browser.close();
    await receiver.close();
  });
  afterEach(async () => {
    expect(await faultsOf(browser, [SECRET])).toEqual([]);
  });

  async function alertDeliveries(query: object = {}): Promise<{ total: number; items: Delivery[] }> {
    const request = app
      .request()
      .get('/v1/alerts/deliveries')
      .query({ project_id: owner.projectId, ...query });
    return (await request.set('Authorization', owner.bearer)).body as Awaited<ReturnType<typeof alertDeliveries>>;
  }

  /** Waits until the one alert delivery has a status. */
  const alertDeliveryIs = (status: string) => eventually(alertDeliveries, ({ items }) => items[0]?.status === status);

  /** Opens the form of a new endpoint. */
  async function newEndpoint(type: string) {
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByRole('menuitem', { name: new RegExp(`^${type}`) }).click();
    const dialog = page.getByRole('dialog', { name: `New endpoint: ${type}` });
    await dialog.getByLabel('Name').waitFor();
    return dialog;
  }

  it('creates an alert webhook, tests it and switches it off', async () => {
    await goTo(page, 'Endpoints');
    await page.getByText('No endpoint yet').waitFor();
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByRole('menuitem', { name: /^Slack/ }).waitFor();
    expect(await browser.lookAt('endpoint-types')).toEqual([]);
    await page.getByRole('menuitem', { name: /^Alert webhook/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New endpoint: Alert webhook' });
    await dialog.getByLabel('Name').fill('Pager');
    await dialog.getByLabel('Address').fill(`${receiver.url}/pager`);
    await dialog.locator('input[type=password]').fill(SECRET);
    expect(await browser.lookAt('alert-webhook-new')).toEqual([]);
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Test Pager' }).click();
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('It arrived').waitFor();
    expect(await browser.lookAt('alert-webhook-test')).toEqual([]);
    receiver.answer(500);
    await page.getByRole('button', { name: 'Send another' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'It was not taken' })
      .getByText(/Request/)
      .waitFor();
    // A 502 of the service is in the browser's console, too.
    browser.faults.splice(0);
    receiver.answer(200);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.getByRole('switch', { name: 'Pager is on' }).press('Space');
    await page.locator('input[role=switch]:not(:checked)').waitFor({ state: 'attached' });
    await page.getByRole('switch', { name: 'Pager is on' }).press('Space');
    await page.locator('input[role=switch]:checked').waitFor({ state: 'attached' });
  });

  it('shows what was sent for an alert, and sends it again', async () => {
    receiver.answer(400);
    await goTo(page, 'Attempts');
    await page.getByText('Nothing was sent in this time').waitFor();
    await alertEventsOf(app, owner).fire();
    await alertDeliveryIs('failed');
    await page.goto(`${address}/attempts`);
    await page
      .getByRole('row', { name: /Pager/ })
      .getByText(/^failed$/i)
      .waitFor();
    await page.getByText('1 of 1, newest first').waitFor();
    receiver.answer(200);
    await page.getByRole('button', { name: 'Replay failed since…' }).click();
    expect(await browser.lookAt('replay-since')).toEqual([]);
    await page.getByRole('button', { name: 'Replay them' }).click();
    await page.getByText('1 of alert endpoints retried, 0 remain failed').waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await alertDeliveryIs('sent');
    // Addresses of earlier versions lead here with their filters.
    await page.goto(`${address}/alert-deliveries?status=sent`);
    await showsAttempts(page, { state: 'sent', range: 'all' });
    await page
      .getByRole('row', { name: /Pager/ })
      .getByText(/^sent$/i)
      .waitFor();

    await page.getByRole('row', { name: /Pager/ }).getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: 'Attempt' });
    await drawer.getByText(`POST ${receiver.url}/pager`).waitFor();
    await drawer.getByText('"alert_event_id":').waitFor();
    await drawer.getByRole('row', { name: /^x-service-signature v1=/i }).waitFor();
    await drawer.getByRole('button', { name: 'Retry' }).and(page.locator('[aria-disabled=true]')).waitFor();
    expect(await browser.lookAt('attempt-of-an-alert')).toEqual([]);
    await drawer.getByRole('button', { name: 'Verify in your code' }).click();
    await drawer.getByText('isGenuine', { exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'hidden' });
  });

  itOnDesktop('sends again only the notifications of the chosen alert, and says how many remain', async () => {
    const api = alertEventsOf(app, owner);
    const deliveryOfAlert = async (alert_event_id: string): Promise<Delivery | undefined> =>
      (await alertDeliveries({ alert_event_id })).items[0];
    receiver.answer(400);
    const [chosen, other] = [await api.fire(), await api.fire()];
    for (const id of [chosen, other])
      await eventually(
        () => deliveryOfAlert(id),
        (it) => it?.status === 'failed',
      );
    receiver.answer(200);
    const listed: string[] = [];
    page.on('request', (request) => void listed.push(new URL(request.url()).pathname));
    await page.goto(`${address}/attempts?alert=${chosen}&range=all`);
    await page.getByText('1 of 1, newest first').waitFor();
    listed.splice(0);
    const dialog = page.getByRole('dialog', { name: 'Replay failed since…' });
    await page.getByRole('button', { name: 'Replay failed since…' }).click();
    await dialog.getByText('Every failed notification of the chosen alert').waitFor();
    expect(await browser.lookAt('replay-of-an-alert')).toEqual([]);
    await dialog.getByRole('button', { name: 'Replay them' }).click();
    await dialog.getByText('1 of alert endpoints retried, 0 remain failed').waitFor();
    await eventually(
      () => deliveryOfAlert(chosen),
      (it) => it?.status === 'sent',
    );
    expect((await deliveryOfAlert(other))?.status).toBe('failed');
    expect(listed.filter((path) => path === '/v1/delivery/history')).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    // Each press sends one request. Those of an endpoint that is off remain.
    const { id } = (await api.http.send('get', `/v1/alert-destinations?project_id=${owner.projectId}`)).body[0];
    await api.http.send('post', `/v1/alert-destinations/${id}/disable`);
    await page.goto(`${address}/attempts?alert=${other}&range=all`);
    await page.getByRole('button', { name: 'Replay failed since…' }).click();
    await dialog.getByRole('button', { name: 'Replay them' }).click();
    await dialog.getByText('0 of alert endpoints retried, 1 remain failed').waitFor();
    await dialog.getByText(/^Press again to go on. Those of endpoints that are switched off/).waitFor();
    await api.http.send('post', `/v1/alert-destinations/${id}/enable`);
    await dialog.getByRole('button', { name: 'Replay them' }).click();
    await dialog.getByText('1 of alert endpoints retried, 0 remain failed').waitFor();
    await eventually(
      () => deliveryOfAlert(other),
      (it) => it?.status === 'sent',
    );
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  itOnDesktop('offers no replay for filters that it does not know, and takes no time that is none', async () => {
    const replay = page.getByRole('button', { name: 'Replay failed since…' });
    for (const filters of ['kind=test', 'state=sent', 'state=dlq']) {
      await page.goto(`${address}/attempts?range=all&${filters}`);
      await replay.and(page.locator('[aria-disabled=true]')).waitFor();
    }
    await page.goto(`${address}/attempts?range=all&state=failed`);
    await replay.and(page.locator('[aria-disabled=false]')).click();
    const dialog = page.getByRole('dialog', { name: 'Replay failed since…' });
    const since = dialog.getByLabel('Made since');
    for (const [time, fault] of [
      ['12345-01-01T00:00', 'It is not a time'],
      ['9999-01-01T00:00', 'It lies in the future'],
    ] as const) {
      await since.fill(time);
      await dialog.getByText(fault).waitFor();
      expect(await dialog.getByRole('button', { name: 'Replay them' }).isDisabled()).toBe(true);
    }
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  itOnDesktop('shows that the listing was stopped, and no fault of the connection', async () => {
    await page.goto(`${address}/attempts?range=all`);
    const dialog = page.getByRole('dialog', { name: 'Replay failed since…' });
    await page.getByRole('button', { name: 'Replay failed since…' }).click();
    await page.route('**/v1/delivery/history?*kind=rule_match*', () => undefined);
    await dialog.getByRole('button', { name: 'Replay them' }).click();
    await dialog.getByText('Looking for them…').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('Stopped', { exact: true }).waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  it('creates a webhook with a protected header, tests it and rotates the header', async () => {
    await goTo(page, 'Endpoints');
    const dialog = await newEndpoint('Webhook');
    await dialog.getByLabel('Name').fill('Tickets');
    await dialog.getByLabel('Address').fill(`${receiver.url}/tickets`);
    await dialog.getByLabel('Protected header').fill('Authorization');
    await dialog.locator('input[type=password]').fill(SECRET);
    await dialog.getByLabel('Tries again').fill('0');
    expect(await browser.lookAt('webhook-new')).toEqual([]);
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    const secret = await dialog.getByText(/^whsec_/).textContent();
    expect(await browser.lookAt('signing-secret')).toEqual([]);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Test Tickets' }).click();
    await page.getByText('The test is evidence and stays under Attempts.').waitFor();
    expect(await browser.lookAt('webhook-test')).toEqual([]);
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('It arrived').waitFor();
    const sent = receiver.received.at(-1)!;
    expect(sent.headers.authorization).toBe(SECRET);
    expect(new Webhook(secret!).verify(sent.body, sent.headers as Record<string, string>)).toMatchObject({});
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'More for Tickets' }).click();
    await page.getByRole('menuitem', { name: 'Protected headers' }).click();
    await page.getByRole('button', { name: 'Rotate Authorization' }).click();
    await page.getByRole('dialog').locator('input[type=password]').fill(`${SECRET} anew`);
    expect(await browser.lookAt('protected-headers')).toEqual([]);
    await page.getByRole('button', { name: 'Rotate it' }).click();
    await page.getByRole('button', { name: 'Add it' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('lists alert webhooks and channels together, with their last results and the rules that use them', async () => {
    const [channel] = (await deliveryOf(app, owner).get('/channels')).body;
    await rulesOf(app, owner).create({ name: 'Payments fail', channel_ids: [channel.id] });
    await rulesOf(app, owner).create({ name: 'Refunds fail' });
    await alertsOf(app, owner).destination(`${receiver.url}/unsigned`, { name: 'Unsigned' });
    await page.reload();
    const tickets = page.getByRole('row', { name: /Tickets/ });
    await tickets.getByText('Webhook', { exact: true }).waitFor();
    await tickets.getByText('sent').waitFor();
    await tickets.getByRole('link', { name: 'Payments fail' }).waitFor();
    const pager = page.getByRole('row', { name: /Pager/ });
    await pager.getByText('Alert webhook', { exact: true }).waitFor();
    await pager.getByText('sent').waitFor();
    await pager.getByRole('link', { name: '1 rule that names no endpoint' }).waitFor();
    expect(await browser.lookAt('endpoints')).toEqual([]);
    const verify = page.getByRole('button', { name: 'Verify signatures of Unsigned' });
    await verify.and(page.locator('[aria-disabled=true]')).focus();
    await page.getByRole('tooltip').filter({ hasText: 'Give it a secret first' }).waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog');
    await search.getByPlaceholder('Search pages and everything in the project').fill('Tickets');
    await search.getByRole('button', { name: /^Tickets/ }).click();
    await showsAttempts(page, { endpoint: channel.id, range: 'all' });
    await heading(page, 'Attempts');
    for (const former of ['channels', 'destinations']) {
      await page.goto(`${address}/${former}`);
      await page.waitForURL(`${address}/endpoints`);
      await heading(page, 'Endpoints');
    }
  });

  it('shows code in four languages that verifies the signatures of an endpoint', async () => {
    await page.getByRole('button', { name: 'Verify signatures of Tickets' }).click();
    const dialog = page.getByRole('dialog', { name: 'Verify signatures' });
    const files = { TypeScript: 'verify.ts', Python: 'verify.py', Go: 'verify.go', Java: 'Verify.java' };
    for (const [language, file] of Object.entries(files)) {
      await dialog.getByRole('tab', { name: language }).click();
      const shown = dialog.getByRole('region', { name: `the code in ${language}` });
      const text = await readFile(new URL(`../../../docs/receivers/${file}`, import.meta.url), 'utf8');
      expect(await shown.locator('pre').textContent()).toBe(text);
    }
    expect(await browser.lookAt('verification-code')).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('gives an endpoint a body of its own, and another signing secret', async () => {
    await page.getByRole('button', { name: 'More for Tickets' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Body' }).click();
    await page.getByRole('option', { name: 'Your own JSON' }).click();
    await dialog.getByLabel('JSON', { exact: true }).fill('{"text": ');
    await dialog.getByText('This is not JSON yet').waitFor();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('JSON', { exact: true }).fill('{"text": "{{project.name}}"}');
    expect(await browser.lookAt('webhook-body')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'More for Tickets' }).click();
    await page.getByRole('menuitem', { name: 'Signing secret' }).click();
    await dialog.getByRole('button', { name: 'Make a new secret' }).click();
    const secret = await dialog.getByText(/^whsec_/).textContent();
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Test Tickets' }).click();
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('It arrived').waitFor();
    const sent = receiver.received.at(-1)!;
    const body = new Webhook(secret!).verify(sent.body, sent.headers as Record<string, string>) as { text: string };
    expect(Object.keys(body)).toEqual(['text']);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('shows dead letters, and what may be done with them', async () => {
    const delivery = deliveryOf(app, owner);
    receiver.answer((response) => response.writeHead(500).end('The ticket system is away'));
    const [channel] = (await delivery.get('/channels')).body;
    const letters: string[] = [];
    for (let count = 0; count < 3; count += 1) letters.push(await ruleMatch(app, owner.projectId, channel.id));
    for (const id of letters) await delivery.until(id, ({ is_dlq }) => is_dlq === true);

    await goTo(page, 'Dead letters');
    await page.getByText('3 in all').waitFor();
    expect(await browser.lookAt('dead-letters')).toEqual([]);
    await page.getByRole('button', { name: 'Replay or drain' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Attempt' });
    await drawer.getByText('The ticket system is away').waitFor();
    await drawer.getByRole('row', { name: 'Authorization Protected' }).waitFor();
    await drawer.getByText('It is possible.').first().waitFor();
    expect(await browser.lookAt('dead-letter')).toEqual([]);
    receiver.answer(200);
    await drawer.getByRole('button', { name: 'Replay' }).click();
    await drawer.getByText(/It arrived|It is on its way/).waitFor();
    await drawer.getByRole('button', { name: 'Show the new attempt' }).click();
    await drawer.getByText(/^Replay of/).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Drain these' }).click();
    await page.getByRole('button', { name: 'Drain them' }).click();
    await page.getByText(/^3 of 3 done: .* 0 failed again, 1 refused/).waitFor();
    expect(await browser.lookAt('dead-letters-drained')).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).last().click();
  });

  it('replays all dead letters since a time, and stops when asked to', async () => {
    const delivery = deliveryOf(app, owner);
    receiver.answer(500);
    const channel = await delivery.webhook(`${receiver.url}/bulk`, {
      name: 'Bulk',
      configuration: { retry_policy: { max_attempts: 0 } },
    });
    const letters: string[] = [];
    for (let count = 0; count < 4; count += 1) letters.push(await ruleMatch(app, owner.projectId, channel));
    for (const id of letters) await delivery.until(id, ({ is_dlq }) => is_dlq === true);
    await app.rows(`UPDATE delivery_attempts SET created_at = now() - interval '2 days' WHERE id = $1`, [letters[0]]);
    receiver.answer(200);
    // Addresses of earlier versions name a channel.
    await page.goto(`${address}/dead-letters?channel=${channel}`);
    await page.getByText('4 in all').waitFor();

    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route(/\/replay\?/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Replay all since…' }).click();
    await page.getByRole('button', { name: 'Replay them' }).click();
    await page.getByText('0 of 3 done').waitFor();
    expect(await browser.lookAt('replay-under-way')).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    go();
    await page.getByText(/^Stopped: 1 of 3 done: .* 0 failed again, 0 refused/).waitFor();
    await page.unroute(/\/replay\?/);
    await page.getByRole('button', { name: 'Replay them' }).click();
    await page.getByText(/^2 of 2 done: .* 0 failed again, 0 refused/).waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    // The one that is older than the time stays.
    await page.getByText('replayed', { exact: true }).nth(2).waitFor();
    const lifecycles = await Promise.all(letters.map(async (id) => (await delivery.attempt(id)).lifecycle));
    expect(lifecycles.map((labels) => labels.includes('replay_created'))).toEqual([false, true, true, true]);
  });

  itOnDesktop('says why dead letters of an endpoint that is switched off are not replayed', async () => {
    const delivery = deliveryOf(app, owner);
    const channel = await delivery.webhook(`${receiver.url}/off`, {
      name: 'Off',
      configuration: { retry_policy: { max_attempts: 0 } },
    });
    receiver.answer(500, '/off');
    const letter = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(letter, ({ is_dlq }) => is_dlq === true);
    await delivery.send('patch', `/channels/${channel}`, { enabled: false });
    await page.goto(`${address}/dead-letters?endpoint=${channel}`);
    await page.getByText('1 in all').waitFor();
    await page.getByRole('button', { name: 'Replay all since…' }).click();
    await page.getByRole('button', { name: 'Replay them' }).click();
    await page.getByText('1 of 1 done: 0 sent, 0 on their way, 0 failed again, 1 refused').waitFor();
    await page.getByText('The endpoint is switched off', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await delivery.send('patch', `/channels/${channel}`, { enabled: true });
    receiver.answer(200, '/off');
  });

  itOnDesktop('looks at ten thousand attempts at most, says how many are left, and goes on with them', async () => {
    const created_at = new Date(Date.now() - 3_600_000).toISOString();
    const items = Array.from({ length: 100 }, (_, index) => ({
      id: String(index),
      lifecycle: ['original', 'replay_created'],
      created_at,
    }));
    await page.goto(`${address}/attempts?range=all`);
    let asked = 0;
    const ends = new Set<string | null>();
    await page.route('**/v1/delivery/history?*kind=rule_match*', (route) => {
      asked += 1;
      const end = new URL(route.request().url()).searchParams.get('to_ts');
      ends.add(end);
      const answer = end === null ? { items, total: 10_050 } : { items: items.slice(0, 50), total: 50 };
      return route.fulfill({ json: { ...answer, limit: 100, offset: 0 } });
    });
    await page.getByRole('button', { name: 'Replay failed since…' }).click();
    await page.getByRole('button', { name: 'Replay them' }).click();
    const left = page.getByText(/^50 older ones were left.* Press again to go on with them\.$/);
    await left.waitFor();
    expect(asked).toBe(100);
    await page.getByRole('button', { name: 'Replay them' }).and(page.locator(':enabled:not([data-loading])')).click();
    await left.waitFor({ state: 'detached' });
    await page.getByText(/^0 of 0 done/).waitFor();
    expect(asked).toBe(101);
    expect([...ends]).toEqual([null, new Date(Date.parse(created_at) + 1).toISOString()]);
    // Another time begins with the newest attempts again.
    await page.getByLabel('Made since').fill('2026-01-01T00:00');
    await page.getByRole('button', { name: 'Replay them' }).and(page.locator(':enabled:not([data-loading])')).click();
    await left.waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Close' }).last().click();
  });

  itOnDesktop('offers the replay of an attempt as soon as it has failed', async () => {
    const delivery = deliveryOf(app, owner);
    let fail = (): void => undefined;
    receiver.answer((response) => (fail = () => void response.writeHead(500).end()), '/late');
    const channel = await delivery.webhook(`${receiver.url}/late`, {
      name: 'Late',
      configuration: { retry_policy: { max_attempts: 0 } },
    });
    const id = await ruleMatch(app, owner.projectId, channel);
    await page.goto(`${address}/attempts?attempt=${id}`);
    const drawer = page.getByRole('dialog', { name: 'Attempt' });
    // A send takes five seconds at most, so on a slow machine it may be over before the page is shown.
    await drawer
      .getByText(/^(pending|dead letter)$/)
      .first()
      .waitFor();
    fail();
    await drawer
      .getByRole('button', { name: 'Replay', exact: true })
      .and(page.locator('[aria-disabled=false]'))
      .waitFor();
    receiver.answer(200, '/late');
  });

  it('lists the attempts of all endpoints together, with true totals in any time range', async () => {
    const delivery = deliveryOf(app, owner);
    const total = async (query: object): Promise<number> => (await delivery.get('/history', query)).body.total;
    // Sixty rows need a second page, and the oldest of all is an alert delivery.
    const [channel] = (await delivery.get('/channels')).body;
    const missing = 60 - (await total({}));
    for (let count = 0; count < missing; count += 1) await ruleMatch(app, owner.projectId, channel.id);
    await app.rows(`UPDATE alert_deliveries SET created_at = now() - interval '3 hours' WHERE project_id = $1`, [
      owner.projectId,
    ]);
    const { total: ofAlerts } = await alertDeliveries();
    const all = (await total({})) + ofAlerts;
    await page.goto(`${address}/attempts?range=all`);
    await page.getByText(`50 of ${all}, newest first`).waitFor();
    expect(await browser.lookAt('attempts')).toEqual([]);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(`${all} of ${all}, newest first`).waitFor();
    expect(await page.getByRole('row', { name: /Pager/ }).count()).toBe(ofAlerts);
    const from_ts = new Date(Date.now() - 3_600_000).toISOString();
    const ofHour = await total({ from_ts });
    expect(ofHour).toBeLessThan(all);
    await page.goto(`${address}/attempts?range=1h`);
    await page.getByText(`50 of ${ofHour}, newest first`).waitFor();
    await page.goto(`${address}/attempts?range=all&state=failed`);
    const failed = await total({ status: 'failed', retryable: false });
    await page.getByText(`of ${failed}, newest first`).waitFor();
  });

  it('shows the retries of an attempt', async () => {
    const delivery = deliveryOf(app, owner);
    receiver.answer(503);
    const slow = await delivery.webhook(`${receiver.url}/slow`, { name: 'Slow' });
    const attempt = await ruleMatch(app, owner.projectId, slow);
    await delivery.until(attempt, ({ retry_state }) => retry_state === 'scheduled_retry');
    await page.goto(`${address}/delivery-history?retry=scheduled_retry&channel=${slow}&attempt=${attempt}`);
    await showsAttempts(page, { state: 'retrying', endpoint: slow, attempt, range: 'all' });
    await page.getByText('1 of 1, newest first').waitFor();
    // Failed ones of earlier versions included those with a retry ahead.
    await page.goto(`${address}/delivery-history?status=failed&channel=${slow}&attempt=${attempt}`);
    await showsAttempts(page, { endpoint: slow, attempt, range: 'all' });
    await page.getByText('1 of 1, newest first').waitFor();
    const drawer = page.getByRole('dialog', { name: 'Attempt' });
    await drawer.getByRole('button', { name: 'Retry now' }).click();
    await drawer.getByText(/It was sent, and failed again|It is on its way/).waitFor();
    await drawer.getByText('Answer 503').first().waitFor();
    expect(await browser.lookAt('attempt-with-retries')).toEqual([]);
    await drawer.getByRole('link', { name: 'Its retries' }).click();
    await heading(page, 'Retries');
    await page.getByRole('cell', { name: '503' }).first().waitFor();
    expect(await browser.lookAt('retries')).toEqual([]);
  });
});

describe('an operator', () => {
  it('may replay and create alert webhooks, but neither drain nor change channels', async () => {
    const owner = await ownerWithProject(app);
    const operator = await addMember(app, owner, 'operator');
    const address = await addressOf(app, owner);
    const receiver = await startReceiver(500);
    const delivery = deliveryOf(app, owner);
    const channel = await delivery.webhook(receiver.url, { configuration: { retry_policy: { max_attempts: 0 } } });
    const letter = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(letter, ({ is_dlq }) => is_dlq === true);
    const browser = await openConsole(app, DESKTOP);
    const { page } = browser;
    const refused = (name: string) =>
      page.getByRole('button', { name, exact: true }).and(page.locator('[aria-disabled=true]'));
    await enter(browser, `${address}/dead-letters?attempt=${letter}`, operator);
    await refused('Drain').waitFor();
    await page
      .getByRole('button', { name: 'Replay', exact: true })
      .and(page.locator('[aria-disabled=false]'))
      .waitFor();
    await page.goto(`${address}/endpoints`);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByRole('menuitem', { name: /^E-mail.*Your role here is operator/ }).waitFor();
    expect(await page.getByRole('menuitem', { name: /^E-mail/ }).isDisabled()).toBe(true);
    expect(await page.getByRole('menuitem', { name: /^Slack/ }).isDisabled()).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Test/ }).and(page.locator('[aria-disabled=true]')).waitFor();
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
    await receiver.close();
  });
});

describe('a viewer', () => {
  it('sees endpoints and attempts, and why nothing may be changed', async () => {
    const owner = await ownerWithProject(app);
    const viewer = await addMember(app, owner, 'viewer');
    const address = await addressOf(app, owner);
    const receiver = await startReceiver(500);
    const delivery = deliveryOf(app, owner);
    const channel = await delivery.webhook(receiver.url, { configuration: { retry_policy: { max_attempts: 0 } } });
    const letter = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(letter, ({ is_dlq }) => is_dlq === true);
    const browser = await openConsole(app, DESKTOP);
    const { page } = browser;
    const refused = (name: string | RegExp) =>
      page
        .getByRole('button', { name, exact: typeof name === 'string' })
        .and(page.locator('[aria-disabled=true]'))
        .waitFor();
    await enter(browser, `${address}/endpoints`, viewer);
    await refused('New endpoint');
    await refused(/^Test/);
    await refused(/^More for/);
    await page
      .getByRole('button', { name: /^Verify signatures of/ })
      .and(page.locator('[aria-disabled=false]'))
      .waitFor();
    await page.goto(`${address}/attempts?attempt=${letter}`);
    await refused('Replay');
    await page.keyboard.press('Escape');
    await refused('Replay failed since…');
    await page.goto(`${address}/dead-letters`);
    await refused('Replay all since…');
    await refused('Drain these');
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
    await receiver.close();
  });
});
