import { describe, expect, it } from '@jest/globals';
import { randomFrom } from '../random.js';
import { pastDay } from './index.js';
import { busiestRate, Shop, type ShopEvent } from './shop.js';
import { DAILY_PACE, LIVE_PACE, Story } from './story.js';

/** A Saturday. */
const BEGIN = new Date(Date.UTC(2026, 2, 14, 9, 30));
const DAYS = 14;
const COUNT = 28_000;
const past = { story: new Story(DAILY_PACE, BEGIN), seed: 1, rate: busiestRate(COUNT, DAYS, BEGIN) };

/** Returns the events of a time with much traffic. */
function events(seconds: number, seed = 1): ShopEvent[] {
  const shop = new Shop(randomFrom(seed), new Story(LIVE_PACE, BEGIN), 'x');
  return shop.between(BEGIN, new Date(BEGIN.getTime() + seconds * 1_000), 8);
}

function daysOf(seed = 1): ShopEvent[][] {
  return Array.from({ length: DAYS }, (_, index) => [...pastDay({ ...past, seed }, index + 1)].flat());
}

const atOf = ({ event }: ShopEvent): number => Date.parse(event.timestamp);
const codeOf = ({ event }: ShopEvent): number => Number(event.payload.status_code);
const failedShare = (all: readonly ShopEvent[]): number =>
  all.filter((each) => codeOf(each) >= 500).length / all.length;
const ofType = (all: readonly ShopEvent[], type: string): ShopEvent[] =>
  all.filter(({ event }) => event.event_type === type);

describe('Shop', () => {
  it('makes the same events from the same seed', () => {
    expect(events(60)).toEqual(events(60));
    expect(events(60)).not.toEqual(events(60, 2));
  });

  it('gives each event a unique id, and has people who order and pay', () => {
    const all = events(1200);
    expect(new Set(all.map(({ event }) => event.event_id)).size).toBe(all.length);
    const types = new Set(all.map(({ event }) => event.event_type));
    for (const type of ['http.request', 'cart.opened', 'order.placed', 'payment.settled', 'payment.failed'])
      expect(types).toContain(type);
  });

  it('returns events in the order of their times, none outside the time that was asked for', () => {
    const times = events(600).map(atOf);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(0)).toBeGreaterThanOrEqual(BEGIN.getTime());
    expect(times.at(-1)).toBeLessThanOrEqual(BEGIN.getTime() + 600_001);
  });

  it('fails more during incidents', () => {
    const story = new Story(LIVE_PACE, BEGIN);
    const requests = events(1200).filter((each) => codeOf(each) > 0);
    const isDuring = (each: ShopEvent): boolean => story.incidentAt(new Date(atOf(each))) !== undefined;
    expect(failedShare(requests.filter(isDuring))).toBeGreaterThan(
      2 * failedShare(requests.filter((each) => !isDuring(each))),
    );
  });

  it('adds an exception with type and stack to each failed request, under the same service', () => {
    const all = events(600);
    const exceptions = ofType(all, 'exception');
    expect(exceptions).toHaveLength(ofType(all, 'http.error').length);
    for (const { service, event } of exceptions) {
      expect(event).toMatchObject({ source: service, severity: 'error', status: 'failed' });
      expect(event.message).toBe(`${event.payload['exception.type']}: ${event.payload['exception.message']}`);
      expect(event.payload['exception.stacktrace']).toMatch(
        new RegExp(String.raw`^${event.payload['exception.type']}: .*\n    at \S+ \(${service}/src/`),
      );
    }
  });

  it('has several services, whose routes are their own', () => {
    const requests = events(1200).filter((each) => codeOf(each) > 0);
    expect(new Set(requests.map(({ service }) => service))).toEqual(
      new Set(['web', 'catalog', 'search', 'checkout', 'accounts']),
    );
    for (const { service, event } of requests)
      expect(service === 'checkout').toBe(/^\/(cart|orders)/.test(String(event.payload.route)));
  });
});

describe('the past of the shop', () => {
  const days = daysOf();

  it('is the same for the same seed and origin', () => {
    expect(daysOf()).toEqual(days);
    expect(daysOf(2)).not.toEqual(days);
  });

  it('has about as many events as were asked for, on each day, with ids that no other day has', () => {
    const all = days.flat();
    expect(Math.abs(all.length / COUNT - 1)).toBeLessThan(0.1);
    expect(new Set(all.map(({ event }) => event.event_id)).size).toBe(all.length);
    for (const day of days) expect(day.length).toBeGreaterThan(COUNT / DAYS / 2);
  });

  it.each([
    ['a Saturday', 0],
    ['a Wednesday', 4],
  ])('has about as many as were asked for when its only day ends on %s', (_, days) => {
    const origin = new Date(BEGIN.getTime() + days * 24 * 3_600_000);
    const rate = busiestRate(8_000, 1, origin);
    const day = [...pastDay({ story: new Story(DAILY_PACE, origin), seed: 1, rate }, 1)].flat();
    expect(Math.abs(day.length / 8_000 - 1)).toBeLessThan(0.05);
  });

  it('gives a day with many events in parts, so that the memory has a bound', () => {
    const parts = [...pastDay({ ...past, rate: busiestRate(40_000, 1, BEGIN) }, 1)].map((part) => part.length);
    expect(parts.length).toBeGreaterThan(2);
    expect(Math.max(...parts)).toBeLessThan(14_000);
  });

  it('has fewer events at night and at the weekend', () => {
    const requests = days.flat().filter((each) => codeOf(each) > 0);
    const count = (isIn: (time: Date) => boolean): number =>
      requests.filter((each) => isIn(new Date(atOf(each)))).length;
    const night = count((time) => time.getUTCHours() < 6);
    expect(count((time) => time.getUTCHours() >= 12 && time.getUTCHours() < 18)).toBeGreaterThan(2 * night);
    const weekend = count((time) => [0, 6].includes(time.getUTCDay())) / 2;
    expect(count((time) => ![0, 6].includes(time.getUTCDay())) / 5).toBeGreaterThan(1.3 * weekend);
  });

  it('has deploys, one that is rolled back, and a dependency that goes down and comes up again', () => {
    const all = days.flat();
    expect(ofType(all, 'deploy.finished').length).toBeGreaterThan(DAYS);
    expect(ofType(all, 'deploy.rolled_back').length).toBeGreaterThan(0);
    expect(ofType(all, 'dependency.down').length).toBeGreaterThan(10);
    expect(ofType(all, 'dependency.up')).toHaveLength(ofType(all, 'dependency.down').length);
  });

  it('has searches that are slower while a deploy makes them slow', () => {
    const searches = days.flat().filter(({ event }) => event.payload.path === '/search');
    const [begin, end] = [72, 32].map((hours) => BEGIN.getTime() - hours * 3_600_000) as [number, number];
    const median = (all: readonly ShopEvent[]): number =>
      all.map(({ event }) => Number(event.payload.latency_ms)).sort((a, b) => a - b)[Math.floor(all.length / 2)]!;
    const before = searches.filter((each) => atOf(each) < begin && atOf(each) > begin - 48 * 3_600_000);
    expect(median(searches.filter((each) => atOf(each) >= begin && atOf(each) < end))).toBeGreaterThan(
      2 * median(before),
    );
  });
});
