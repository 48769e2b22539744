/* global requestAnimationFrame, window */
// Measures frames while the pointer moves over a chart of 20 series with 1,500 points each, and drags over it.
import { goal } from '../goal-table.mjs';
import { startService, workspace } from '../service.mjs';
import { signedInContext } from './pages.mjs';

const SERIES = 20;
const POINTS = 1_500;
const MINUTE_MS = 60_000;
const VIEWPORT = { width: 1440, height: 900 };
const GOAL_FRAMES = 50;
/** How long the pointer moves in each measurement. */
const MOVING_MS = 5_000;
const STEP_PX = 7;
const ZOOMS = 5;
/** The aggregate decides the shape. */
const SHAPES = { lines: 'p95', 'stacked bars': 'count' };
const ACTS = { hovering: hover, dragging: drag, 'zooming in': zoom };

export async function chart(browser) {
  const service = await startService();
  try {
    const context = await signedInContext(browser, service, await workspace(service), VIEWPORT);
    const rows = [];
    for (const [shape, aggregate] of Object.entries(SHAPES)) {
      for (const [name, act] of Object.entries(ACTS)) {
        const page = await chartPage(context, service, aggregate);
        const { perSecond, longest } = await framesDuring(page, act);
        await page.close();
        const title = `${SERIES} series × ${POINTS.toLocaleString('en')} points, ${shape}: ${name}`;
        const quantity = `${title}, frames a second (longest frame ${Math.round(longest)} ms)`;
        rows.push(goal(quantity, Number(perSecond.toFixed(1)), { least: GOAL_FRAMES }));
      }
    }
    await context.close();
    return rows;
  } finally {
    await service.stop();
  }
}

/** Opens Analytics, with an answer of the service in its place. */
async function chartPage(context, { url }, aggregate) {
  const page = await context.newPage();
  await page.route('**/v1/analytics/timeseries?*', (route) => route.fulfill({ json: answerOf(aggregate) }));
  const search = new URLSearchParams({
    ask: 'series',
    aggregate,
    field: 'log.latency_ms',
    split: 'event',
    interval: 'minute',
  });
  await page.goto(`${url}/console/o/bench/p/bench/analytics?${search}`);
  await page.locator('.chart canvas').waitFor();
  await page.waitForLoadState('networkidle');
  return page;
}

function answerOf(aggregate) {
  const end = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const begin = end - POINTS * MINUTE_MS;
  const series = Array.from({ length: SERIES }, (_, index) => ({
    value: `event.${index}`,
    is_missing: false,
    total: 1_000 - index,
    points: Array.from({ length: POINTS }, (__, at) => ({
      ts: new Date(begin + at * MINUTE_MS).toISOString(),
      value: Math.round(200 + 20 * index + 80 * Math.sin((at + 40 * index) / 60) + ((at * 37 + index * 11) % 40)),
    })),
  }));
  return {
    range: '24h',
    from_ts: new Date(begin).toISOString(),
    to_ts: new Date(end).toISOString(),
    interval: 'minute',
    timezone: 'UTC',
    aggregate,
    split_by: 'event',
    series,
    other: null,
    previous: null,
  };
}

/** Counts frames while `act` moves the pointer. */
async function framesDuring(page, act) {
  const box = await page.locator('.chart .u-over').boundingBox();
  await page.evaluate(() => {
    window.countedFrames = { times: [], isOver: false };
    const next = (at) => {
      window.countedFrames.times.push(at);
      if (!window.countedFrames.isOver) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await act(page, box);
  const times = await page.evaluate(() => {
    window.countedFrames.isOver = true;
    return window.countedFrames.times;
  });
  const lengths = times.slice(1).map((at, index) => at - times[index]);
  return { perSecond: (lengths.length / (times.at(-1) - times[0])) * 1_000, longest: Math.max(...lengths) };
}

async function hover(page, box) {
  await movedFor(page, box, MOVING_MS);
}

/** Drags to and fro with a pressed button. */
async function drag(page, box) {
  await page.mouse.move(box.x + 10, box.y + box.height / 2);
  await page.mouse.down();
  await movedFor(page, box, MOVING_MS);
}

/** Selects half of the chart some times. The page draws the answer for each range. */
async function zoom(page, box) {
  for (let time = 0; time < ZOOMS; time += 1) {
    await page.mouse.move(box.x + 0.25 * box.width + time, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + box.height / 2, { steps: 30 });
    await page.mouse.up();
    await page.waitForLoadState('networkidle');
  }
}

/** Moves the pointer over the chart, to the right and to the left. */
async function movedFor(page, { x, y, width, height }, ms) {
  const until = performance.now() + ms;
  for (let step = 0; performance.now() < until; step += 1) {
    const way = (step * STEP_PX) % (2 * (width - 20));
    const left = way < width - 20 ? way : 2 * (width - 20) - way;
    await page.mouse.move(x + 10 + left, y + height * (0.5 + 0.3 * Math.sin(step / 9)));
  }
}
