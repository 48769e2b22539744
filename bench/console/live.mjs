// Measures the memory of a tab that shows live logs, every minute after a garbage collection.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { goal } from '../goal-table.mjs';
import { startService, workspace } from '../service.mjs';
import { signedInContext } from './pages.mjs';

const MINUTES = Number(process.env.BENCH_LIVE_MINUTES ?? 60);
/** The page reads 200 rows every six seconds. With more events than that, it would drop the older rows each time. */
const PER_SECOND = Number(process.env.BENCH_LIVE_EVENTS ?? 25);
const VIEWPORT = { width: 1440, height: 900 };
const GOAL_MB = 150;
const SAMPLE_MS = 60_000;

export async function live(browser) {
  const service = await startService();
  let sender;
  try {
    const owner = await workspace(service);
    const context = await signedInContext(browser, service, owner, VIEWPORT);
    const page = await context.newPage();
    await page.goto(`${service.url}/console/o/bench/p/bench/logs?live=on&range=24h`);
    sender = sendEvents(service, owner.key);
    await page.locator('.row.entry').first().waitFor();
    const samples = await sampled(browser, context, page);
    await context.close();
    await sender.stop();
    return goalsOf(samples);
  } finally {
    await sender?.stop();
    await service.stop();
  }
}

function goalsOf(samples) {
  console.log(`\n| minute | rows | heap, MB | tab, MB | elements |\n|---|---|---|---|---|`);
  for (const one of samples)
    console.log(`| ${one.minute} | ${one.rows} | ${one.heap.toFixed(1)} | ${one.tab.toFixed(1)} | ${one.nodes} |`);
  const title = `live logs, ${MINUTES} min with ${PER_SECOND} events a second`;
  // The list is full in the second half, so that only a leak grows there.
  const half = samples.slice(Math.floor(samples.length / 2));
  const growth = (of) =>
    Number(((of(half.at(-1)) - of(half[0])) / Math.max(1, half.at(-1).minute - half[0].minute)).toFixed(2));
  const most = (of) => Number(Math.max(...samples.map(of)).toFixed(1));
  return [
    goal(
      `${title}: highest heap of the page, MB`,
      most(({ heap }) => heap),
      { most: GOAL_MB },
    ),
    goal(
      `${title}: highest private memory of the tab, MB`,
      most(({ tab }) => tab),
      { most: GOAL_MB },
    ),
    {
      quantity: 'growth of heap and tab in the second half, MB a minute',
      reached: `${growth(({ heap }) => heap)}, ${growth(({ tab }) => tab)}`,
    },
  ];
}

async function sampled(browser, context, page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('HeapProfiler.enable');
  const pid = await rendererOf(browser);
  const samples = [];
  const beganAt = performance.now();
  for (let minute = 0; minute <= MINUTES; minute += 1) {
    await pause(Math.max(0, beganAt + minute * SAMPLE_MS - performance.now()));
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    const { nodes } = await devtools.send('Memory.getDOMCounters');
    const label = await page.locator('.rows.entry').getAttribute('aria-label');
    const sample = { minute, rows: parseInt(label, 10), heap: usedSize / 2 ** 20, tab: privateMegabytes(pid), nodes };
    samples.push(sample);
    process.stdout.write(
      `minute ${minute}: heap ${sample.heap.toFixed(1)} MB, tab ${sample.tab.toFixed(1)} MB, ${sample.rows} rows\n`,
    );
  }
  return samples;
}

/** Returns the process id of the tab. The browser has no other tab. */
async function rendererOf(browser) {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  return renderers.reduce((most, id) => (privateMegabytes(id) > privateMegabytes(most) ? id : most));
}

/** Returns the memory of a process that it shares with no other, as the task manager of Chromium shows it. */
function privateMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return (kilobytes('RssAnon') + kilobytes('VmSwap')) / 1024;
}

/** Sends events each second until `stop`. */
function sendEvents({ url }, key) {
  let sent = 0;
  let isStopped = false;
  const send = async () => {
    for (let turn = 1; !isStopped; turn += 1) {
      const next = pause(1_000);
      const body = Array.from({ length: PER_SECOND }, () => eventOf((sent += 1))).join('\n');
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' };
      const answer = await fetch(`${url}/v1/events/ingest`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      await next;
    }
  };
  const sending = send();
  sending.catch(() => undefined);
  return {
    stop: () => {
      isStopped = true;
      return sending;
    },
  };
}

function eventOf(number) {
  const payload = {
    method: 'GET',
    path: `/row/${number}`,
    status_code: number % 50 === 0 ? 500 : 200,
    latency_ms: number % 300,
  };
  return JSON.stringify({ event_type: 'http.request', source: 'bench', timestamp: new Date().toISOString(), payload });
}
