import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { bytesOfDownload } from '../../support/chromium.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, heading, onDesktop, SCREENS, signIn } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (at: number): string => new Date(at).toISOString();
/** The beginning of a day in UTC, four days ago. */
const DAY = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS;
const RANGE = hours(DAY, 3);
/** Two days later there are other events. */
const LATER = DAY + 2 * DAY_MS;
const CUT = 'Only the part inside the time range is counted';

function hours(from: number, count: number): string {
  return `from=${iso(from)}&to=${iso(from + count * HOUR_MS)}&interval=hour`;
}

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: 'events=1000/1000' } });
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  const minute = 60_000;
  // By hour: 2, 1 and 3 orders, and 1, 0 and 1 logins.
  const sent = [
    ['order.placed', 5, 20],
    ['order.placed', 30, 40],
    ['order.placed', 70, 1_200],
    ['order.placed', 130, 12_000],
    ['order.placed', 140, 12_000],
    ['order.placed', 150, 15_000],
    ['user.login', 10, 1],
    ['user.login', 170, 1],
  ] as const;
  for (const [event_type, minutes, took_ms] of sent) await ingest(event_type, DAY + minutes * minute, { took_ms });
  await ingest('user.login', DAY - 2.5 * HOUR_MS);
  for (const minutes of [5, 70, 170]) {
    await ingest('http.request', DAY - DAY_MS + minutes * minute, {
      method: 'GET',
      path: '/cart',
      status_code: 200,
      latency_ms: 40,
    });
  }
  await ingest('deploy.finished', DAY + 90 * minute, {}, 'web 5.12.0');
  await ingest('batch.finished', LATER, { took_ms: 5_400_000, change: -5, rate: 0.014 });
  for (const payload of [{}, {}, { plan: '(none)' }]) await ingest('cart.changed', LATER, payload);
});
afterAll(() => app.close());

async function ingest(event_type: string, at: number, payload: object = {}, message?: string): Promise<void> {
  const event = { event_type, source: 'web', timestamp: iso(at), payload, ...(message !== undefined && { message }) };
  await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send(event).expect(200);
}

/** Sets the events that are marked. @param annotation_events undefined: the defaults */
async function markEvents(annotation_events?: string[]): Promise<void> {
  await app
    .request()
    .put(`/v1/projects/${owner.projectId}/settings`)
    .set('Authorization', owner.bearer)
    .send({ timezone: 'UTC', ...(annotation_events !== undefined && { annotation_events }) })
    .expect(200);
}

/** A text that the page wrote on a canvas, and the space to the left of it. */
interface Written {
  readonly text: string;
  readonly left: number;
}

/** Records what a page writes on canvases, where texts can be read in no other way. */
const RECORD = `(() => {
  const write = CanvasRenderingContext2D.prototype.fillText;
  window.written = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const { width } = this.measureText(text);
    const left = x - (this.textAlign === 'right' ? width : this.textAlign === 'center' ? width / 2 : 0);
    window.written.push({ text, left });
    return write.call(this, text, x, y, ...rest);
  };
})()`;

describe.each(SCREENS)('a chart on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openConsole(app, { ...screen, timezoneId: 'America/New_York' });
    ({ page } = browser);
    await page.addInitScript(RECORD);
    await page.goto(`${app.url}/console/login`);
    await signIn(page, owner.email);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'wait' });
    expect(browser.faults.splice(0)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.viewport.width);
  });

  async function open(search: string): Promise<Locator> {
    await page.goto(`${address}/analytics?${search}`);
    const chart = page.getByRole('img', { name: / per (minute|hour|day|week|month),/ });
    await chart.locator('canvas').waitFor();
    return chart;
  }

  async function choose(option: string): Promise<void> {
    await page.getByRole('button', { name: /^Options of the chart/ }).click();
    await page.getByRole('menuitem', { name: option }).click();
  }

  /** Waits until the tooltip at a share of the width of a chart reads as expected. */
  async function pointsAt(chart: Locator, share: number, expected: RegExp): Promise<void> {
    const bars = chart.locator('.u-over');
    await eventually(
      async () => {
        const { width = 0, height = 0 } = (await bars.boundingBox()) ?? {};
        await bars.hover({ position: { x: width * share, y: height / 2 } });
        return (await chart.locator('.chart-tooltip').allInnerTexts()).join().replaceAll(/\s+/g, ' ');
      },
      (text) => expected.test(text),
    );
  }

  it('shows the values of the bucket below the pointer with their total, the largest first', async () => {
    const chart = await open(`${RANGE}&split=event&zone=utc`);
    const date = new Intl.DateTimeFormat('en-US', {
      timeZone: 'UTC',
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
    }).format(DAY);
    await pointsAt(
      chart,
      1 / 6,
      new RegExp(`^${date}, 00:00 – 01:00 order.placed 2 user.login 1 deploy.finished 0 Total 3$`),
    );
    await pointsAt(chart, 5 / 6, /02:00 – 03:00 .*Total 4$/);
    expect(await browser.lookAt('chart')).toEqual([]);
  });

  it('lists the last, least, mean and largest value of each series', async () => {
    await open(`${RANGE}&split=event&zone=utc`);
    const row = page.getByRole('region', { name: 'Legend' }).getByRole('row', { name: /order\.placed/ });
    expect((await row.getByRole('cell').allInnerTexts()).slice(1)).toEqual(['3', '1', '2', '3']);
  });

  async function csv(): Promise<{ name: string; lines: string[] }> {
    await page.getByRole('button', { name: /^Options of the chart/ }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download CSV' }).click(),
    ]);
    return { name: file.suggestedFilename(), lines: (await bytesOfDownload(file)).toString().trim().split('\r\n') };
  }

  it('shows its values as a table and as CSV', async () => {
    const chart = await open(`${RANGE}&split=event&zone=utc`);
    await choose('Show as table');
    await chart.waitFor({ state: 'hidden' });
    const table = page.getByRole('region', { name: /^Events per hour/ });
    const cells = table.getByRole('row', { name: /01:00 – 02:00/ }).getByRole('cell');
    expect((await cells.allInnerTexts()).slice(1, 5)).toEqual(['1', '0', '1', '2']);
    expect(await browser.lookAt('chart-table')).toEqual([]);
    const { name, lines } = await csv();
    expect(name).toMatch(/-events-per-hour-\d{4}-\d\d-\d\d\.csv$/);
    expect(lines).toEqual([
      'from,to,order.placed,user.login,deploy.finished',
      `${iso(DAY)},${iso(DAY + HOUR_MS)},2,1,0`,
      `${iso(DAY + HOUR_MS)},${iso(DAY + 2 * HOUR_MS)},1,0,1`,
      `${iso(DAY + 2 * HOUR_MS)},${iso(DAY + 3 * HOUR_MS)},3,1,0`,
    ]);
    await choose('Show as chart');
    await chart.waitFor();
  });

  itOnDesktop('writes negative numbers as numbers into its CSV', async () => {
    await open(`${hours(LATER, 1)}&zone=utc&aggregate=min&field=properties.change`);
    expect((await csv()).lines.slice(1)).toEqual([`${iso(LATER)},${iso(LATER + HOUR_MS)},-5`]);
  });

  itOnDesktop('shows the last rows of a long table, and says so', async () => {
    await open(`from=${iso(DAY)}&to=${iso(DAY + 6 * HOUR_MS)}&interval=minute&zone=utc`);
    await choose('Show as table');
    await page.getByText('The table shows the last 300 of 360 rows. The CSV file has all.').waitFor();
    const rows = page.getByRole('region', { name: /^Events per minute/ }).getByRole('row');
    expect(await rows.count()).toBe(301);
    expect(await rows.last().innerText()).toContain('05:59 – 06:00');
  });

  /** Waits for a label of the axis, and returns those that are cut at the left. */
  async function cutLabels(expected: RegExp): Promise<string[]> {
    const written = await eventually(
      () => page.evaluate<Written[]>('window.written'),
      (texts) => texts.some(({ text }) => expected.test(text)),
      (texts) => `only ${[...new Set(texts.map(({ text }) => text))].join(', ')}`,
    );
    return written.filter(({ left }) => left < 0).map(({ text }) => text);
  }

  it('writes large values of its axis short and whole', async () => {
    await page.route('**/v1/analytics/timeseries?*', async (route) => {
      const answer = (await (await route.fetch()).json()) as { series: { points: { value: number }[] }[] };
      for (const { points } of answer.series) for (const point of points) point.value *= 50_000;
      await route.fulfill({ json: answer });
    });
    await open(`${RANGE}&zone=utc`);
    expect(await cutLabels(/^100k$/)).toEqual([]);
  });

  itOnDesktop('writes small values of its axis with all their digits', async () => {
    await open(`${hours(LATER, 1)}&zone=utc&aggregate=max&field=properties.rate`);
    expect(await cutLabels(/^0\.015$/)).toEqual([]);
  });

  itOnDesktop('names the months and years of long ranges', async () => {
    await open(`from=${iso(DAY - 6 * 365 * DAY_MS)}&to=${iso(DAY)}&zone=utc`);
    expect(await cutLabels(/^([A-Z][a-z]{2} )?20\d\d$/)).toEqual([]);
  });

  itOnDesktop('writes times in milliseconds, and long ones in seconds or hours', async () => {
    await open(`${RANGE}&zone=utc&aggregate=max&field=properties.took_ms`);
    expect(await cutLabels(/^5 s$/)).toEqual([]);
    await open(
      `from=${iso(DAY)}&to=${iso(DAY + HOUR_MS)}&interval=minute&zone=utc&aggregate=max&field=properties.took_ms`,
    );
    expect(await cutLabels(/^20 ms$/)).toEqual([]);
    await open(`${hours(LATER, 1)}&zone=utc&aggregate=max&field=properties.took_ms`);
    expect(await cutLabels(/^40 min$/)).toEqual([]);
    expect(await cutLabels(/^1 h$/)).toEqual([]);
    await page.getByRole('region', { name: 'Legend' }).getByText('5,400,000 ms').first().waitFor();
  });

  itOnDesktop('names the days of the zone in which they were counted', async () => {
    const chart = await open(`from=${iso(DAY - DAY_MS)}&to=${iso(DAY + DAY_MS)}&interval=day&zone=utc`);
    const date = new Date(DAY).toLocaleDateString('en-US', {
      timeZone: 'UTC',
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    });
    await pointsAt(chart, 3 / 4, new RegExp(`^${date}, \\d{4} Events 9 `));
  });

  itOnDesktop('tells an hour that the clocks show twice by its offsets', async () => {
    const chart = await open(`${hours(Date.UTC(2025, 10, 2, 4), 4)}&zone=local`);
    await pointsAt(chart, 3 / 8, /2025, 01:00 UTC−4 – 01:00 UTC−5 Events 0$/);
    await pointsAt(chart, 5 / 8, /2025, 01:00 – 02:00 Events 0$/);
  });

  itOnDesktop('says that only a part of the first and the last bucket is counted', async () => {
    const chart = await open(
      `from=${iso(DAY + HOUR_MS / 2)}&to=${iso(DAY + 2.5 * HOUR_MS)}&interval=hour&zone=utc&event=order.placed`,
    );
    await pointsAt(chart, 1 / 6, new RegExp(`00:00 – 01:00 ${CUT} Events 1$`));
    await pointsAt(chart, 1 / 2, /01:00 – 02:00 Events 1 01:30 deploy/);
    await pointsAt(chart, 5 / 6, new RegExp(`02:00 – 03:00 ${CUT} Events 2$`));
  });

  itOnDesktop('says that the last bucket is not over, and hatches it', async () => {
    const at = Date.now();
    await ingest('user.login', at);
    const yesterday = Math.floor(at / DAY_MS) * DAY_MS - DAY_MS;
    const chart = await open(`from=${iso(yesterday)}&to=${iso(at + 1)}&interval=day&zone=utc&event=user.login`);
    await pointsAt(chart, 0.95, /This bucket is not over yet Events [12]$/);
    // The bar of this bucket, the second of two, has stripes.
    const alphas = await page.evaluate<number[]>(`(() => {
      const canvas = document.querySelector('.chart canvas');
      const plot = document.querySelector('.chart .u-over');
      const middle = (plot.offsetLeft + plot.clientWidth * 0.75) * (canvas.width / canvas.clientWidth);
      const { data } = canvas.getContext('2d').getImageData(middle - 40, canvas.height / 2, 80, 1);
      return Array.from({ length: 80 }, (_, index) => data[index * 4 + 3]);
    })()`);
    expect(alphas.filter((alpha) => alpha > 200).length).toBeGreaterThan(10);
    expect(alphas.filter((alpha) => alpha < 100).length).toBeGreaterThan(10);
  });

  itOnDesktop('shows a series alone, and all again', async () => {
    const chart = await open(`${RANGE}&split=event&zone=utc`);
    const name = page.getByRole('region', { name: 'Legend' }).getByRole('button', { name: 'user.login' });
    await name.click();
    await pointsAt(chart, 1 / 6, /01:00 user\.login 1$/);
    expect(await name.getAttribute('aria-pressed')).toBe('true');
    await name.click();
    await pointsAt(chart, 1 / 6, /Total 3$/);
  });

  itOnDesktop('shows one of two series with the same name alone', async () => {
    const chart = await open(`${hours(LATER, 1)}&zone=utc&event=cart.changed&split=properties.plan`);
    await pointsAt(chart, 1 / 2, /\(none\) 2 \(none\) 1 Total 3$/);
    const names = page.getByRole('region', { name: 'Legend' }).getByRole('button', { name: '(none)' });
    await names.first().click();
    await pointsAt(chart, 1 / 2, /01:00 \(none\) 2$/);
    expect(await names.last().getAttribute('aria-pressed')).toBe('false');
  });

  it('shows the period before as a line that is no part of a total', async () => {
    const chart = await open(`${RANGE}&compare=previous&zone=utc`);
    await pointsAt(chart, 1 / 6, /01:00 Events 3 Previous period 1$/);
    expect(await browser.lookAt('chart-previous')).toEqual([]);
  });

  itOnDesktop('has a logarithmic scale', async () => {
    await open(`${RANGE}&zone=utc&aggregate=max&field=properties.took_ms`);
    await choose('Logarithmic scale');
    expect(await cutLabels(/^100 ms$/)).toEqual([]);
  });

  itOnDesktop('is downloaded as a picture', async () => {
    await open(`${RANGE}&split=event&zone=utc`);
    await page.getByRole('button', { name: /^Options of the chart/ }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download PNG' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/-events-per-hour-.*\.png$/);
    expect((await bytesOfDownload(file)).subarray(1, 4).toString()).toBe('PNG');
  });

  itOnDesktop('says that its picture could not be created', async () => {
    await open(`${RANGE}&zone=utc`);
    await page.evaluate('void (HTMLCanvasElement.prototype.toBlob = (done) => done(null))');
    await choose('Download PNG');
    await page.getByRole('alert').getByText('The browser could not create the picture.').waitFor();
  });

  itOnDesktop('keeps its plot when the range changes', async () => {
    const chart = await open(`${RANGE}&zone=utc`);
    await page.evaluate(`void (document.querySelector('.chart canvas').dataset.is = 'first')`);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await pointsAt(chart, 1 / 6, /21:00 – 22:00 Events 1$/);
    expect(await chart.locator('canvas').getAttribute('data-is')).toBe('first');
  });

  itOnDesktop('shares the crosshair with the other charts of the page, but not the tooltip', async () => {
    await page.goto(`${address}/performance?from=${iso(DAY - DAY_MS)}&to=${iso(DAY - DAY_MS + 3 * HOUR_MS)}&zone=utc`);
    const first = page.getByRole('img', { name: /^Latency per/ });
    const second = page.getByRole('img', { name: /^Requests and errors per/ });
    await pointsAt(first, 0.25, /40 ms/);
    const { width = 0 } = (await second.locator('.u-over').boundingBox()) ?? {};
    const { x = 0 } = (await second.locator('.u-over').boundingBox()) ?? {};
    await eventually(
      async () => ((await second.locator('.u-cursor-x').boundingBox())?.x ?? 0) - x,
      (left) => Math.abs(left - width / 4) < 4,
    );
    expect(await second.locator('.chart-tooltip').count()).toBe(0);
  });

  itOnDesktop('marks the events that the settings of the project name', async () => {
    const chart = await open(`${RANGE}&zone=utc`);
    await pointsAt(chart, 1 / 2, /02:00 Events 2 01:30 deploy\.finished: web 5\.12\.0$/);
    try {
      await page.goto(`${address}/settings`);
      await page.getByRole('combobox', { name: 'Events that are marked in charts' }).fill('user.*');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Save the settings' }).click();
      await eventually(
        async () => {
          const answer = await app
            .request()
            .get(`/v1/projects/${owner.projectId}/settings`)
            .set('Authorization', owner.bearer)
            .expect(200);
          return (answer.body as { annotation_events: string[] }).annotation_events;
        },
        (events) => events.includes('user.*'),
      );
      await pointsAt(await open(`${RANGE}&zone=utc`), 1 / 6, /01:00 Events 3 00:10 user\.login$/);
    } finally {
      await markEvents();
    }
  });

  itOnDesktop('marks the events of many long patterns', async () => {
    try {
      await markEvents([...Array.from({ length: 19 }, (_, index) => `${index}${'x'.repeat(190)}`), 'user.*']);
      await pointsAt(await open(`${RANGE}&zone=utc`), 1 / 6, /01:00 Events 3 00:10 user\.login$/);
    } finally {
      await markEvents();
    }
  });

  itOnDesktop('marks no events of its first bucket that are outside of the range', async () => {
    const isRead = page.waitForResponse(/\/events\?.*where=/);
    const chart = await open(`from=${iso(DAY + 100 * 60_000)}&to=${iso(DAY + 3 * HOUR_MS)}&interval=hour&zone=utc`);
    await isRead;
    await pointsAt(chart, 3 / 4, /02:00 – 03:00 Events 4$/);
    await pointsAt(chart, 1 / 4, new RegExp(`01:00 – 02:00 ${CUT} Events 0$`));
  });

  itOnDesktop('keeps its marks while those of another range are read', async () => {
    const chart = await open(`${RANGE}&zone=utc`);
    await pointsAt(chart, 1 / 2, /01:30 deploy\.finished/);
    const held: Route[] = [];
    await page.route(/\/events\?.*where=/, (route) => void held.push(route));
    try {
      const { x = 0, y = 0, width = 0, height = 0 } = (await chart.locator('.u-over').boundingBox()) ?? {};
      await page.mouse.move(x + width * 0.42, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.9, y + height / 2, { steps: 5 });
      await page.mouse.up();
      await eventually(
        () => Promise.resolve(held.length),
        (count) => count === 1,
      );
      await pointsAt(chart, 1 / 4, new RegExp(`01:00 – 02:00 ${CUT} Events 1 01:30 deploy`));
    } finally {
      for (const route of held) await route.continue();
    }
  });
});
