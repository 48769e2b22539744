// Measures the console in Chromium: its first page, a dashboard and the logs of a large project, the memory of live
// logs, and frames of a chart.
import { launchBrowser } from '../scripts/chromium.mjs';
import { chart } from './console/chart.mjs';
import { dashboard } from './console/dashboard.mjs';
import { firstPage } from './console/first-page.mjs';
import { live } from './console/live.mjs';
import { logs } from './console/logs.mjs';
import { startFilledProject } from './filled-project.mjs';
import { print } from './goal-table.mjs';
import { facts, watchOthers } from './machine.mjs';

/** This bench needs Chromium, so it runs only when it is named. */
export const onlyByName = true;

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const PARTS = { 'first-page': firstPage, chart, live, dashboard, logs };
/** These parts measure the large project. */
const OF_FILLED = ['dashboard', 'logs'];

/** `npm run bench -- console [part …]` measures the named parts, or all of them. */
export async function run(names = []) {
  const wanted = names.length === 0 ? Object.keys(PARTS) : names;
  const unknown = wanted.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new Error(`console has no part ${unknown}, only ${Object.keys(PARTS).join(', ')}`);
  const filled = wanted.some((name) => OF_FILLED.includes(name)) ? await startFilledProject() : undefined;
  try {
    for (const name of wanted) await measured(name, filled);
  } finally {
    await filled?.stop();
  }
}

async function measured(name, filled) {
  await filled?.server.checkpoint();
  const browser = await launchBrowser();
  try {
    const others = watchOthers();
    const rows = await PARTS[name](browser, { filled, rounds: ROUNDS });
    console.log(
      `\n${facts()}, Chromium ${browser.version()}, ${ROUNDS} rounds; other processes used ${others().toFixed(2)} cores`,
    );
    print(
      name,
      rows.map(({ quantity, reached, goal = '', met = '' }) => ({ quantity, reached, goal, met })),
    );
  } finally {
    await browser.close();
  }
}
