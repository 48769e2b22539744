import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { OverloadedError } from '../concurrency/index.js';
import { Lane } from './lane.js';

const share = 'ada';
const OPTIONS = { parallel: 1, maxQueued: 2, maxQueuedPerKey: 2 };

/** Returns a lane, the outcomes of its pieces, and a function that ends the piece which blocks the lane. */
async function laneOf(options = OPTIONS) {
  const outcomes: string[] = [];
  const lane = new Lane(options, (outcome, name) => outcomes.push(`${name} ${outcome}`));
  let letGo = (): void => undefined;
  void lane.offer({ name: 'first', share, work: () => new Promise<void>((resolve) => (letGo = resolve)) });
  for (let step = 0; step < 5; step += 1) await Promise.resolve();
  return { lane, outcomes, letGo };
}
const nothing = (): Promise<void> => Promise.resolve();

describe('a lane', () => {
  it('keeps a bounded number waiting and drops the rest, without a word to whoever offers it', async () => {
    const { lane, outcomes, letGo } = await laneOf();
    for (let piece = 0; piece < 50; piece += 1) void lane.offer({ name: 'piece', share, work: nothing });
    expect([lane.waiting, lane.size <= 51]).toEqual([2, true]);
    letGo();
    await lane.idle();
    expect(outcomes.filter((outcome) => outcome === 'piece dropped')).toHaveLength(48);
    expect(outcomes.filter((outcome) => outcome === 'piece done')).toHaveLength(2);
    expect([lane.size, lane.waiting]).toEqual([0, 0]);
  });

  it('has one place for a key while it waits and runs, and another one afterwards', async () => {
    const { lane, outcomes, letGo } = await laneOf();
    let runs = 0;
    const work = (): Promise<void> => Promise.resolve(void (runs += 1));
    for (let piece = 0; piece < 40; piece += 1) void lane.offer({ name: 'ada', key: 'ada', share, work });
    letGo();
    await lane.idle();
    expect(runs).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'ada folded')).toHaveLength(39);
    void lane.offer({ name: 'ada', key: 'ada', share, work });
    await lane.idle();
    expect(runs).toBe(2);
  });

  it('takes a place of the share with most of it for another share', async () => {
    const { lane, outcomes, letGo } = await laneOf();
    for (let piece = 0; piece < 5; piece += 1) void lane.offer({ name: 'flood', share: 'flood', work: nothing });
    void lane.offer({ name: 'one', share: 'one', work: nothing });
    letGo();
    await lane.idle();
    expect(outcomes).toContain('one done');
  });

  it('goes on after work that fails, and gives a dropped key its place back', async () => {
    const { lane, outcomes, letGo } = await laneOf({ parallel: 1, maxQueued: 0, maxQueuedPerKey: 0 });
    void lane.offer({ name: 'late', key: 'late', share, work: nothing });
    letGo();
    await lane.idle();
    void lane.offer({ name: 'faulty', share, work: () => Promise.reject(new Error('no')) });
    await lane.idle();
    void lane.offer({ name: 'late', key: 'late', share, work: nothing });
    await lane.idle();
    expect(outcomes).toEqual(['late dropped', 'first done', 'faulty failed', 'late done']);
  });

  it('says of work that itself met too much waiting that it failed, since it was not dropped', async () => {
    const { lane, outcomes, letGo } = await laneOf();
    letGo();
    await lane.offer({ name: 'mail', share, work: () => Promise.reject(new OverloadedError()) });
    expect(outcomes).toEqual(['first done', 'mail failed']);
  });

  it('runs each piece in the context of the request that offered it', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { lane, letGo } = await laneOf();
    const seen: (string | undefined)[] = [];
    const work = (): Promise<void> => Promise.resolve(void seen.push(storage.getStore()));
    for (const request of ['a', 'b']) storage.run(request, () => void lane.offer({ name: request, share, work }));
    letGo();
    await lane.idle();
    expect(seen).toEqual(['a', 'b']);
  });
});
