/* global document, history, HTMLInputElement, KeyboardEvent */
// Measures how soon the first rows of Logs are drawn, and how soon a filter shows its rows, in addition to the time of
// the service for the same questions.
import { askerOf } from '../filled-project.mjs';
import { goal } from '../goal-table.mjs';
import { median } from '../processes.mjs';
import { signedIn } from '../service.mjs';
import { EVENTS } from '../settings.mjs';
import { openedTab, sameQuestions, signedInContext, timedInPage, watchRequests } from './pages.mjs';

const VIEWPORT = { width: 1440, height: 900 };
const GOALS = { firstRowsMs: 300, filterMs: 100 };
/** The questions whose answers are the rows: a page of events, and then their log rows. */
const OF_ROWS = /^\/v1\/(projects\/[^/]+\/events\?.*limit=200|logs\?)/;

export async function logs(browser, { filled, rounds }) {
  const { service, agent, email, password } = filled;
  const ask = askerOf(service, agent, await signedIn(service, email, password));
  const context = await signedInContext(browser, service, { email, password }, VIEWPORT);
  const base = `${service.url}/console/o/bench/p/large`;
  const openings = [];
  const visits = [];
  for (let round = -1; round < rounds; round += 1) {
    const opening = await opened(context, `${base}/logs?range=24h`, ask);
    const visit = await visited(context, `${base}/dashboards?range=24h`, ask);
    if (round < 0) continue;
    openings.push(opening);
    visits.push(visit);
  }
  const { page, asked } = await openedTab(context, `${base}/logs?range=24h`, areRowsThere);
  const clicks = [];
  const texts = [];
  for (let round = 0; round < rounds; round += 1) {
    clicks.push(await filtered(page, asked, ask, clickOnFacet, round));
    texts.push(await filtered(page, asked, ask, enterText, `/products/${300 + round}`));
  }
  await context.close();
  const title = `Logs of 24 h, ${EVENTS.toLocaleString('en')} events in 30 days`;
  return [
    ...rowsOf(`${title}: first rows after the address is opened`, openings, GOALS.firstRowsMs),
    ...rowsOf(`${title}: first rows after a click in the navigation`, visits, GOALS.firstRowsMs),
    ...rowsOf(`${title}: rows after a click on a value`, clicks, GOALS.filterMs),
    ...rowsOf(`${title}: rows after Enter in the search`, texts, GOALS.filterMs),
  ];
}

function rowsOf(name, measured, most) {
  const middle = (of) => Math.round(median(measured.map(of)));
  const [total, alone] = [middle(({ ms }) => ms), middle(({ alone }) => alone)];
  return [
    goal(
      `${name}, less the answers alone (${total} ms, answers ${alone} ms)`,
      middle((one) => one.ms - one.alone),
      { most },
    ),
  ];
}

/** Opens the address of Logs in a new tab. */
async function opened(context, url, ask) {
  const { page, ms, asked } = await openedTab(context, url, areRowsThere);
  await asked.quiet();
  await page.close();
  return { ms, alone: await sameQuestions(ask, firstOf(asked.paths)) };
}

/** Opens Logs from another page of the console. */
async function visited(context, url, ask) {
  const page = await context.newPage();
  const asked = watchRequests(page);
  await page.goto(url);
  const link = page.getByRole('link', { name: 'Logs', exact: true }).first();
  await link.waitFor();
  await asked.quiet();
  const before = asked.paths.length;
  const ms = await timedInPage(page, clickOnLogs);
  await asked.quiet();
  await page.close();
  return { ms, alone: await sameQuestions(ask, firstOf(asked.paths.slice(before))) };
}

/** Returns the questions of the first page of rows. */
function firstOf(paths) {
  const ofRows = paths.filter((path) => OF_ROWS.test(path));
  const page = ofRows.find((path) => path.includes('/events?'));
  return [page, ...ofRows.filter((path) => path.startsWith('/v1/logs?')).slice(0, 1)];
}

/** Adds a filter, waits for its rows, and removes it again. */
async function filtered(page, asked, ask, act, argument) {
  await asked.quiet();
  const before = asked.paths.length;
  const ms = await timedInPage(page, act, argument);
  await asked.quiet();
  const paths = firstOf(asked.paths.slice(before));
  await page.evaluate(() => history.back());
  await asked.quiet();
  return { ms, alone: await sameQuestions(ask, paths) };
}

/** Runs in the page. */
function areRowsThere() {
  return document.querySelector('.row.entry') !== null;
}

/** Runs in the page, as do the following functions. */
function clickOnLogs() {
  const link = [...document.querySelectorAll('nav a')].find((each) => each.textContent.trim() === 'Logs');
  return { start: () => link.click(), isDone: () => document.querySelector('.row.entry') !== null };
}

/** Chooses the value of a facet. The number of events changes with the rows. */
function clickOnFacet(round) {
  const shown = [...document.querySelectorAll('.facet')].filter((each) => each.offsetParent !== null);
  const list = document.querySelector('.row.entry').closest('[aria-busy]');
  const total = () => list.querySelector('[role=status]').textContent;
  const before = total();
  return {
    start: () => shown[round % shown.length].click(),
    isDone: () => list.getAttribute('aria-busy') !== 'true' && total() !== before,
  };
}

/** Types a text, and starts with the key Enter. */
function enterText(text) {
  const input = [...document.querySelectorAll('input[aria-label=Search]')].find((each) => each.offsetParent !== null);
  const list = document.querySelector('.row.entry').closest('[aria-busy]');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text);
  input.dispatchEvent(new Event('input', { bubbles: true }));
  return {
    start: () => input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })),
    isDone: () => {
      const rows = [...list.querySelectorAll('.row.entry')];
      return rows.length > 0 && rows.every((row) => row.textContent.includes(text));
    },
  };
}
