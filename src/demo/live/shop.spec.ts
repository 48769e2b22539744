import { describe, expect, it } from '@jest/globals';
import { randomFrom } from '../random.js';
import { LIVE_PACE, Shop, type ShopEvent } from './shop.js';

const BEGIN = Date.UTC(2026, 2, 14, 9, 30);
const SECOND_MS = 1_000;

/** Returns five acts for each second. */
function events(seconds: number, seed = 1): ShopEvent[] {
  const shop = new Shop(randomFrom(seed), LIVE_PACE, 'x');
  return Array.from({ length: seconds }, (_, second) => new Date(BEGIN + second * SECOND_MS)).flatMap((time) =>
    Array.from({ length: 5 }, () => shop.act(time)).flat(),
  );
}

const isDuringIncident = ({ event }: ShopEvent): boolean =>
  new Shop(randomFrom(1), LIVE_PACE, 'x').incidentAt(new Date(event.timestamp)) !== undefined;
const failedShare = (all: readonly ShopEvent[]): number =>
  all.filter(({ event }) => Number(event.payload.status_code) >= 500).length / all.length;

describe('Shop', () => {
  it('does the same from the same seed', () => {
    expect(events(60)).toEqual(events(60));
    expect(events(60)).not.toEqual(events(60, 2));
  });

  it('has ids that are unique, and people who come all the way', () => {
    const all = events(1200);
    expect(new Set(all.map(({ event }) => event.event_id)).size).toBe(all.length);
    const types = new Set(all.map(({ event }) => event.event_type));
    for (const type of ['http.request', 'cart.opened', 'order.placed', 'payment.settled', 'payment.failed'])
      expect(types).toContain(type);
  });

  it('fails more during incidents, which are shorter than the time between', () => {
    const all = events(1200);
    const during = all.filter(isDuringIncident);
    const beside = all.filter((each) => !isDuringIncident(each));
    expect(during.length).toBeGreaterThan(0);
    expect(during.length).toBeLessThan(beside.length);
    expect(failedShare(during)).toBeGreaterThan(2 * failedShare(beside));
  });

  it('compares stock each minute and deploys now and then', () => {
    const shop = new Shop(randomFrom(1), LIVE_PACE, 'x');
    const told = shop.byTheClock(new Date(BEGIN), new Date(BEGIN + 3_600_000)).map(({ event }) => event.event_type);
    expect(told.filter((type) => type === 'job.finished')).toHaveLength(60);
    expect(told.filter((type) => type === 'deploy.finished').length).toBeGreaterThan(5);
  });
});
