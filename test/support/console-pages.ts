import { it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Actor, type Owner, PASSWORD } from './actors.js';
import type { TestApp } from './app.js';
import type { Screen } from './chromium.js';
import type { ConsoleBrowser } from './console-browser.js';

/** Every page is tested on these screen sizes. */
export const DESKTOP = { viewport: { width: 1280, height: 800 }, isMobile: false };
export const SCREENS = [
  { device: 'a desktop', screen: DESKTOP },
  { device: 'a phone', screen: { viewport: { width: 390, height: 844 }, isMobile: true } },
];

/**
 * Returns `it` for behaviour that does not depend on the size of the screen: requests, answers, addresses, the content
 * of files. Tests of layout, navigation and touch run on all sizes.
 */
export function onDesktop({ isMobile }: Screen): (title: string, test: () => Promise<void>) => void {
  return isMobile ? () => undefined : it;
}

/** Waits until the heading of a page, or of a part of one, is visible. */
export function heading(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { name, exact: true }).waitFor();
}

/** Submits the form of the sign-in page, which must be open. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Returns the address of the overview of an owner's project. */
export async function addressOf(app: TestApp, { organizationId, projectId }: Owner): Promise<string> {
  const [row] = await app.rows<{ organization: string; project: string }>(
    'SELECT o.slug AS organization, p.slug AS project FROM organizations o, projects p WHERE o.id = $1 AND p.id = $2',
    [organizationId, projectId],
  );
  return `${app.url}/console/o/${row?.organization}/p/${row?.project}`;
}

/** Opens an address with the session cookie of an earlier sign-in. */
export async function enter(browser: ConsoleBrowser, address: string, actor: Actor): Promise<void> {
  await browser.context.clearCookies();
  await browser.context.addCookies([
    {
      name: 'console_session',
      value: actor.refreshToken,
      url: `${new URL(address).origin}/console/session`,
      httpOnly: true,
      sameSite: 'Strict',
    },
  ]);
  await browser.page.goto(address);
}

/**
 * Opens an address in a page of the console that is signed in, without a new load of its program. That takes a third of
 * the processor time of `page.goto`. A missing page in between removes everything that the page before has drawn.
 */
export async function visit(page: Page, address: string): Promise<void> {
  const { origin } = new URL(address);
  await page.evaluate(`history.pushState(null, '', '${origin}/console/missing')`);
  await heading(page, 'There is no such page');
  await page.evaluate(`history.replaceState(null, '', ${JSON.stringify(address)})`);
  await page.getByRole('heading', { name: 'There is no such page', exact: true }).waitFor({ state: 'hidden' });
}

/** The areas of a project whose name is not that of their first page, and the pages that are tabs of an area. */
const AREA_OF: ReadonlyMap<string, string> = new Map([
  ['Overview', 'Home'],
  ['Analytics', 'Explore'],
  ['Query', 'Explore'],
  ['Alert rules', 'Alerts'],
  ['Silences', 'Alerts'],
  ...['Attempts', 'Endpoints', 'Dead letters', 'Retries'].map((page) => [page, 'Deliveries'] as const),
  ['Sources', 'Sources & keys'],
  ['API keys', 'Sources & keys'],
  ...['Secrets', 'Files', 'Project members', 'Activity', 'Members', 'Invitations', 'Sign-in', 'Billing'].map(
    (page) => [page, 'Settings'] as const,
  ),
]);

/** The width from which the navigation is always shown, in pixels. */
const WIDE = 768;

/** Follows the links to a page. On a phone the navigation is behind a button. The page may still be loading. */
export async function follow(page: Page, name: string): Promise<void> {
  if ((page.viewportSize()?.width ?? WIDE) < WIDE) await page.getByRole('button', { name: 'Navigation' }).click();
  const area = AREA_OF.get(name);
  // The number of open alerts belongs to the name of a link.
  const entry = new RegExp(`^${area ?? name}( \\d+\\+?)?$`);
  await page
    .getByRole('navigation', { name: /^Pages of the/ })
    .getByRole('link', { name: entry })
    .click();
  if (area === undefined || area === 'Home') return;
  const tabs = page.getByRole('navigation', { name: `Pages of ${area}` });
  await tabs.getByRole('link', { name, exact: true }).click();
}

/** Opens a page through the navigation and waits for its heading. */
export async function goTo(page: Page, name: string): Promise<void> {
  await follow(page, name);
  await heading(page, name);
}

/** Returns the faults that no page may have, whatever its content. */
export async function faultsOf(browser: ConsoleBrowser, secrets: readonly string[] = []): Promise<string[]> {
  const { page, faults } = browser;
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  const kept = await browser.kept();
  return [
    ...faults,
    ...(width === page.viewportSize()?.width ? [] : [`the page is ${width} wide`]),
    ...[PASSWORD, 'eyJ', 'oes_', 'oesb_', 'console_session', ...secrets]
      .filter((secret) => kept.includes(secret))
      .map((secret) => `the browser keeps ${secret}`),
  ];
}
