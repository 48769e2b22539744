import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { DESKTOP, enter, faultsOf, heading } from '../../support/console-pages.js';
import type { Json } from '../../support/delivery.js';
import { RULES_ENV } from '../../support/rules.js';
import {
  at,
  chart,
  chartTable,
  counted,
  decimal,
  duration,
  exact,
  figure,
  milliseconds,
  type PageRequests,
  share,
  type ShownSeries,
  shownIn,
  table,
  type Unit,
  watchRequests,
  whole,
} from '../../support/shown-numbers.js';
import { fillProject, type WalkedProject } from '../../support/walked-project.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ROUTES = new URL('../../../console/src/routes/', import.meta.url);
/** Rows of a page of a list. */
const PAGE_ROWS = 50;
const MAIN = 'main';
const DIALOG = '[role=dialog]';

let app: TestApp;
let project: WalkedProject;
let browser: ConsoleBrowser;
let page: Page;
let requests: PageRequests;

beforeAll(async () => {
  app = await createTestApp({ env: RULES_ENV });
  project = await fillProject(app);
  browser = await openConsole(app, DESKTOP);
  ({ page } = browser);
  requests = watchRequests(page);
  // The pages that end their question now end it at this moment.
  await page.clock.setFixedTime(project.now);
  await enter(browser, project.address, project.owner);
  await heading(page, project.owner.projectName);
});
afterAll(async () => {
  await browser.close();
  await project.close();
  await app.close();
});
afterEach(async () => {
  expect(await faultsOf(browser)).toEqual([]);
});

async function ask(path: string, query: object = {}): Promise<Json> {
  return (await app.request().get(path).query(query).set('Authorization', project.owner.bearer).expect(200)).body;
}

/** Returns the members of a question about the project. */
const ofProject = (query: object = {}) => ({ project_id: project.owner.projectId, ...query });
/** Returns the members of a question about the time range in the address. */
const inRange = (query: object = {}) => ofProject({ from_ts: project.from, to_ts: project.to, ...query });
const eventsOfRange = (query: object = {}) => {
  const { project_id: id, ...rest } = inRange(query);
  return ask(`/v1/projects/${id}/events`, rest);
};
const seriesOf = (query: object): Promise<Json> =>
  ask('/v1/analytics/timeseries', inRange({ timezone: 'UTC', ...query }));
const valuesOf = ({ points }: Json): (number | null)[] => points.map(({ value }: Json) => value);

/** Opens a page of the project in the fixed time range. @param address with other search members, if any */
async function open(address: string): Promise<void> {
  const url = new URL(`${project.address}${address}`);
  url.searchParams.set('from', project.from);
  url.searchParams.set('to', project.to);
  await page.goto(url.href);
  await page.locator('main h1').first().waitFor();
}

/** Opens a page of the project. @returns the texts with numbers that it shows */
async function shownAt(address: string, part = MAIN): Promise<string[]> {
  await open(address);
  return shownIn(page, part, requests);
}

/** Shows a chart as a table. @returns the texts with numbers of the table */
async function shownAsTable(title: string, label: string): Promise<string[]> {
  await page.getByRole('button', { name: `Options of the chart: ${title}` }).click();
  await page.getByRole('menuitem', { name: 'Show as table' }).click();
  return shownIn(page, `[role=region][aria-label=${JSON.stringify(label)}]`, requests);
}

/** Returns the address with search members. */
function withSearch(path: string, search: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(search).toString()}`;
}

const CHANGE = new Intl.NumberFormat('en-US', {
  style: 'percent',
  signDisplay: 'exceptZero',
  maximumFractionDigits: 0,
});

/** Returns the change since the previous period as figures note it, unless it is noted without a number. */
function changeText(change: number | null | undefined, before: number | null | undefined): string | undefined {
  if ((before ?? 0) < 20 || change === null || change === undefined || Math.abs(change) < 0.005) return undefined;
  return `${CHANGE.format(change)} vs. previous period`;
}

const walked = new Set<string>();
/** Registers a test that compares the numbers of a page. */
function walks(route: string, title: string, test: () => Promise<void>): void {
  walked.add(route);
  it(title, test);
}

/** Returns the addresses of all routes of the console, as its source names them. */
function routesOfConsole(): string[] {
  const sources = readdirSync(ROUTES).map((name) => readFileSync(new URL(name, ROUTES), 'utf8'));
  return sources.flatMap((source) => [...source.matchAll(/(?<!to: )'(\/[^']*)'/g)].map(([, path = '']) => path));
}

/** Routes whose pages show no figures. */
const WITHOUT_FIGURES = [
  // Around the pages of a project.
  '/o/$organization/p/$project',
  '/account',
  '/login',
  '/register',
  '/verify-email',
  '/confirm-email-change',
  '/forgot-password',
  '/reset-password',
  '/oauth/callback',
  '/invites/$invitation',
  '/missing',
  // They lead to other pages.
  '/billing',
  '/destinations',
  '/channels',
  '/alert-deliveries',
  '/delivery-history',
  '/events',
];

describe('The numbers of the console', () => {
  walks('/', 'shows the counts of the overview as the API answers them', async () => {
    const { totals, top_events, change, previous } = await ask('/v1/analytics/overview', inRange());
    const { usage, deliveries, open_alerts } = await ask(`/v1/projects/${project.owner.projectId}/dashboard`);
    const series: ShownSeries[] = [];
    for (const [label, aggregate] of [
      ['Events', 'count'],
      ['Errors', 'errors'],
    ] as const)
      series.push({ label, values: valuesOf((await seriesOf({ aggregate })).series[0]) });
    const busiest = Math.max(...(series[0]?.values ?? []).map((value) => value ?? 0));
    const title = 'Events and errors per minute';
    const label = `${title}; at most ${whole(busiest)} in one`;
    const { items: alerts } = await ask('/v1/alerts/events', ofProject({ range: 'all', status: 'open', limit: 5 }));
    const [alertsTitle, past] = [`Open alerts (${whole(open_alerts)})`, 'Deliveries 24 h'];
    const moved = change?.error_rate ?? 0;
    const isCompared = (previous?.events ?? 0) >= 20 && Math.abs(moved) >= 0.000_05;
    const points = isCompared ? `, ${moved > 0 ? '+' : '−'}${decimal(Math.abs(moved) * 100)} pp` : '';
    const noteOf = (relative: number | null | undefined) => changeText(relative, previous?.events);
    expect(await shownAt('')).toEqual([
      ...figure('Events', whole(totals.events), noteOf(change?.events)),
      ...figure('Errors', whole(totals.errors), `Error rate ${share(totals.error_rate)}${points}`),
      ...figure('p50 latency', milliseconds(totals.p50_latency_ms), noteOf(change?.p50_latency_ms)),
      ...figure('p95 latency', milliseconds(totals.p95_latency_ms), noteOf(change?.p95_latency_ms)),
      ...chart(title, label, series),
      ...top_events.flatMap(({ events }: Json) => at('Most frequent events', whole(events))),
      ...at(alertsTitle, alertsTitle, ...alerts.map(({ message }: Json) => message)),
      ...at(past, past, `${deliveries.sent} sent`, `${deliveries.failed} failed`),
      ...at(past, counted(deliveries.dlq, 'dead letter')),
      ...at('Plan usage this month', `${whole(usage.events_used)} of ${whole(usage.events_limit)} events`),
    ]);
    expect(await shownAsTable(title, label)).toEqual(chartTable(label, series));
  });

  walks('/logs', 'shows the counts of Logs as the API answers them, and the rows themselves', async () => {
    const { total } = await eventsOfRange({ limit: 1 });
    const answer = await seriesOf({ aggregate: 'count', split_by: 'log.status_class' });
    const { facets } = await facetsOf({});
    const logs: Json[] = await ask('/v1/logs', inRange({ limit: 200 }));
    const { items } = await eventsOfRange({ limit: 200 });
    const shown = await shownAt('/logs');
    const isRow = (text: string): boolean => text.startsWith('200 events: ');
    expect(shown.filter((text) => !isRow(text))).toEqual([
      ...facetTexts(classesOf(answer), facets),
      `${whole(total)} events`,
      'The newest 200 are loaded',
      ...histogramTexts(total, answer),
    ]);
    const rows = logs.flatMap(({ endpoint, status, latency_ms }, index) =>
      at('200 events', endpoint, String(status), `${whole(latency_ms)} ms`, messageOf(items[index])),
    );
    const drawn = shown.filter(isRow);
    expect(drawn.length).toBeGreaterThan(20);
    expect(drawn).toEqual(rows.slice(0, drawn.length));
  });

  walks('/logs', 'counts in Logs with the filter of the address', async () => {
    const where = 'log.status_class == "5xx"';
    const { total } = await eventsOfRange({ where, limit: 1 });
    const answer = await seriesOf({ where, aggregate: 'count', split_by: 'log.status_class' });
    const { facets } = await facetsOf({ where, by: ['properties.plan'] });
    const { items: classes } = await ask('/v1/analytics/breakdown', inRange({ by: 'log.status_class', limit: 50 }));
    const shown = await shownAt(withSearch('/logs', { where, facets: '["properties.plan"]' }));
    const [plans] = facets.by;
    expect(shown.filter((text) => !text.startsWith(`${total} events: `))).toEqual([
      // The chip of the filter.
      ...at('Filters that apply', where),
      ...facetTexts(
        classes.map(({ value, events }: Json) => ({ value, count: events })),
        facets,
      ),
      ...at('properties.plan', ...plans.values.map(({ count }: Json) => whole(count))),
      ...at('properties.plan', plans.missing > 0 && whole(plans.missing)),
      `${whole(total)} events`,
      ...histogramTexts(total, answer),
    ]);
  });

  walks('/analytics', 'shows the totals and the series of Analytics as the API answers them', async () => {
    const totals = await totalsOfAnalytics();
    const answer = await seriesOf({ aggregate: 'count' });
    const series = [{ label: 'Events', values: valuesOf(answer.series[0]) }];
    const title = 'Events per minute';
    const label = `${title}, Events`;
    expect(await shownAt('/analytics')).toEqual([
      ...totals,
      ...chart(title, label, series),
      ...at(title, below(answer)),
    ]);
    expect(await shownAsTable(title, label)).toEqual(chartTable(label, series));
  });

  walks('/analytics', 'shows the series of each value in Analytics, and their sum', async () => {
    const totals = await totalsOfAnalytics();
    const answer = await seriesOf({ aggregate: 'count', split_by: 'event' });
    const series: ShownSeries[] = answer.series.map((each: Json) => ({ label: each.value, values: valuesOf(each) }));
    if (answer.other !== null) series.push({ label: 'Other', values: valuesOf(answer.other) });
    const title = 'Events per minute';
    const label = `${title}, ${series.map((each) => each.label).join(', ')}`;
    expect(await shownAt('/analytics?split=event')).toEqual([...totals, ...chart(title, label, series)]);
    const sums = series[0]?.values.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
    expect(await shownAsTable(title, label)).toEqual(
      chartTable(label, [...series, { label: 'Total', values: sums ?? [] }]),
    );
  });

  walks('/analytics', 'shows a percentile in milliseconds, next to the previous period', async () => {
    const totals = await totalsOfAnalytics();
    const question = { aggregate: 'p95', aggregate_field: 'log.latency_ms', compare: 'previous' };
    const answer = await seriesOf(question);
    const series = [
      { label: 'p95', values: valuesOf(answer.series[0]) },
      { label: 'Previous period', values: valuesOf(answer.previous) },
    ];
    const title = 'p95 of log.latency_ms per minute';
    const label = `${title}, p95, Previous period`;
    expect(await shownAt('/analytics?aggregate=p95&field=log.latency_ms&compare=previous')).toEqual([
      ...totals,
      ...at(title, title),
      ...chart(title, label, series, 'ms'),
      ...at(title, below(answer, 'ms')),
    ]);
    expect(await shownAsTable(title, label)).toEqual(chartTable(label, series, 'ms'));
  });

  walks('/analytics', 'shows the most frequent values in Analytics as the API answers them', async () => {
    const totals = await totalsOfAnalytics();
    const answer = await ask('/v1/analytics/breakdown', inRange({ by: 'event', limit: 50 }));
    expect(await shownAt('/analytics?ask=breakdown&by=event')).toEqual([...totals, ...breakdownTexts(answer)]);
  });

  walks('/analytics', 'shows how many reached each step of a funnel as the API answers it', async () => {
    const totals = await totalsOfAnalytics();
    const step = ['cart.opened', 'order.placed', 'payment.settled'];
    const by = 'properties.user';
    const answer = await ask('/v1/analytics/funnel', inRange({ by, step }));
    const shown = await shownAt(withSearch('/analytics', { ask: 'funnel', by, steps: JSON.stringify(step) }));
    expect(shown.filter((text) => !/^(Step|Remove)/.test(text))).toEqual(
      [
        ...totals,
        `${whole(answer.values)} have one of these events. ${share(answer.conversion)} of those that began reached the last step.`,
        ...answer.steps.flatMap((each: Json) => [
          `${each.step}. ${each.event}`,
          `${whole(each.reached)} · ${share(each.conversion)}`,
          [
            each.step > 1 && `${share(each.step_conversion)} of the previous step`,
            each.median_seconds !== null && `p50 ${duration(each.median_seconds)}`,
            each.p95_seconds !== null && `p95 ${duration(each.p95_seconds)}`,
            each.dropped > 0 && `${whole(each.dropped)} went no further`,
          ]
            .filter(Boolean)
            .join(' · '),
        ]),
      ].filter((text) => /\d/.test(text)),
    );
  });

  walks('/performance', 'shows the figures, charts and routes of Performance as the API answers them', async () => {
    const figures = await figuresOfPerformance({ requests_only: true });
    const answer = await pointsOf({ requests_only: true });
    const title = `Latency per ${answer.interval}`;
    const label = `${title}: p50, p95 and p99`;
    expect(await shownAt('/performance')).toEqual([
      ...figures,
      ...performanceCharts(answer),
      ...(await routesTexts('route', 'requests')),
    ]);
    expect(await shownAsTable(title, label)).toEqual(chartTable(label, latencies(answer.points), 'ms'));
  });

  walks('/performance', 'shows the endpoints of Performance by their total time as the API answers them', async () => {
    const shown = await shownAt('/performance?by=endpoint&sort=total_time');
    expect(shown.slice(shown.findIndex((text) => text.startsWith('Endpoints')))).toEqual(
      await routesTexts('endpoint', 'total_time'),
    );
  });

  walks('/performance', 'shows the slowest requests and the failures as the API answers them', async () => {
    const shown = await shownAt('/performance?list=slowest');
    expect(shown.filter((text) => text.startsWith('Slowest requests'))).toEqual(
      await slowestTexts({ requests_only: true, limit: 100 }),
    );
    const failed = await shownAt('/performance?list=failures');
    expect(failed.slice(failed.findIndex((text) => text.includes(' failed, ')))).toEqual(
      await failureTexts({ requests_only: true }),
    );
  });

  walks('/performance', 'shows the numbers of one route as the API answers them', async () => {
    const question = { method: 'GET', where: 'log.route == "/cart"' };
    const figures = await figuresOfPerformance(question);
    expect(await shownAt('/performance?route=/cart&method=GET')).toEqual([
      ...figures,
      ...performanceCharts(await pointsOf(question)),
      ...(await failureTexts(question, 'Failures')),
      ...(await slowestTexts({ ...question, limit: 20 })),
    ]);
  });

  walks('/eql', 'shows how many events a query found and read as the API answers it', async () => {
    for (const [query, words] of [
      ['order.placed where true', 'events'],
      ['sequence by user with maxspan=1h [cart.opened where true] [order.placed where true]', 'sequences'],
    ] as const) {
      const { events, sequences, scanned } = await eql(query);
      const count = words === 'events' ? events.length : sequences.length;
      const shown = await shownAt(withSearch('/eql', { q: query }));
      const status = shown.find((text) => text.includes('events read in'));
      expect(status?.replace(/ in [\d.]+ (ms|s)$/, '')).toBe(
        `${whole(count)} ${words}, of ${whole(scanned)} events read`,
      );
      const expected =
        words === 'events'
          ? events.flatMap((event: Json) => at(counted(count, 'event'), messageOf(event)))
          : sequences.flatMap(({ join_keys: [key], events: [first, second] }: Json) =>
              at(key, `${duration((Date.parse(second.timestamp) - Date.parse(first.timestamp)) / 1_000)} later`),
            );
      expect(expected).not.toEqual([]);
      expect(shown.filter((text) => !text.includes('read in'))).toEqual(expected);
    }
  });

  walks('/alerts', 'shows the counts of the alerts as the API answers them', async () => {
    const { unresolved } = await ask('/v1/alerts/summary', ofProject({ range: 'all' }));
    expect(await shownAt('/alerts?status=all')).toEqual(await textsOfInbox());
    expect(await page.title()).toBe(`(${unresolved}) Alerts · ${project.owner.projectName}`);
    const pages = page.getByRole('navigation', { name: /^Pages of the/ });
    expect(await pages.getByRole('link', { name: 'Alerts', exact: false }).first().innerText()).toMatch(
      new RegExp(`^Alerts\\s+${unresolved}$`),
    );
  });

  walks('/alerts', 'shows the numbers of an alert that is open and of one that is resolved', async () => {
    for (const id of [project.alerts.open, project.alerts.resolved])
      expect(await shownAt(withSearch('/alerts', { status: 'all', alert: id }))).toEqual([
        ...(await textsOfInbox()),
        ...(await textsOfAlert(id)),
      ]);
  });

  walks('/alert-rules', 'shows the thresholds of the rules as the API answers them', async () => {
    const rules: Json[] = await ask('/v1/alert-rules', ofProject());
    const shown = await shownAt('/alert-rules');
    expect(shown).toHaveLength(rules.filter(({ condition }) => condition.kind === 'threshold').length);
    const [{ condition }] = rules.filter(({ id }) => id === project.rules.slow);
    expect(shown).toEqual([
      `Alert rules › Rule: Count of events where event is cart.opened over ${condition.window_seconds / 60} minutes is at least ${condition.value}`,
    ]);
  });

  walks(
    '/alert-rules/$rule',
    'shows the number of a rule, and when it would have fired, as the API answers',
    async () => {
      for (const [id, hours, event, threshold] of [
        [project.rules.slow, 24, 'cart.opened', 1_000],
        [project.rules.failures, 2, 'payment.failed', undefined],
      ] as const) {
        const span = {
          from_ts: new Date(project.now - hours * HOUR_MS).toISOString(),
          to_ts: new Date(project.now).toISOString(),
        };
        const rule = await ask(`/v1/alert-rules/${id}`);
        const { firings, evaluations, step_seconds } = await previewOf(rule, span);
        const series = await ask(
          '/v1/analytics/timeseries',
          ofProject({ ...span, aggregate: 'count', interval: 'minute', where: `event == "${event}"` }),
        );
        const values = barsOf(valuesOf(series.series[0]), 5);
        const bars = `over each 5 minutes${threshold === undefined ? '' : `, with the threshold ${whole(threshold)}`}`;
        const past = hours === 24 ? '' : `?past=${hours}h`;
        expect(await shownAt(`/alert-rules/${id}${past}`)).toEqual([
          ...at('Time range of the preview', '2 hours', '24 hours', '7 days'),
          ...chart(
            'Preview',
            `The number of the rule, ${bars}; it would have fired ${counted(firings.length, 'time')}`,
            [{ label: 'Events', values }],
          ),
          ...at('Preview', firings.length > 0 && `It would have fired ${counted(firings.length, 'time')}.`),
          ...at(
            'Preview',
            `${counted(evaluations, 'evaluation')}${step_seconds === null ? '' : `, one each ${step_seconds} s`}`,
          ),
          ...firings.flatMap(({ reason }: Json) => at('Firings', reason.replace(/^[^:]+: /, ''))),
        ]);
      }
    },
  );

  walks('/silences', 'shows no figures of silences', async () => {
    expect(await shownAt('/silences')).toEqual([]);
  });

  walks('/sentinel', 'shows the score, the findings and the evidence of Sentinel as the API answers them', async () => {
    const { projectId: project_id, address, finding: id } = project.watched;
    const finding = await ask(`/v1/sentinel/findings/${id}`);
    const overview = await ask('/v1/sentinel/overview', { project_id });
    const { items } = await ask('/v1/sentinel/findings', { project_id, limit: 100 });
    await page.goto(`${address}/sentinel?finding=${id}`);
    const drawer = await shownIn(page, DIALOG, requests);
    await page.goto(`${address}/sentinel`);
    await heading(page, 'Sentinel');
    const shown = await shownIn(page, MAIN, requests);
    const { open_findings: open, coverage, detectors, score } = overview;
    const severities = ['critical', 'warning', 'info'] as const;
    // The lag of background jobs grows while the page is read.
    expect(shown.filter((text) => !text.startsWith('Workers'))).toEqual([
      ...at('Health', String(score), 'Health, of 100'),
      ...at(
        'Open findings',
        String(open.total),
        ...severities.map((each) => open[each] > 0 && `${open[each]} ${each}`),
      ),
      ...at('Watched', String(coverage.series), `${coverage.learning} in training; evaluated until`),
      ...items.flatMap(({ summary }: Json) => at('Findings › Finding', summary)),
      'Findings of the last 7 days',
      ...table(
        'Detectors',
        ['Kind', 'Found', 'Dismissed'],
        detectors.map((each: Json) => ['', String(each.findings_7d), String(each.dismissed_7d)]),
      ),
    ]);
    expect(drawer).toEqual(textsOfFinding(finding));
  });

  walks('/endpoints', 'shows the last answers and the uses of endpoints as the API answers them', async () => {
    const rules: Json[] = await ask('/v1/alert-rules', ofProject());
    const destinations: Json[] = await ask('/v1/alert-destinations', ofProject());
    const channels: Json[] = await ask('/v1/delivery/channels', ofProject());
    const ends = [
      ...destinations.map((it) => ({ it, path: '/v1/alerts/deliveries', by: 'destination_id', url: it.target_url })),
      ...channels.map((it) => ({
        it,
        path: '/v1/delivery/history',
        by: 'channel_id',
        url: `POST ${it.configuration.url}`,
      })),
    ].sort((one, other) => one.it.name.localeCompare(other.it.name));
    const rows: string[][] = [];
    for (const { it, path, by, url } of ends) {
      const { items } = await ask(path, ofProject({ [by]: it.id, limit: 1 }));
      const unnamed = by === 'channel_id' ? 0 : rules.filter(({ notifies }) => notifies === 'all_webhooks').length;
      const [code = null] = items.map(({ response_code }: Json) => response_code);
      rows.push(['', '', url, String(code), `${unnamed} rules that name no endpoint`]);
    }
    const columns = ['Name', 'Type', 'Address', 'Last result', 'Used by'];
    const known = rows.map((row) => row.map((cell) => (cell.startsWith('0 rules') ? '' : cell)));
    expect(await shownAt('/endpoints')).toEqual(table('Endpoints', columns, known));
  });

  walks('/attempts', 'shows what was sent, and how many of it, as the API answers', async () => {
    // The attempts are newer than the range of the events.
    const span = { from: project.from, to: new Date(project.now).toISOString() };
    const asked = ofProject({ from_ts: span.from, to_ts: span.to, limit: 50 });
    const ofChannels = await ask('/v1/delivery/history', asked);
    const ofAlerts = await ask('/v1/alerts/deliveries', asked);
    const rows = [...ofChannels.items, ...ofAlerts.items].sort(
      (one, other) => Date.parse(other.created_at) - Date.parse(one.created_at),
    );
    const total = Number(ofChannels.total) + Number(ofAlerts.total);
    await page.goto(withSearch(`${project.address}/attempts`, span));
    expect(await shownIn(page, MAIN, requests)).toEqual([
      ...attemptTexts('Attempts', rows),
      `${whole(rows.length)} of ${whole(total)}, newest first`,
    ]);
  });

  walks('/attempts', 'shows the numbers of one attempt and of one alert delivery as the API answers them', async () => {
    const { attempts, failedDelivery } = project;
    const attempt = await ask(`/v1/delivery/history/${attempts.retried}`, ofProject());
    const audits = await ask('/v1/delivery/retry-audits', ofProject({ delivery_id: attempts.retried, limit: 50 }));
    const drawer = await shownAt(withSearch('/attempts', { attempt: attempts.retried }), DIALOG);
    const { base_delay_seconds: base, max_attempts: most, strategy } = attempt.retry_policy;
    const known = at(
      'Attempt',
      `${attempt.response_code} after ${attempt.response_metadata.duration_ms} ms`,
      attempt.failure_reason,
      String(attempt.try_number),
      `At most ${most} retries, ${strategy} delay from ${base / 3_600} hour`,
      ...audits.items.flatMap((audit: Json) => [String(audit.retry_number), `Answer ${audit.response_code} ·`]),
    );
    // The headers of the request follow.
    expect(drawer.slice(0, known.length)).toEqual(known);
    const delivery = await ask(`/v1/alerts/deliveries/${failedDelivery}`);
    const sent = await shownAt(withSearch('/attempts', { delivery: failedDelivery }), DIALOG);
    expect(sent.slice(0, 3)).toEqual(
      at('Attempt', String(delivery.response_code), delivery.failure_reason, String(delivery.retry_count)),
    );
  });

  walks('/dead-letters', 'shows the dead letters and their number as the API answers them', async () => {
    const { items, total } = await ask('/v1/delivery/history', ofProject({ dlq: true, limit: 50 }));
    expect(await shownAt('/dead-letters')).toEqual([...attemptTexts('Dead letters', items), `${total} in all`]);
  });

  walks('/retries', 'shows the retries and their number as the API answers them', async () => {
    const { items, total } = await ask('/v1/delivery/retry-audits', ofProject({ limit: 50 }));
    const columns = ['Began', 'Retry', 'Outcome', 'Answer', 'By'];
    expect(await shownAt('/retries')).toEqual([
      ...table(
        'Retries',
        columns,
        items.map((audit: Json) => [
          '',
          String(audit.retry_number),
          '',
          [String(audit.response_code ?? '–'), audit.reason],
          audit.worker_id,
        ]),
      ),
      `${total} in all`,
    ]);
  });

  walks('/dashboards', 'shows how many panels each dashboard has', async () => {
    const boards = (await viewsOfProject()).filter(({ kind }) => kind === 'dashboard');
    expect(await shownAt('/dashboards')).toEqual(
      boards.flatMap(({ filters }) => at('Dashboards › Panels', String(filters.panels.length))),
    );
  });

  walks(
    '/dashboards/$dashboard',
    'shows the answers to the questions of a dashboard as the API answers them',
    async () => {
      const all = await seriesOf({ aggregate: 'count', compare: 'previous' });
      const revenue = await seriesOf({
        aggregate: 'sum',
        aggregate_field: 'properties.total',
        event: 'order.placed',
        compare: 'previous',
      });
      const events = await ask('/v1/analytics/breakdown', inRange({ by: 'event', limit: 50 }));
      const figures = await figuresOfPerformance({ requests_only: true });
      const payments = await eventsOfRange({ event: 'payment.failed', limit: 50 });
      const { filters } = (await viewsOfProject()).find(({ id }) => id === project.dashboard);
      const single = (name: string, words: string, answer: Json): string[] => {
        const before = answer.previous.total;
        const note = before === null ? words : `${words}, ${exact(before)} in the previous period`;
        return at(`Content of ${name}`, exact(answer.series[0].total), note);
      };
      await open(`/dashboards/${project.dashboard}`);
      // Panels are read when they come into view.
      for (const panel of await page.locator('.panel').all()) {
        await panel.scrollIntoViewIfNeeded();
        await panel.locator('.mantine-Loader-root').first().waitFor({ state: 'detached' });
      }
      const shown = await shownIn(page, MAIN, requests);
      const query = shown.findIndex((text) => text.includes('read in'));
      expect(shown.slice(0, query)).toEqual([
        `${counted(filters.panels.length, 'panel')}, changed`,
        ...single('All events', 'Events', all),
        ...single('Revenue', 'Sum of properties.total', revenue),
        ...breakdownTexts(events, 'Content of By event'),
        ...figures,
        ...(await routesTexts('route', 'requests', 'Content of Routes')),
        ...at('Content of Payments', counted(payments.total, 'event')),
        ...payments.items.flatMap((event: Json) => at(counted(payments.items.length, 'event'), messageOf(event))),
      ]);
      const placed = await eql('order.placed where true');
      expect(shown[query]).toMatch(
        `Content of Placed: ${placed.events.length} events, of ${whole(placed.scanned)} events read in `,
      );
    },
  );

  walks('/keys', 'shows the keys as the API answers them', async () => {
    const keys: Json[] = await ask('/v1/api-keys', ofProject());
    expect(await shownAt('/keys')).toEqual(keys.flatMap(({ prefix }) => at('API keys › Begins with', `${prefix}…`)));
  });

  walks('/sources', 'shows no figures of sources in their list', async () => {
    expect(await shownAt('/sources')).toEqual([]);
  });

  walks('/sources/$source', 'shows the counts of a source as the API answers them', async () => {
    for (const { id } of [project.sources.checkout, project.sources.quiet]) {
      const health = await ask(`/v1/ingest-sources/${id}/health`);
      const { timeseries } = await ask(`/v1/ingest-sources/${id}/stats`, { range: '24h' });
      const keys: Json[] = await ask(`/v1/ingest-sources/${id}/keys`);
      const failures = await ask(`/v1/ingest-sources/${id}/failures`, { limit: 20 });
      const label = 'Events of the last day, by hour';
      const shown = await shownAt(`/sources/${id}`);
      // The programs that the samples need have versions.
      expect(shown.filter((text) => !text.startsWith('How to send: '))).toEqual([
        ...at('Health', health.status === 'healthy' && 'An event came in the last 24 hours.'),
        ...at('Health', 'Events in 24 hours', whole(health.events_last_24h)),
        ...at('Health', 'Refused in 24 hours', whole(health.failures_last_24h)),
        ...at('Health', String(health.active_keys)),
        ...(timeseries.length > 0 ? at('Chart', label) : []),
        ...keys.flatMap(({ prefix }) => at('Keys of the source › Begins with', `${prefix}…`)),
        ...table(
          'Refused',
          ['Last', 'Why', 'How often', 'Key', 'Request'],
          failures.items.map((each: Json) => [
            '',
            `Source disabled (${each.status_code})`,
            String(each.count),
            '',
            each.request_id,
          ]),
        ),
      ]);
    }
  });

  walks('/secrets', 'shows the versions and uses of secrets as the API answers them', async () => {
    const secrets: Json[] = await ask('/v1/secrets', ofProject());
    expect(await shownAt('/secrets')).toEqual(
      table(
        'Secrets',
        ['Name', 'Version', 'Used by'],
        secrets.map(({ version, references }) => ['', String(version), references > 0 && `${references} places`]),
      ),
    );
  });

  walks('/files', 'shows the sizes of files and the used storage as the API answers them', async () => {
    const { storage, bandwidth } = await ask('/v1/core/usage', ofProject());
    const used = ({ bytes_used, bytes_limit }: Json): string =>
      bytes_limit === null ? `${size(bytes_used)}, without a limit` : `${size(bytes_used)} of ${size(bytes_limit)}`;
    for (const prefix of ['', 'exports/']) {
      const { items } = await ask(
        '/v1/core/objects',
        ofProject({ delimiter: '/', limit: 100, ...(prefix && { prefix }) }),
      );
      expect(await shownAt(withSearch('/files', prefix === '' ? {} : { prefix }))).toEqual([
        ...at('Used', used(storage), used(bandwidth)),
        ...items.flatMap((file: Json) => at('Files › Size', size(file.size))),
      ]);
    }
  });

  walks('/activity', 'shows the numbers in the details of the activity as the API answers them', async () => {
    const { items } = await ask(`/v1/projects/${project.owner.projectId}/activity`);
    const shown = await shownAt('/activity');
    expect(shown.filter((text) => text.startsWith('Activity › Request'))).toEqual(
      items.flatMap((each: Json) => at('Activity › Request', each.request_id)),
    );
    expect(shown.filter((text) => !/^Activity › (Request|Detail)/.test(text))).toEqual([]);
  });

  walks('/organization/members', 'shows the members of the organization as the API answers them', async () => {
    const members: Json[] = await ask(`/v1/organizations/${project.owner.organizationId}/members`);
    expect(await shownAt('/organization/members')).toEqual(
      members.flatMap(({ identity, display_name, user_id }) => [
        ...at('Members › Name', `${display_name}${user_id === project.owner.id ? ' (you)' : ''}`),
        ...at('Members › Address', identity),
      ]),
    );
  });

  walks('/organization/invitations', 'shows the requests of invitations as the API answers them', async () => {
    const audits: Json[] = await ask(`/v1/organizations/${project.owner.organizationId}/invitation-audits`);
    expect(await shownAt('/organization/invitations')).toEqual(
      audits.flatMap(({ request_id }) => at('Acts on invitations › Request', request_id)),
    );
  });

  walks('/organization/sign-in', 'shows the settings of sign-in without figures of its own', async () => {
    const settings = `/sso/organizations/${project.owner.organizationId}`;
    const add = (path: string, body: object) =>
      app.request().post(`${settings}/${path}`).set('Authorization', project.owner.bearer).send(body).expect(201);
    await add('domains', { domain: 'shop42.example' });
    expect(await shownAt('/organization/sign-in')).toEqual(at('Domains › Domain', 'shop42.example'));
  });

  walks('/organization/billing', 'shows the usage of the plan as the API answers it', async () => {
    const status = await ask('/v1/billing/status', { organization_id: project.owner.organizationId });
    const day = new Date(`${status.reset_day}T00:00:00Z`);
    const name = day.toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
    expect(await shownAt('/organization/billing')).toEqual([
      ...at('This month', `Counted in UTC. The count starts again at zero on ${name}.`),
      ...at('This month', `${whole(status.events_used)} of ${whole(status.events_limit)}`),
    ]);
  });

  for (const route of ['/settings', '/members', '/first-event'])
    walks(route, `shows no figures on ${route}`, async () => {
      const shown = await shownAt(route);
      // Names of people have digits, steps are numbered, and the sample events are always as many.
      expect(shown.filter((text) => !/user-|^Make a key: 1$|200 sample events/.test(text))).toEqual([]);
    });

  walks('/sessions', 'shows the sessions as the API answers them', async () => {
    const sessions: Json[] = await ask('/v1/auth/sessions');
    await page.goto(`${app.url}/console/account/sessions`);
    await heading(page, 'Sessions');
    expect(await shownIn(page, MAIN, requests)).toEqual([
      ...at('Signed in', 'Sessions end 30 days after they were last used.'),
      ...sessions.flatMap(({ ip }) => at('Sessions › Address', ip)),
      ...at('Trusted devices', 'Signing in there asks for no second factor for 30 days.'),
    ]);
  });

  walks('/security-log', 'shows the security log as the API answers it', async () => {
    const { items } = await ask('/v1/account/security-events');
    await page.goto(`${app.url}/console/account/security-log`);
    await heading(page, 'Security log');
    expect(await shownIn(page, MAIN, requests)).toEqual(
      items.flatMap(({ ip }: Json) => at('Security log › Address', ip)),
    );
  });

  for (const [route, address, title] of [
    ['/', '/account', 'Profile'],
    ['/factors', '/account/factors', 'Second factors'],
    ['/start', '/start', 'First steps'],
  ] as const)
    walks(route, `shows no figures on ${address}`, async () => {
      await page.goto(`${app.url}/console${address}`);
      await heading(page, title);
      const shown = await shownIn(page, MAIN, requests);
      // Addresses of people have digits, steps are numbered, passwords have a least length and codes end.
      expect(shown.filter((text) => !/@|^\d$|At least 8 characters|every 30 seconds/.test(text))).toEqual([]);
    });

  it('walks every page of the console that shows figures', () => {
    expect([...new Set([...walked, ...WITHOUT_FIGURES])].sort()).toEqual([...new Set(routesOfConsole())].sort());
  });
});

function viewsOfProject(): Promise<Json[]> {
  return ask(`/v1/projects/${project.owner.projectId}/saved-views`);
}

/** Asks for the facets of the events in the range. */
function facetsOf(query: object): Promise<Json> {
  const { project_id: id, ...rest } = inRange(query);
  return ask(`/v1/projects/${id}/events/facets`, rest);
}

/** Returns the counts by class of the HTTP status of a series that is split by it. */
function classesOf({ series }: Json): Json[] {
  return series.map(({ value, total }: Json) => ({ value, count: total }));
}

function facetTexts(classes: readonly Json[], facets: Json): string[] {
  const sorted = classes
    .filter(({ count }) => count > 0)
    .sort((one, other) => String(one.value).localeCompare(String(other.value)));
  const fields = [
    ['Severity', 'severity'],
    ['Event', 'event'],
    ['Event Source', 'source_id'],
    ['Status', 'status'],
    ['Environment', 'environment'],
  ] as const;
  return [
    ...sorted.flatMap(({ value, count }) => at('HTTP status', String(value), whole(count))),
    ...fields.flatMap(([label, field]) => at(label, ...facets[field].map(({ count }: Json) => whole(count)))),
  ];
}

/** Returns the texts of the chart above the rows of Logs. Its legend has names only. */
function histogramTexts(total: number, { series, interval }: Json): string[] {
  const failures = ['4xx', '5xx'].filter((name) => series.some(({ value }: Json) => value === name));
  const label = `${counted(total, 'event')} per ${interval}, ${['Other', ...failures].join(', ')}`;
  return [...at('Chart', label), ...at('Legend', ...failures)];
}

function messageOf({ message, properties }: Json): string {
  return message ?? JSON.stringify(properties);
}

async function totalsOfAnalytics(): Promise<string[]> {
  const { totals, change, previous } = await ask('/v1/analytics/overview', inRange());
  return [
    ...figure('Events', whole(totals.events), changeText(change?.events, previous?.events)),
    ...figure('Errors', whole(totals.errors), `Error rate ${share(totals.error_rate)}`),
    ...figure('Event types', whole(totals.event_types), `from ${counted(totals.sources, 'source')}`),
    ...figure('p95 latency', milliseconds(totals.p95_latency_ms), changeText(change?.p95_latency_ms, previous?.events)),
  ];
}

/** Returns the text below the chart of Analytics. */
function below({ timezone, series: [{ total }] }: Json, unit: Unit = 'count'): string {
  return `Time zone: ${timezone}. Drag over the chart to zoom in, click to see the events. Total: ${exact(total, unit)}.`;
}

function breakdownTexts({ distinct, total, items }: Json, place = ''): string[] {
  return [
    ...at(place, `${counted(distinct, 'value')} in ${counted(total.events, 'event')}`),
    ...table(
      'Values',
      ['Value', 'Events', 'Share', 'Errors', 'Change'],
      items.map((item: Json) => [
        item.value,
        whole(item.events),
        share(item.share),
        `${whole(item.errors)} (${share(item.error_rate)})`,
        changeText(item.change, item.previous_events)?.replace(' vs. previous period', ''),
      ]),
    ),
  ];
}

async function figuresOfPerformance(question: object): Promise<string[]> {
  const answer = await ask('/v1/performance/summary', inRange({ ...question, apdex_ms: 300 }));
  const { requests: count, errors, client_errors, error_rate, latency, change, previous, apdex } = answer;
  const before = previous?.requests;
  const note = `${wordOfApdex(apdex.score)}, ${whole(apdex.frustrated)} frustrated`;
  return [
    ...figure('Requests', whole(count), changeText(change?.requests, before)),
    ...figure('Error rate', share(error_rate), `${whole(errors)} with 5xx, ${whole(client_errors)} with 4xx`),
    ...figure('p50 latency', milliseconds(latency.p50_ms), changeText(change?.p50_ms, before)),
    ...figure('p95 latency', milliseconds(latency.p95_ms), changeText(change?.p95_ms, before)),
    ...figure('Apdex', decimal(apdex.score), note),
  ];
}

/** Returns the rating of the Apdex Alliance for a score. */
function wordOfApdex(score: number): string {
  const [, word = 'unacceptable'] =
    (
      [
        [0.94, 'excellent'],
        [0.85, 'good'],
        [0.7, 'fair'],
        [0.5, 'poor'],
      ] as const
    ).find(([least]) => score >= least) ?? [];
  return word;
}

function pointsOf(question: object): Promise<Json> {
  return ask('/v1/performance/timeseries', inRange({ ...question, timezone: 'UTC' }));
}

function latencies(points: readonly Json[]): ShownSeries[] {
  return [50, 95, 99].map((percentile) => ({
    label: `p${percentile}`,
    values: points.map((point) => point[`p${percentile}_ms`]),
  }));
}

function performanceCharts({ interval, points }: Json): string[] {
  const counts = [
    { label: 'Requests', values: points.map((point: Json) => point.requests) },
    { label: 'Errors', values: points.map((point: Json) => point.errors) },
  ];
  const title = `Latency per ${interval}`;
  const other = `Requests and errors per ${interval}`;
  return [...chart(title, `${title}: p50, p95 and p99`, latencies(points), 'ms'), ...chart(other, other, counts)];
}

async function routesTexts(by: 'route' | 'endpoint', sort: string, place = ''): Promise<string[]> {
  const question = { requests_only: true, sort, group_by: by, limit: PAGE_ROWS };
  const { items, total } = await ask('/v1/performance/endpoints', inRange(question));
  const [label, name] = by === 'route' ? ['Routes', 'Route'] : ['Endpoints', 'Endpoint'];
  const pages = Math.ceil(total / PAGE_ROWS);
  return [
    ...table(
      label,
      [name, 'Requests', 'Errors', 'Error rate', 'p50', 'p95', 'p99', 'Share of time'],
      items.map((item: Json) => [
        `${item.method} ${item.endpoint}`,
        whole(item.requests),
        whole(item.errors),
        share(item.error_rate),
        milliseconds(item.p50_ms),
        milliseconds(item.p95_ms),
        milliseconds(item.p99_ms),
        share(item.total_time_share),
      ]),
    ),
    ...at(place, `${whole(total)} in all`),
    ...Array.from({ length: pages === 1 ? 0 : pages }, (_, index) => String(index + 1)),
  ];
}

async function slowestTexts(question: object): Promise<string[]> {
  const rows: Json[] = await ask('/v1/performance/slowest', inRange(question));
  return table(
    'Slowest requests',
    ['Request', 'Latency', 'Status', 'Time'],
    rows.map((row) => [`${row.method} ${row.endpoint}`, milliseconds(row.latency_ms), String(row.status)]),
  );
}

async function failureTexts(question: object, place = ''): Promise<string[]> {
  const answer = await ask('/v1/performance/errors', inRange({ ...question, limit: 100 }));
  const { failed, requests: count, failure_rate, by_status, by_endpoint } = answer;
  return [
    ...at(place, `${whole(failed)} of ${whole(count)} failed, ${share(failure_rate)}`),
    ...table(
      'Failed statuses',
      ['Status', 'Requests', 'Share of failures', 'Actions'],
      by_status.map((each: Json) => [
        String(each.status),
        whole(each.requests),
        share(each.share),
        `Events with ${each.status}`,
      ]),
    ),
    ...table(
      'Failing endpoints',
      ['Endpoint', 'Failed', 'Failure rate', 'Statuses', 'Last failure'],
      by_endpoint.map((each: Json) => [
        `${each.method} ${each.endpoint}`,
        `${whole(each.failed)} of ${whole(each.requests)}`,
        share(each.failure_rate),
        each.statuses.slice(0, 5).map(({ status }: Json) => String(status)),
      ]),
    ),
  ];
}

async function eql(query: string): Promise<Json> {
  const body = inRange({ query, limit: 200 });
  return (await app.request().post('/v1/eql').set('Authorization', project.owner.bearer).send(body).expect(200)).body;
}

async function textsOfInbox(): Promise<string[]> {
  const { items, total } = await ask('/v1/alerts/events', ofProject({ range: 'all', limit: 100 }));
  const { unresolved, unresolved_by_severity: by } = await ask('/v1/alerts/summary', ofProject({ range: 'all' }));
  const metrics = await ask('/v1/alerts/metrics', ofProject({ range: '30d' }));
  const [mtta, mttr] = [metrics.time_to_acknowledge.median_seconds, metrics.time_to_resolve.median_seconds];
  return [
    ...at('', `${unresolved} unresolved`, `${by.critical} critical`, counted(by.warning, 'warning')),
    `Median time over 30 days: to acknowledge (MTTA) ${duration(mtta)}, to resolve (MTTR) ${duration(mttr)}`,
    ...items.flatMap(({ occurrences, status }: Json) =>
      at(
        counted(total, 'alert'),
        occurrences > 1 && `· ${occurrences} times${status === 'open' ? '' : ` · ${status}`}`,
      ),
    ),
  ];
}

async function textsOfAlert(id: string): Promise<string[]> {
  const alert = await ask(`/v1/alerts/events/${id}`);
  const begun = Date.parse(alert.created_at);
  const ended = alert.resolved_at === null ? null : Date.parse(alert.resolved_at);
  const from = begun - HOUR_MS;
  const to = Math.ceil(project.now / MINUTE_MS) * MINUTE_MS;
  const counts = async (shift: number): Promise<Json> => {
    const span = { from_ts: new Date(from - shift).toISOString(), to_ts: new Date(to - shift).toISOString() };
    const question = ofProject({ ...span, aggregate: 'count', interval: 'minute', where: 'event == "payment.failed"' });
    return (await ask('/v1/analytics/timeseries', question)).series[0];
  };
  const present = await counts(0);
  const values = valuesOf(present);
  const series = [
    { label: 'Events', values },
    { label: '24 hours before', values: valuesOf(await counts(DAY_MS)) },
  ];
  const inAlert = present.points.filter(({ ts }: Json) => {
    const start = Date.parse(ts);
    return start >= begun - MINUTE_MS && start < (ended ?? to);
  });
  const peak = inAlert.reduce((most: Json, point: Json) => (point.value > most.value ? point : most));
  const seconds = (ms: number): string => duration(Math.round(ms / 1_000));
  const note = ended === null ? `firing for ${seconds(project.now - begun)}` : `it fired for ${seconds(ended - begun)}`;
  const deploys = await eventsOfRange({ event: 'deploy.finished', limit: 100 });
  const samples = await eventsOfRange({
    event: 'payment.failed',
    from_ts: new Date(begun - 5 * MINUTE_MS).toISOString(),
    to_ts: new Date(Date.parse(alert.last_occurred_at) + MINUTE_MS).toISOString(),
  });
  const sent = await ask('/v1/alerts/deliveries', ofProject({ alert_event_id: id, limit: PAGE_ROWS }));
  const { fingerprint, created_at: to_ts } = alert;
  const earlier = await ask('/v1/alerts/events', ofProject({ fingerprint, range: 'all', to_ts, limit: 6 }));
  return [
    `Events over time: Peak ${exact(peak.value)} at ${peak.ts.slice(11, 16)} · Last ${exact(values.at(-1))}`,
    ...chart('Events over time', `The number of the rule, over each 1 minute; ${note}`, series),
    ...at('The alert', alert.occurrences > 1 && `, ${alert.occurrences} times`),
    ...at('Sample events', `All ${samples.total} events`),
    ...deploys.items.flatMap(({ timestamp }: Json) =>
      at('Deploys nearby', `${seconds(begun - Date.parse(timestamp))} before the alert`),
    ),
    ...sent.items.flatMap(({ destination_name: name, response_code: code, failure_reason: why }: Json) =>
      at(`Notification of ${name}`, `Answer ${code}${why === null ? '' : `: ${why}`} ·`),
    ),
    ...earlier.items.flatMap(({ created_at, resolved_at, occurrences }: Json) =>
      at(
        'Earlier alerts',
        `resolved after ${seconds(Date.parse(resolved_at) - Date.parse(created_at))}`,
        occurrences > 1 && `${occurrences} times`,
      ),
    ),
  ];
}

/** Runs a rule over the past. */
async function previewOf(rule: Json, span: object): Promise<Json> {
  const { severity, condition, group_by, for_seconds, keep_firing_seconds, cooldown_seconds } = rule;
  const members = { severity, condition, group_by, for_seconds, keep_firing_seconds, cooldown_seconds };
  const body = ofProject({ ...members, ...span, name: 'Preview', preview: true });
  return (await app.request().post('/v1/alert-rules').set('Authorization', project.owner.bearer).send(body)).body;
}

/** Adds values from the end, as the bars of a window do. Leaves out a first bar that is not whole. */
function barsOf(values: readonly (number | null)[], perBar: number): number[] {
  const bars: number[] = [];
  for (let first = values.length % perBar; first < values.length; first += perBar)
    bars.push(values.slice(first, first + perBar).reduce<number>((sum, value) => sum + (value ?? 0), 0));
  return bars;
}

const FINDING_SHARE = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** Returns the texts of a finding about the error rate. */
function textsOfFinding({ summary, actual, expected, evidence, series: { metric } }: Json): string[] {
  const { points, baseline, contributors, interval_seconds: seconds } = evidence;
  const name = metric.replaceAll('_', ' ');
  const lines = [
    [name, 'actual'],
    ['Expected', 'expected'],
    ['Upper bound', 'upper'],
    ['Lower bound', 'lower'],
  ].map(([label = '', member = '']) => ({ label, values: points.map((point: Json) => point[member]) }));
  const drawn = lines.filter(({ values }) => values.some((value: number | null) => value !== null));
  const unusual = points.filter((point: Json) => point.is_anomalous).length;
  const length = seconds === HOUR_MS / 1_000 ? '1 hour' : `${seconds / 60} minutes`;
  const words = `${name} per ${length}, with the expected values; ${unusual} of ${points.length} were unusual`;
  const usual = baseline.method === 'hour_of_week' ? 'the same hour of the week' : 'the last days';
  return [
    ...at('Finding', summary),
    ...chart('Evidence', words, drawn, 'share'),
    ...at('Finding', `${FINDING_SHARE.format(actual)}, expected: ${FINDING_SHARE.format(expected)}`),
    ...at('Finding', `${baseline.samples} samples of ${usual}`),
    ...contributors.flatMap((each: Json) =>
      at(
        'Contributors',
        each.value,
        `${FINDING_SHARE.format(each.share)}, usually ${FINDING_SHARE.format(each.usual_share)}`,
      ),
    ),
  ];
}

function attemptTexts(label: string, attempts: readonly Json[]): string[] {
  const retriesOf = ({ destination_id, retry_count: count }: Json): string => {
    if (count === 0) return '';
    const words = destination_id === undefined ? ['retry', 'retries'] : ['failed send', 'failed sends'];
    return ` after ${count} ${words[count === 1 ? 0 : 1]}`;
  };
  return table(
    label,
    ['Time', 'Status', 'Endpoint', 'Answer'],
    attempts.map((one) => ['', '', '', [`${one.response_code ?? '–'}${retriesOf(one)}`, one.failure_reason ?? '']]),
  );
}

/** Returns bytes in units of 1,024. */
function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  for (; value >= 1_024; unit += 1) value /= 1_024;
  return `${(Math.round(value * 10) / 10).toLocaleString('en-US')} ${units[unit]}`;
}
