import { describe, expect, it } from '@jest/globals';
import { ReadDeadline, type TextTest } from './read-deadline.js';
import { QueryTooLong } from './long-reads.js';

const TEXT = 'x'.repeat(4_000);
/** Steps of one test of `TEXT`, and steps between two pauses. */
const STEPS = 400_000;
const TURN = 1_000_000;

/** Returns patterns of which the odd ones match, and how often each was tested. */
function patterns(count: number): { tests: TextTest[]; asked: number[] } {
  const asked = Array.from({ length: count }, () => 0);
  const tests = asked.map((_, at) => ({
    steps: STEPS / TEXT.length,
    matches: () => {
      asked[at] = (asked[at] ?? 0) + 1;
      return at % 2 === 1;
    },
  }));
  return { tests, asked };
}

describe('a deadline', () => {
  const counted = () => {
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    };
    return { pause, pauses: () => pauses };
  };

  it('lets others in between the tests of one event, each of which is made once', async () => {
    const deadline = new ReadDeadline(60_000);
    const { tests, asked } = patterns(100);
    const { pause, pauses } = counted();
    deadline.nextEvent();
    const fitting = await deadline.inPieces(() => tests.filter((test) => deadline.test(test, TEXT)).length, pause);
    expect(fitting).toBe(50);
    expect(asked).toEqual(asked.map(() => 1));
    // The last test before a pause may start when the steps are almost used up.
    expect(pauses()).toBeGreaterThanOrEqual(Math.floor((100 * STEPS) / (TURN + STEPS)));
  });

  it('asks at once what takes little', () => {
    const deadline = new ReadDeadline(60_000);
    const { tests } = patterns(2);
    const { pause, pauses } = counted();
    deadline.nextEvent();
    expect(deadline.inPieces(() => tests.map((test) => deadline.test(test, 'x')), pause)).toEqual([false, true]);
    expect(deadline.inPieces(() => tests.map((test) => deadline.test(test, TEXT)), pause)).toEqual([false, true]);
    expect(pauses()).toBe(0);
  });

  it('remembers nothing of the event before', () => {
    const deadline = new ReadDeadline(60_000);
    const { tests, asked } = patterns(1);
    for (let event = 0; event < 3; event += 1) {
      deadline.nextEvent();
      void deadline.inPieces(() => tests.map((test) => deadline.test(test, TEXT)), counted().pause);
    }
    expect(asked).toEqual([3]);
  });

  it('bounds what one event may take, over all its pieces', async () => {
    const deadline = new ReadDeadline(60_000);
    const { tests, asked } = patterns(200);
    deadline.nextEvent();
    const asking = async (): Promise<unknown> =>
      deadline.inPieces(() => tests.map((test) => deadline.test(test, TEXT)), counted().pause);
    await expect(asking()).rejects.toThrow(QueryTooLong);
    expect(asked.reduce((sum, times) => sum + times, 0)).toBe(50_000_000 / STEPS);
  });

  it('ends an event in the middle when its time is over', async () => {
    const over = new AbortController();
    const deadline = new ReadDeadline(60_000, over.signal);
    const { tests } = patterns(100);
    deadline.nextEvent();
    const pause = (): Promise<void> => {
      over.abort(new Error('closed'));
      return Promise.resolve();
    };
    const asking = async (): Promise<unknown> =>
      deadline.inPieces(() => tests.map((test) => deadline.test(test, TEXT)), pause);
    await expect(asking()).rejects.toThrow('closed');
  });
});
