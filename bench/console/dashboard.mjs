/* global document */
// Measures how soon a dashboard of twelve panels over 30 days is complete, and whether it stays within the rate limits.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { askerOf } from '../filled-project.mjs';
import { goal } from '../goal-table.mjs';
import { median } from '../processes.mjs';
import { signedIn, startService } from '../service.mjs';
import { EVENTS } from '../settings.mjs';
import { openedTab, sameQuestions, signedInContext } from './pages.mjs';

/** All panels are in view, because a panel reads its answer when it comes into view. */
const VIEWPORT = { width: 1440, height: 1700 };
const GOAL_MS = 2_500;
/** The questions of panels, and not those of the page around them. */
const OF_PANELS = /^\/v1\/(analytics|performance|eql)|\/events\?.*limit=50(&|$)/;
/** After this time the rate limits have forgotten all requests. */
const RATE_WINDOW_MS = 61_000;

const analysis = (search) => ({ kind: 'analysis', search });
const figure = (search) => ({ kind: 'figure', search });
const performanceOf = (part, search = {}) => ({ kind: 'performance', part, search });

/** Rollups of hours and days answer these questions. */
const QUESTIONS = {
  Events: figure({ aggregate: 'count' }),
  'Error rate': figure({ aggregate: 'error_rate' }),
  'Events by severity': analysis({ aggregate: 'count', split: 'severity' }),
  'Events by day': analysis({ aggregate: 'count', interval: 'day', compare: 'previous' }),
  'Errors by event': analysis({ aggregate: 'errors', split: 'event' }),
  'Most frequent events': analysis({ ask: 'breakdown', by: 'event' }),
  Environments: analysis({ ask: 'breakdown', by: 'environment' }),
  'Requests in figures': performanceOf('figures'),
  'Latency and errors': performanceOf('charts'),
  // Routes are read from the events themselves, which takes too long for 30 days of so many.
  Endpoints: performanceOf('names', { by: 'endpoint' }),
  'Slowest requests': performanceOf('slowest'),
  'Newest events': { kind: 'logs', search: {} },
};

export async function dashboard(browser, { filled, rounds }) {
  const { service, database, agent, large, email, password } = filled;
  const ask = askerOf(service, agent, await signedIn(service, email, password));
  const view = await createDashboard(database, large);
  try {
    const context = await signedInContext(browser, service, { email, password }, VIEWPORT);
    const [times, alone] = [[], []];
    const url = addressOf(service, view);
    for (let round = -1; round < rounds; round += 1) {
      const { page, ms, asked } = await openedTab(context, url, areAllDrawn);
      await asked.quiet();
      await page.close();
      const answers = await sameQuestions(
        ask,
        asked.paths.filter((path) => OF_PANELS.test(path)),
      );
      if (round < 0) continue;
      times.push(ms);
      alone.push(answers);
      process.stdout.write(
        `dashboard ${round + 1}/${rounds}: ${Math.round(ms)} ms, answers ${Math.round(answers)} ms\n`,
      );
    }
    await context.close();
    const limited = await withRateLimits(browser, filled, view);
    const title = `12 panels over 30 days of ${EVENTS.toLocaleString('en')} events`;
    return [
      goal(`${title}: complete, ms`, Math.round(median(times)), { most: GOAL_MS }),
      goal(`${title}: complete at the latest, ms`, Math.round(Math.max(...times)), { most: GOAL_MS }),
      { quantity: 'the same questions one after another, without a browser, ms', reached: Math.round(median(alone)) },
      goal('refusals by rate limits of a deployment, first opening', limited.first.refusals, { most: 0 }),
      {
        quantity: 'refusals, and time until complete, ms, when it is opened again at once',
        reached: `${limited.second.refusals}, ${Math.round(limited.second.ms)}`,
      },
    ];
  } finally {
    await database.query('DELETE FROM saved_views WHERE id = $1', [view]);
  }
}

const addressOf = ({ url }, view) => `${url}/console/o/bench/p/large/dashboards/${view}?range=30d`;

/** Creates a dashboard by SQL, because the project already has as many saved views as it may. @returns its id */
async function createDashboard(database, projectId) {
  const panels = Object.entries(QUESTIONS).map(([title, question], index) => ({
    id: `panel-${index + 1}`,
    title,
    question,
    layout: { x: (index % 3) * 4, y: Math.floor(index / 3) * 7, w: 4, h: 7 },
  }));
  const id = randomUUID();
  await database.query(
    `INSERT INTO saved_views (id, project_id, name, kind, filters) VALUES ($1, $2, $3, 'dashboard', $4)`,
    [id, projectId, `Dashboard ${id}`, JSON.stringify({ panels })],
  );
  return id;
}

/** Runs in the page. @returns whether no panel loads any more, and each shows an answer */
function areAllDrawn() {
  const panels = [...document.querySelectorAll('.panel-body')];
  return (
    panels.length === 12 &&
    panels.every(
      (panel) =>
        panel.getAttribute('aria-busy') !== 'true' &&
        panel.querySelector('[role=status][aria-label=Loading]') === null &&
        panel.querySelector('canvas, table, .row, .numbers') !== null &&
        !panel.textContent.includes('…'),
    )
  );
}

/** Opens the dashboard twice on a process with the rate limits of a deployment. */
async function withRateLimits(browser, { database, service: { dataDir }, env, email, password }, view) {
  const service = await startService({
    databaseUrl: database.url,
    dataDir,
    env: { ...env, RATE_LIMIT_OVERRIDES: '' },
  });
  try {
    const context = await signedInContext(browser, service, { email, password }, VIEWPORT);
    await pause(RATE_WINDOW_MS);
    const [first, second] = [await opening(), await opening()];
    await context.close();
    return { first, second };

    async function opening() {
      const { page, ms, asked } = await openedTab(context, addressOf(service, view), areAllDrawn);
      await asked.quiet();
      await page.close();
      return { ms, refusals: asked.statuses.filter((status) => status === 429).length };
    }
  } finally {
    await service.stop();
  }
}
