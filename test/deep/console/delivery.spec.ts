import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, goTo, heading, SCREENS } from '../../support/console-pages.js';
import { DELIVERY_ENV, deliveryOf, ruleMatch } from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';

const SECRET = 'a-secret-of-the-receiver';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: DELIVERY_ENV });
});
afterAll(() => app.close());

describe.each(SCREENS)('delivery on $device', ({ screen }) => {
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

  it('makes a destination, tests it and switches it off', async () => {
    await goTo(page, 'Destinations');
    await page.getByText('Nobody is told yet').waitFor();
    await page.getByRole('button', { name: 'New destination' }).click();
    const dialog = page.getByRole('dialog', { name: 'New destination' });
    await dialog.getByLabel('Name').fill('Pager');
    await dialog.getByLabel('Address').fill(`${receiver.url}/pager`);
    await dialog.locator('input[type=password]').fill(SECRET);
    expect(await browser.lookAt('destination-new')).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the destination' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Test Pager' }).click();
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('It arrived').waitFor();
    expect(await browser.lookAt('destination-test')).toEqual([]);
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
    expect(await browser.lookAt('destinations')).toEqual([]);
    await page.getByRole('switch', { name: 'Pager is on' }).press('Space');
    await page.locator('input[role=switch]:checked').waitFor({ state: 'attached' });
  });

  it('shows what was told, and tells it again', async () => {
    receiver.answer(400);
    // The page of a list is no filter.
    await page.goto(`${address}/alert-deliveries?page=2`);
    await page.getByText('Nothing was told yet').waitFor();
    await alertEventsOf(app, owner).fire();
    await page.goto(`${address}/alert-deliveries?page=2`);
    await page.getByText('Nothing on this page').waitFor();
    expect(await browser.lookAt('alert-deliveries-past-the-end')).toEqual([]);
    await page.getByRole('button', { name: 'To the first page' }).click();
    await page.getByRole('cell', { name: /failed/ }).waitFor();
    expect(await browser.lookAt('alert-deliveries')).toEqual([]);
    receiver.answer(200);
    await page.getByRole('button', { name: 'Retry failed ones' }).click();
    await page.getByRole('button', { name: 'Retry them' }).click();
    await page.getByText('1 begun anew').waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.goto(`${address}/alert-deliveries?status=sent`);
    await page.getByRole('cell', { name: /sent/ }).waitFor();

    await page.getByRole('button', { name: 'Details' }).click();
    const drawer = page.getByRole('dialog', { name: 'Alert delivery' });
    await drawer.getByText(`POST ${receiver.url}/pager`).waitFor();
    await drawer.getByText('"alert_event_id":').waitFor();
    expect(await browser.lookAt('alert-delivery')).toEqual([]);
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'hidden' });
  });

  it('tells again as many as had failed, and not those that fail meanwhile', async () => {
    let asked = 0;
    await page.route('**/retry-failed', (route) => {
      asked += 1;
      return route.fulfill({ json: { retried: 2, remaining: 4 } });
    });
    await page.getByRole('button', { name: 'Retry failed ones' }).click();
    await page.getByRole('button', { name: 'Retry them' }).click();
    await page.getByText('6 begun anew', { exact: true }).waitFor();
    expect(asked).toBe(3);
    await page.unroute('**/retry-failed');
    await page.getByRole('button', { name: 'Close' }).last().click();
  });

  it('makes a channel with a protected header, tests it and rotates the header', async () => {
    await goTo(page, 'Channels');
    await page.getByText('No channel yet').waitFor();
    await page.getByRole('button', { name: 'New channel' }).click();
    const dialog = page.getByRole('dialog', { name: 'New channel' });
    await dialog.getByLabel('Name').fill('Tickets');
    await dialog.getByLabel('Address').fill(`${receiver.url}/tickets`);
    await dialog.getByLabel('Protected header').fill('Authorization');
    await dialog.locator('input[type=password]').fill(SECRET);
    await dialog.getByLabel('Tries again').fill('0');
    expect(await browser.lookAt('channel-new')).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the channel' }).click();
    const secret = await dialog.getByText(/^whsec_/).textContent();
    expect(await browser.lookAt('channel-secret')).toEqual([]);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Test Tickets' }).click();
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
    expect(await browser.lookAt('channels')).toEqual([]);
  });

  it('gives a channel a body of its own, and another signing secret', async () => {
    await page.getByRole('button', { name: 'More for Tickets' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Body' }).click();
    await page.getByRole('option', { name: 'Your own JSON' }).click();
    await dialog.getByLabel('JSON', { exact: true }).fill('{"text": ');
    await dialog.getByText('This is not JSON yet').waitFor();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('JSON', { exact: true }).fill('{"text": "{{project.name}}"}');
    expect(await browser.lookAt('channel-body')).toEqual([]);
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
    await page.getByRole('button', { name: 'What may be done' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Attempt' });
    await drawer.getByText('The ticket system is away').waitFor();
    await drawer.getByRole('row', { name: 'Authorization Protected' }).waitFor();
    await drawer.getByText('It can be done.').first().waitFor();
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
    await page.getByText(/^3 of 3 done: 2 sent, 0 not taken, 1 left/).waitFor();
    expect(await browser.lookAt('dead-letters-drained')).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).last().click();
  });

  it('shows what was sent and what was tried again', async () => {
    await goTo(page, 'Delivery history');
    await page.getByRole('cell', { name: 'Tickets' }).first().waitFor();
    expect(await browser.lookAt('history')).toEqual([]);
    const delivery = deliveryOf(app, owner);
    receiver.answer(503);
    const slow = await delivery.webhook(`${receiver.url}/slow`, { name: 'Slow' });
    const attempt = await ruleMatch(app, owner.projectId, slow);
    await delivery.until(attempt, ({ retry_state }) => retry_state === 'scheduled_retry');
    await page.goto(`${address}/delivery-history?retry=scheduled_retry&attempt=${attempt}`);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText(/It was sent, and not taken|It is on its way/).waitFor();
    await page.getByRole('link', { name: 'Its retries' }).click();
    await heading(page, 'Retries');
    await page.getByRole('cell', { name: '503' }).first().waitFor();
    expect(await browser.lookAt('retries')).toEqual([]);
  });
});

describe('an operator', () => {
  it('may replay, but neither drain nor change channels', async () => {
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
    await page.getByRole('button', { name: 'Replay' }).and(page.locator('[aria-disabled=false]')).waitFor();
    await page.goto(`${address}/channels`);
    await refused('New channel').waitFor();
    await page.getByRole('button', { name: /^Test/ }).and(page.locator('[aria-disabled=true]')).waitFor();
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
    await receiver.close();
  });
});
