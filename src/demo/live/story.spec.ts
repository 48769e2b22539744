import { describe, expect, it } from '@jest/globals';
import { DAILY_PACE, LIVE_PACE, type Pace, SLOWER, Story } from './story.js';

const ORIGIN = new Date(Date.UTC(2026, 2, 14, 9, 30));
const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

const after = (ms: number): Date => new Date(ORIGIN.getTime() + ms);
const paces = [
  ['daily', DAILY_PACE],
  ['live', LIVE_PACE],
] as const;

/** Returns the time range that covers two intervals of the regression and ends at the origin. */
function span({ regression }: Pace): [Date, Date] {
  return [after(-2 * regression.everyMs), ORIGIN];
}

describe('Story', () => {
  it('is in an incident of all routes at the origin of the daily pace, so that detectors find it at once', () => {
    const story = new Story(DAILY_PACE, ORIGIN);
    expect(story.troubleAt(ORIGIN, '/products').failing).toBeGreaterThan(0.5);
    expect(story.troubleAt(after(-HOUR_MS), '/products')).toEqual({ slowdown: 1, failing: 0 });
    expect(story.troubleAt(after(HOUR_MS), '/products')).toEqual({ slowdown: 1, failing: 0 });
  });

  it('begins live with a calm minute', () => {
    const story = new Story(LIVE_PACE, ORIGIN);
    expect(story.incidentAt(after(60_000))).toBeUndefined();
    expect(story.incidentAt(after(120_000))?.name).toBe('the database is down');
  });

  it.each(paces)('makes a route slower and slower between a deploy and its rollback (%s)', (_, pace) => {
    const story = new Story(pace, ORIGIN);
    const [from, to] = span(pace);
    const changes = story.regressionsBetween(from, to).sort((a, b) => a.time.getTime() - b.time.getTime());
    expect(new Set(changes.map(({ isBeginning }) => isBeginning))).toEqual(new Set([true, false]));
    const begin = changes.find(({ isBeginning }) => isBeginning)!.time.getTime();
    const others = { ...pace, incident: { ...pace.incident, lastsMs: 0 } };
    const slowdown = (share: number): number =>
      new Story(others, ORIGIN).troubleAt(new Date(begin + share * pace.regression.lastsMs), SLOWER.route).slowdown;
    expect([-0.01, 0, 0.5, 1].map(slowdown)).toEqual([1, 1, 4, 1]);
    expect(slowdown(0.99)).toBeGreaterThan(6);
  });

  it.each(paces)('takes the dependency down and up in turns, and ends with it up (%s)', (_, pace) => {
    const { everyMs, lastsMs, turnMs } = pace.flapping;
    const turns = new Story(pace, ORIGIN).turnsBetween(after(-everyMs), ORIGIN).map(({ isBeginning }) => isBeginning);
    expect(turns).toHaveLength(lastsMs / turnMs);
    expect(turns).toEqual(turns.map((_turn, index) => index % 2 === 0));
    expect(turns.at(-1)).toBe(false);
  });

  it('returns each change once when time passes in pieces', () => {
    const story = new Story(DAILY_PACE, ORIGIN);
    const begin = after(-WEEK_MS);
    const pieces = Array.from({ length: 168 }, (_, hour) => [begin.getTime() + hour * HOUR_MS, HOUR_MS] as const);
    for (const changes of [story.turnsBetween.bind(story), story.regressionsBetween.bind(story)])
      expect(pieces.flatMap(([at, ms]) => changes(new Date(at), new Date(at + ms)))).toHaveLength(
        changes(begin, ORIGIN).length,
      );
  });
});
