import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject, PASSWORD } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, faultsOf, heading, onDesktop, SCREENS, signIn } from '../../support/console-pages.js';

/** What the program of the page leaves of the form that the build has drawn. */
const BY_BUILD = '#root[data-drawn-by-build]';
const BY_PROGRAM = '#root:not([data-drawn-by-build])';
const SECRET = 'input[name=password]';

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp();
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
});
afterAll(() => app.close());

describe.each(SCREENS)('the sign-in page, before its program is there, on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let letCome: () => void;

  beforeEach(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    const mayCome = new Promise<void>((resolve) => (letCome = resolve));
    await page.route(/\/assets\/first-[^/]*\.js$/, async (route) => {
      await mayCome;
      await route.continue();
    });
    await page.goto(`${app.url}/console/login?next=${encodeURIComponent(address.slice(`${app.url}/console`.length))}`, {
      waitUntil: 'commit',
    });
    await page.locator(`${BY_BUILD} ${SECRET}`).waitFor();
    // It has the focus of itself, once it is drawn.
    await page.locator(`${BY_BUILD} input[name=username]:focus`).waitFor();
  });
  afterEach(async () => {
    letCome();
    await browser.close();
  });

  itOnDesktop('takes what is written and sent', async () => {
    await signIn(page, owner.email);
    expect(page.url()).not.toContain('username');
    letCome();
    await heading(page, 'Web shop');
    expect(await faultsOf(browser)).toEqual([]);
  });

  itOnDesktop('goes on where somebody is writing', async () => {
    await page.keyboard.type(owner.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD.slice(1));
    await page.keyboard.press('Home');
    letCome();
    await page.locator(`${BY_PROGRAM} ${SECRET}`).waitFor();
    await page.keyboard.type(PASSWORD.slice(0, 1));
    await page.keyboard.press('Enter');
    await heading(page, 'Web shop');
    expect(await faultsOf(browser)).toEqual([]);
  });

  itOnDesktop('keeps the focus at what leads elsewhere, and where somebody wanted to go', async () => {
    const link = page.getByRole('link', { name: 'Register' });
    await link.focus();
    letCome();
    await page.locator(`${BY_PROGRAM} ${SECRET}`).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Register');
    expect(new URL(page.url()).searchParams.get('next')).toContain('/o/');
    expect(await faultsOf(browser)).toEqual([]);
  });

  itOnDesktop('leads to the registration by itself', async () => {
    await page.getByRole('link', { name: 'Register' }).click();
    await page.waitForURL(/\/console\/register/, { waitUntil: 'commit' });
    expect(new URL(page.url()).searchParams.get('next')).toContain('/o/');
  });

  itOnDesktop('has no button of companies where no organization has a sign-in of its own', async () => {
    const button = page.getByRole('button', { name: 'Sign in with your company' });
    expect(await button.count()).toBe(0);
    const asked = page.waitForResponse(`${app.url}/sso/providers`);
    letCome();
    expect(await (await asked).json()).toEqual({ providers: [], by_address: false });
    await page.locator(`${BY_PROGRAM} ${SECRET}`).waitFor();
    expect(await button.count()).toBe(0);
    expect(await faultsOf(browser)).toEqual([]);
  });

  it('looks as it does afterwards', async () => {
    const animations = 'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))';
    const places = () =>
      page.evaluate<unknown>(`${animations}.then(() => [...document.querySelectorAll('#root :is(h1, label, input, button, a)')].filter((each) => each.checkVisibility()).map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        const { color, backgroundColor, fontSize, fontWeight, borderColor } = getComputedStyle(each);
        return [each.textContent, x, y, width, height, color, backgroundColor, fontSize, fontWeight, borderColor];
      }))`);
    const before = await places();
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('username');
    letCome();
    await page.locator(`${BY_PROGRAM} ${SECRET}`).waitFor();
    expect(await places()).toEqual(before);
    expect(await browser.lookAt('sign-in')).toEqual([]);
    expect(await faultsOf(browser)).toEqual([]);
  });
});

describe('the sign-in page of a service on which an organization has a sign-in of its own', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  const button = (drawn: string) => page.locator(drawn).getByRole('button', { name: 'Sign in with your company' });

  beforeAll(async () => {
    await app.rows(
      `INSERT INTO sso_domains (id, organization_id, domain, challenge, verified_at, verified_by)
       VALUES ($1, $2, 'acme.example', 'challenge', now(), 'dns')`,
      [randomUUID(), owner.organizationId],
    );
    await app.rows(
      `INSERT INTO sso_connections (id, organization_id, protocol, label, issuer, client_id)
       VALUES ($1, $2, 'oidc', 'Acme', 'https://id.acme.example', 'events')`,
      [randomUUID(), owner.organizationId],
    );
    browser = await openConsole(app, DESKTOP);
    ({ page } = browser);
  });
  afterAll(async () => {
    await browser.close();
    await app.rows('DELETE FROM sso_connections');
    await app.rows('DELETE FROM sso_domains');
  });

  it('has a button that asks for the address, before its program is there too once the service knows', async () => {
    await page.goto(`${app.url}/console/login`);
    await button(BY_PROGRAM).waitFor();
    expect(await browser.lookAt('sign-in-other-companies')).toEqual([]);
    let letCome = () => {};
    const mayCome = new Promise<void>((resolve) => (letCome = resolve));
    await page.route(/\/assets\/first-[^/]*\.js$/, async (route) => {
      await mayCome;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await button(BY_BUILD).click();
    letCome();
    await heading(page, 'Sign in with your company');
    await page.getByRole('button', { name: 'Sign in another way' }).click();
    await button(BY_PROGRAM).waitFor();
    expect(await faultsOf(browser)).toEqual([]);
  });
});

it('is drawn in the colours that a person has chosen, or else the system', async () => {
  const browser = await openConsole(app, DESKTOP);
  const { page } = browser;
  const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme');
  try {
    await page.route(/\/assets\/first-[^/]*\.js$/, (route) => route.abort());
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${app.url}/console/login`);
    expect(await scheme()).toBe('dark');
    await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'light')`);
    await page.reload();
    expect(await scheme()).toBe('light');
    await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'auto')`);
    await page.reload();
    expect(await scheme()).toBe('dark');
  } finally {
    await browser.close();
  }
});
