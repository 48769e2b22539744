import type { Page } from 'playwright-core';
import { eventually } from './eventually.js';

/**
 * Returns the texts with a digit that a part of a page shows, in their order. Each begins with its place: the label or
 * the heading of the part around it, and in a table the name of the column. Leaves out times, which are no figures, and
 * code. A chart has its numbers in its label for screen readers.
 */
const READ = `(root) => {
  const LEFT_OUT = ['TIME', 'SVG', 'STYLE', 'SCRIPT', 'INPUT', 'TEXTAREA', 'PRE', 'CODE', 'KBD', 'CANVAS'];
  const LABELLED = ['DIV', 'SECTION', 'NAV', 'UL', 'OL'];
  const found = [];
  let text = '';
  const clean = (words) => words.replace(/[↓↕]/g, '').replace(/\\s+/g, ' ').trim();
  const textOf = (id) => document.getElementById(id)?.textContent ?? '';
  const labelOf = (element) => {
    if (!LABELLED.includes(element.tagName)) return '';
    const label = element.getAttribute('aria-label') ?? textOf(element.getAttribute('aria-labelledby'));
    if (label !== '' || !element.classList.contains('mantine-Card-root')) return clean(label);
    return clean(element.querySelector('h2, h3, h4, h5, h6')?.textContent ?? '');
  };
  const columnOf = (element) => {
    const cell = element.closest('td');
    const head = cell?.closest('table')?.tHead?.rows[0];
    return clean(head?.cells[cell.cellIndex]?.textContent ?? '');
  };
  const placeOf = (element) => {
    const labels = [];
    for (let at = element; at !== root.parentElement && at !== null; at = at.parentElement) {
      const label = labelOf(at);
      if (label === '') continue;
      labels.unshift(label);
      // Every chart has a legend of the same name.
      if (label !== 'Legend') break;
    }
    return [...labels, columnOf(element)].filter((part) => part !== '').join(' › ');
  };
  const add = (place, shown) => {
    if (/\\d/.test(shown)) found.push(place === '' ? shown : place + ': ' + shown);
  };
  const end = (element) => {
    const shown = clean(text);
    text = '';
    // The cells of this column name the buckets of a chart.
    if (columnOf(element) !== 'Time') add(placeOf(element), shown);
  };
  const walk = (element) => {
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) text += node.data;
      if (node.nodeType !== Node.ELEMENT_NODE || LEFT_OUT.includes(node.tagName.toUpperCase())) continue;
      const { display, visibility } = getComputedStyle(node);
      if (display === 'none' || visibility === 'hidden') continue;
      if (node.getAttribute('role') === 'img') add('Chart', clean(node.getAttribute('aria-label') ?? ''));
      if (display.startsWith('inline') || display === 'contents') walk(node);
      else {
        end(element);
        walk(node);
        end(node);
      }
    }
  };
  walk(root);
  end(root);
  return found;
}`;

/** The signs of a page that waits for an answer. */
const WAITING =
  '[role=status][aria-label=Loading], .mantine-Skeleton-root, .mantine-Loader-root, [aria-busy=true], main:empty';

/** How many looks at a page have to see what the one before saw. */
const SAME_LOOKS = 2;

/** The requests of a page to the API. */
export interface PageRequests {
  /** Returns how many have no answer yet. Streams, which do not end, are not counted. */
  readonly open: () => number;
  /** Returns how many there were. */
  readonly asked: () => number;
}

export function watchRequests(page: Page): PageRequests {
  const open = new Set<object>();
  let asked = 0;
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(v1|console\/session)/.test(pathname) && !pathname.endsWith('/stream')) {
      open.add(request);
      asked += 1;
    }
  });
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  return { open: () => open.size, asked: () => asked };
}

/** Resolves when the page has drawn twice and then has nothing to do: what an answer leads to has begun. */
const SETTLED = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => resolve(null)))))`;

/**
 * Returns the texts with numbers of a part of a page, once nothing is read any more and three looks see the same.
 * @param part a CSS selector
 */
export async function shownIn(page: Page, part: string, requests: PageRequests): Promise<string[]> {
  await page.locator(part).waitFor();
  let before = '';
  let same = 0;
  const { texts } = await eventually(
    async () => {
      await page.evaluate(SETTLED);
      const isWaiting = requests.open() > 0 || (await page.locator(WAITING).filter({ visible: true }).count()) > 0;
      const shown = await page.evaluate<string[]>(`(${READ})(document.querySelector(${JSON.stringify(part)}))`);
      const now = [requests.asked(), ...shown].join('\n');
      same = !isWaiting && now === before ? same + 1 : 0;
      before = now;
      return { isRead: same === SAME_LOOKS, texts: shown };
    },
    ({ isRead }) => isRead,
    () => `the page waits for ${requests.open()} answers`,
  );
  return texts;
}

const WHOLE = new Intl.NumberFormat('en-US');
const DECIMAL = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const DIGITS = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Functions that return a value of the API as people read it. */
export const whole = (value: number): string => WHOLE.format(value);
/** Returns a number with its noun, such as "1 event" or "1,204 events". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${WHOLE.format(count)} ${count === 1 ? one : many}`;
export const decimal = (value: number): string => DECIMAL.format(value);
export const share = (value: number): string => `${DECIMAL.format(value * 100)}%`;
export const milliseconds = (value: number | null): string => (value === null ? '–' : `${WHOLE.format(value)} ms`);

/** Returns a duration in its largest unit, such as "1.5 h". */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  // From ten on, durations have no decimals.
  const roughly = (value: number): string => (value < 10 ? decimal(value) : whole(Math.round(value)));
  if (seconds >= 86_400) return `${roughly(seconds / 86_400)} d`;
  if (seconds >= 3_600) return `${roughly(seconds / 3_600)} h`;
  if (seconds >= 60) return `${roughly(seconds / 60)} min`;
  return seconds >= 1 || seconds === 0 ? `${roughly(seconds)} s` : `${whole(Math.round(seconds * 1_000))} ms`;
}

export type Unit = 'count' | 'ms' | 'share';

/** Returns a value as charts show it. */
export function exact(value: number | null | undefined, unit: Unit = 'count'): string {
  if (value === null || value === undefined) return '–';
  if (unit === 'share') return Math.abs(value) < 0.01 ? `${DIGITS.format(value * 100)}%` : share(value);
  const number = Math.abs(value) < 1 ? DIGITS.format(value) : decimal(value);
  return unit === 'ms' ? `${number} ms` : number;
}

/** Returns those texts of a place that have a digit, as {@link shownIn} does. */
export function at(place: string, ...texts: readonly (string | undefined | false)[]): string[] {
  return texts
    .filter((text) => typeof text === 'string' && /\d/.test(text))
    .map((text) => (place === '' ? String(text) : `${place}: ${String(text)}`));
}

export function figure(name: string, value: string, note?: string): string[] {
  return at(name, name, value, note);
}

/** The texts of a cell. A cell with several lines has several. */
export type Cell = string | undefined | false | readonly (string | undefined | false)[];

export function table(label: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const cellsOf = (row: readonly Cell[]): string[] =>
    row.flatMap((cell, index) => at([label, columns[index]].filter(Boolean).join(' › '), ...[cell].flat()));
  return [...at(label, ...columns), ...rows.flatMap(cellsOf)];
}

export interface ShownSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Returns the texts of a chart: its label, and the legend with the numbers of each series. */
export function chart(title: string, label: string, series: readonly ShownSeries[], unit: Unit = 'count'): string[] {
  const rows = series.map((each) => {
    const known = each.values.filter((value) => value !== null);
    const sum = known.reduce((before, value) => before + value, 0);
    const numbers =
      known.length === 0 ? [] : [known.at(-1), Math.min(...known), sum / known.length, Math.max(...known)];
    return [each.label, ...numbers.map((value) => exact(value, unit))];
  });
  return [...at('Chart', label), ...table(`${title} › Legend`, ['Series', 'Last', 'Min', 'Avg', 'Max'], rows)];
}

/** Returns the texts of the table form of a chart. */
export function chartTable(label: string, series: readonly ShownSeries[], unit: Unit = 'count'): string[] {
  const buckets = series[0]?.values.map((_, index) => series.map(({ values }) => exact(values[index], unit))) ?? [];
  const columns = ['Time', ...series.map((each) => each.label)];
  return table(
    label,
    columns,
    buckets.map((values) => ['', ...values]),
  );
}
