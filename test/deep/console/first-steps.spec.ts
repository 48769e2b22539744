import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { parse } from 'yaml';
import { addMember, type Owner, ownerWithProject, PASSWORD, randomEmail } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { waitForMails } from '../../support/outbox.js';

const run = promisify(execFile);
const has = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;

/** The samples, by the title of their tab, with the description of their code. */
const SAMPLES = {
  curl: 'the curl command',
  TypeScript: 'the TypeScript program',
  Python: 'the Python program',
  Go: 'the Go program',
  OpenTelemetry: 'the OpenTelemetry variables',
  Collector: 'the collector configuration',
  Browser: 'the script of a web page',
};
type Title = keyof typeof SAMPLES;

let app: TestApp;
let owner: Owner;

beforeAll(async () => {
  app = await createTestApp();
  owner = await ownerWithProject(app);
});
afterAll(() => app.close());

describe.each(SCREENS)('the page of the first event on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let key: string;

  beforeEach(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    owner = await ownerWithProject(app);
    await enter(browser, `${await addressOf(app, owner)}/first-event`, owner);
    await heading(page, 'Send the first event');
    await page.getByRole('button', { name: 'Make a key' }).click();
    key = (await page.getByRole('region', { name: 'the key' }).innerText()).trim();
  });
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
  });

  /** Opens the tab and returns the code that its button copies. */
  async function copied(title: Title): Promise<string> {
    await page.getByRole('tab', { name: title, exact: true }).click();
    await page.getByRole('button', { name: `Copy ${SAMPLES[title]}` }).click();
    return page.evaluate<string>('navigator.clipboard.readText()');
  }

  it('lets nobody leave with a key that is not kept, unless they say so', async () => {
    const dialog = page.getByRole('dialog', { name: 'Leave without the key?' });
    await page.getByRole('listitem').filter({ hasText: 'A dashboard' }).getByRole('link').click();
    await dialog.waitFor();
    expect(await browser.lookAt('first-event-leave')).toEqual([]);
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await page.getByRole('region', { name: 'the key' }).innerText()).trim()).toBe(key);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'I have kept it' }).waitFor({ state: 'hidden' });
    await page.getByRole('listitem').filter({ hasText: 'A dashboard' }).getByRole('link').click();
    await heading(page, 'Dashboards');
  });

  it('copies every sample with the address and the key', async () => {
    for (const title of Object.keys(SAMPLES) as Title[]) {
      const code = await copied(title);
      // Web pages take a key of another kind.
      expect(code).toContain(title === 'Browser' ? 'YOUR_BROWSER_KEY' : key);
      expect(code).toContain(app.url);
      expect((await page.getByRole('region', { name: SAMPLES[title] }).innerText()).trim()).toBe(code.trim());
      expect(await browser.lookAt(`first-event-${title.toLowerCase()}`)).toEqual([]);
      // No tab is cut off.
      const tabs = await page.getByRole('tab').all();
      const boxes = await Promise.all(tabs.map((tab) => tab.boundingBox()));
      for (const box of boxes) expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThan(screen.viewport.width);
    }
  });

  itOnDesktop('has variables that a shell reads, and a configuration whose exporter sends to the intake', async () => {
    const { stdout } = await run('bash', ['-c', `${await copied('OpenTelemetry')}\nenv`], { env: {} });
    expect(stdout).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${app.url}/intake/otlp\n`);
    expect(stdout).toContain(`OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}\n`);
    expect(parse(await copied('Collector'))).toMatchObject({
      exporters: { otlp_http: { endpoint: `${app.url}/intake/otlp`, headers: { 'X-API-Key': key } } },
    });
  });

  /** How a program runs code, by the title of its tab. */
  const programs: readonly [Title, boolean, readonly string[]][] = [
    ['curl', has('curl', '--version'), ['bash', '-c']],
    ['TypeScript', true, [process.execPath, '--input-type=module', '--eval']],
    ['Python', has('python3', '--version'), ['python3', '-c']],
    // The program is a file for Go.
    ['Go', has('go', 'version'), ['bash', '-c', 'cat > "$1/main.go" <<< "$2" && go run "$1/main.go"', 'bash']],
  ];
  for (const [title, isPresent, [program = '', ...words]] of programs) {
    if (!isPresent) continue;
    itOnDesktop(`shows the event that the sample of ${title} sends`, async () => {
      const folder = title === 'Go' ? [await mkdtemp(join(tmpdir(), 'first-event-'))] : [];
      await run(program, [...words, ...folder, await copied(title)]);
      await page.getByText('from web').waitFor();
      await page.getByText('http.request').first().waitFor();
      for (const path of folder) await rm(path, { recursive: true });
    });
  }

  it('makes a browser key, with which the script of a web page sends from that site alone', async () => {
    let script = '';
    const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(script));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    await page.getByRole('tab', { name: 'Browser' }).click();
    await page.getByLabel('Site').fill(origin);
    await page.getByRole('button', { name: 'Make a browser key' }).click();
    await page.getByText('oesb_').waitFor();
    script = await copied('Browser');
    expect(await browser.lookAt('first-event-browser-key')).toEqual([]);
    const visit = await browser.context.newPage();
    await visit.goto(origin);
    await page.getByText('page.viewed').first().waitFor();
    await visit.close();
    site.close();
  });

  it('sends a test event, shows its arrival and opens it in the logs', async () => {
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('The service stored the test event.').waitFor();
    const arrived = page.getByRole('region', { name: 'See it arrive' });
    await arrived.getByText('test.event').waitFor();
    await arrived.getByText('from console').waitFor();
    expect(await browser.lookAt('first-event-test')).toEqual([]);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await arrived.getByRole('link', { name: 'Open in Logs' }).click();
    await heading(page, 'Logs');
    await page.getByText('The first steps sent this event.').first().waitFor();
    // An event of the console is none of the person's program.
    await page.goBack();
    await stepOf('An event from your program', 'open');
  });

  itOnDesktop('says how many sample events it sends and that they count, and sends that many', async () => {
    await page.getByText(/200 sample events .* count as usage of your plan/).waitFor();
    await page.getByRole('button', { name: 'Send 200 sample events' }).click();
    await page.getByText('The service stored 200 sample events.').waitFor();
    const counts = await app
      .request()
      .get(`/v1/events/counts?project_id=${owner.projectId}&range=24h`)
      .set('Authorization', owner.bearer)
      .expect(200);
    expect(counts.body).toMatchObject({ total_events: 200 });
    await page.getByRole('button', { name: 'Send 200 sample events' }).click({ force: true });
    await page.getByText('The sample events were sent').waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('link', { name: 'Open them in Logs' }).click();
    await heading(page, 'Logs');
    await page.getByText('200 events').first().waitFor();
    expect(await browser.lookAt('first-event-samples')).toEqual([]);
  });

  function stepOf(title: string, state: 'done' | 'open'): Promise<void> {
    return page
      .getByRole('listitem')
      .filter({ hasText: `${title} · ${state}` })
      .waitFor();
  }

  it('lists what is set up, as the API has it, until the list is hidden', async () => {
    for (const title of ['A project', 'A key']) await stepOf(title, 'done');
    const missing = ['An event from your program', 'An endpoint', 'An alert rule', 'A second person', 'A dashboard'];
    for (const title of missing)
      await page.getByRole('listitem').filter({ hasText: title }).getByText('open').waitFor();
    await page.getByText('2 of 7 steps are done.').waitFor();

    const send = (path: string, body: object) =>
      app.request().post(path).set('Authorization', owner.bearer).send(body).expect(201);
    const { projectId: project_id, organizationId } = owner;
    await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .send({ event_type: 'order.placed', source: 'shop' })
      .expect(200);
    await stepOf('An event from your program', 'done');
    const target_url = 'https://receiver.example.com/';
    await send('/v1/alert-destinations', { project_id, type: 'webhook', name: 'Receiver', target_url });
    const condition = { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'order.placed' }] };
    await send('/v1/alert-rules', { project_id, name: 'Orders', condition });
    await send(`/v1/organizations/${organizationId}/invites`, { email: randomEmail(), role: 'viewer' });
    await send(`/v1/projects/${project_id}/saved-views`, { name: 'Shop', kind: 'dashboard', filters: { panels: [] } });

    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.goto(await addressOf(app, owner));
    await page.getByText('The project is set up.').waitFor();
    for (const title of ['An endpoint that is notified', 'A second person', 'A dashboard']) await stepOf(title, 'done');
    await page.getByRole('button', { name: 'Hide', exact: true }).scrollIntoViewIfNeeded();
    expect(await browser.lookAt('checklist-done')).toEqual([]);
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Show the checklist' }).click();
    await heading(page, 'Checklist');
  });
});

describe.each(SCREENS)('the page of the first event for a viewer on $device', ({ screen }) => {
  it('offers nothing that the service refuses, and says why', async () => {
    const browser = await openConsole(app, screen);
    const { page } = browser;
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    const mine = await ownerWithProject(app);
    const viewer = await addMember(app, mine, 'viewer');
    await enter(browser, `${await addressOf(app, mine)}/first-event`, viewer);
    const why = /Your role here is viewer; it takes owner or admin/;
    for (const name of ['Make a key', 'Send a test event', 'Send 200 sample events']) {
      const button = page.getByRole('button', { name });
      await eventually(
        () => button.getAttribute('aria-disabled'),
        (state) => state === 'true',
      );
      await button.focus();
      await eventually(
        () => page.getByRole('tooltip').allInnerTexts(),
        (texts) => texts.some((text) => why.test(text)),
      );
    }
    for (const title of ['An endpoint that is notified', 'An alert rule', 'A dashboard']) {
      const step = page.getByRole('listitem').filter({ hasText: title });
      await step.getByText('Your role here is viewer').waitFor();
      expect(await step.getByRole('link').count()).toBe(0);
    }
    expect(await browser.lookAt('first-event-viewer')).toEqual([]);
    expect([refused, await faultsOf(browser)]).toEqual([[], []]);
    await browser.close();
  });
});

describe('a newcomer', () => {
  it('gets by the screen alone from the registration to an event of their own program', async () => {
    const browser = await openConsole(app, DESKTOP);
    const { page } = browser;
    const email = randomEmail();
    await page.goto(`${app.url}/console`);
    await page.getByRole('link', { name: 'Register' }).click();
    // The sign-in page has fields of the same names.
    await heading(page, 'Register');
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Register' }).click();
    await heading(page, 'Check your mail');
    const [mail] = await waitForMails(app.dataDir, email, 1);
    const link = /http\S+\/verify-email\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    await page.goto(link.replace(/^http:\/\/[^/]+/, app.url));
    await page.getByRole('button', { name: 'Confirm' }).click();
    // The address is filled in, and the password has the focus.
    await page.locator('input[name=password]:focus').waitFor();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the organization').fill('Newcomers');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the project').fill('My shop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByRole('region', { name: 'the key' }).waitFor();
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    const program = await page.getByRole('region', { name: SAMPLES.TypeScript }).innerText();
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toMatch(/^200 /);
    const arrived = page.getByRole('region', { name: 'See it arrive' });
    await arrived.getByText('from web').waitFor();
    await page.getByText('3 of 7 steps are done.').waitFor();
    expect(await browser.lookAt('newcomer')).toEqual([]);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await arrived.getByRole('link', { name: 'Open in Logs' }).click();
    await page.getByText('/cart').first().waitFor();
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
  });
});
