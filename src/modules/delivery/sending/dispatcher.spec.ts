import { describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Dispatcher, type DispatcherOptions, type LaneShare, type WorkSource } from './dispatcher.js';
import type { SendingLane } from './slots.js';

interface Work extends SendingLane {
  readonly id: string;
}

/** Due work in memory, in the order it came due. While `hangs` is true, running work ends only by `endOne`. */
class Memory implements WorkSource<Work> {
  readonly due: Work[] = [];
  readonly ran: string[] = [];
  readonly returned: string[] = [];
  readonly claims: { lanes: readonly LaneShare[]; got: number }[] = [];
  readonly running = new Map<Work, () => void>();
  hangs = true;
  fails = false;

  add(lane: string, count = 1): void {
    for (let at = 0; at < count; at += 1) {
      this.due.push({ tenant: lane.slice(0, 1), lane, id: `${lane}.${at}` });
    }
  }

  async dueLanes(): Promise<SendingLane[]> {
    await pause(1);
    return [...new Map(this.due.map(({ tenant, lane }) => [lane, { tenant, lane }])).values()];
  }

  async claim(lanes: readonly LaneShare[], batch: number): Promise<Work[]> {
    await pause(1);
    if (this.fails) throw new Error('no database');
    const got = lanes
      .flatMap((share) => this.due.filter(({ lane }) => lane === share.lane).slice(0, share.most))
      .slice(0, batch);
    for (const work of got) this.due.splice(this.due.indexOf(work), 1);
    this.claims.push({ lanes, got: got.length });
    return got;
  }

  async run(work: Work): Promise<void> {
    this.ran.push(work.id);
    if (this.hangs) await new Promise<void>((resolve) => this.running.set(work, resolve));
    else await pause(1);
  }

  giveBack({ id }: Work): Promise<void> {
    this.returned.push(id);
    return Promise.resolve();
  }

  /** Ends the oldest running work. */
  endOne(): void {
    const [[work, end] = []] = this.running;
    if (work !== undefined) this.running.delete(work);
    end?.();
  }
}

function dispatcherOf(source: Memory, options: Partial<DispatcherOptions> = {}): Dispatcher<Work> {
  return new Dispatcher<Work>(source, {
    limits: { all: 12, tenant: 6, lane: 3 },
    batch: 4,
    ofLane: 2,
    goesOn: true,
    stopMs: 1_000,
    onTrouble: () => undefined,
    ...options,
  });
}

async function until(holds: () => boolean): Promise<void> {
  for (let looks = 0; !holds(); looks += 1) {
    if (looks > 2_000) throw new Error('what was waited for did not come');
    await pause(1);
  }
}

describe('the dispatcher', () => {
  it('keeps its limits and the batch, and works a backlog off from one look', async () => {
    const source = new Memory();
    for (const lane of ['a1', 'a2', 'a3', 'b1', 'c1']) source.add(lane, 10);
    const dispatcher = dispatcherOf(source);
    await dispatcher.pump();
    expect(dispatcher.inUse).toBe(12);
    const most = (names: readonly string[]): number =>
      Math.max(...names.map((name) => [...source.running.keys()].filter(({ id }) => id.startsWith(name)).length));
    while (source.due.length > 0 || source.running.size > 0) {
      expect([most(['a', 'b', 'c']) <= 6, most(['a1', 'a2', 'a3', 'b1', 'c1']) <= 3]).toEqual([true, true]);
      source.endOne();
      await pause(3);
    }
    expect(new Set(source.ran).size).toBe(50);
    expect(source.ran).toHaveLength(50);
    expect(source.claims.every(({ got }) => got <= 4)).toBe(true);
    expect(dispatcher.inUse).toBe(0);
  });

  it('gives every tenant its turn, however much others have waiting in however many lanes', async () => {
    const source = new Memory();
    source.hangs = false;
    for (let lane = 0; lane < 200; lane += 1) source.add(`a${lane}`, 10);
    const dispatcher = dispatcherOf(source);
    const backlog = dispatcher.pump();
    await until(() => source.ran.length >= 100);
    source.add('b1', 5);
    const pumped = dispatcher.pump();
    await until(() => source.ran.filter((id) => id.startsWith('b')).length === 5);
    expect(source.ran.length).toBeLessThan(300);
    expect(source.due.length).toBeGreaterThan(1_000);
    await dispatcher.stop();
    await Promise.all([backlog, pumped]);
  });

  it('gives the next free slot to who came last, when hanging destinations of others hold all of them', async () => {
    const source = new Memory();
    for (const lane of ['a1', 'a2', 'b1', 'b2']) source.add(lane, 100);
    const dispatcher = dispatcherOf(source);
    await dispatcher.pump();
    expect(dispatcher.inUse).toBe(12);
    source.add('c1');
    expect(await dispatcher.pump()).toBe(0);
    for (let ended = 0; ended < 3; ended += 1) {
      source.endOne();
      await pause(3);
    }
    expect(source.ran).toContain('c1.0');
  });

  it('takes everything that a claim cut off up again, and looks on where a look ended', async () => {
    const source = new Memory();
    source.hangs = false;
    const seen: (string | null)[] = [];
    const lanes = Array.from({ length: 700 }, (_, at) => `${String.fromCharCode(0x4e00 + at)}1`);
    for (const lane of lanes) source.add(lane);
    const all = source.dueLanes.bind(source);
    source.dueLanes = async (most?: number, after?: string | null) => {
      seen.push(after ?? null);
      return (await all())
        .filter(({ tenant }) => after === null || after === undefined || tenant > after)
        .slice(0, most);
    };
    const dispatcher = dispatcherOf(source);
    await dispatcher.pump();
    await until(() => source.ran.length === 700);
    expect(seen).toEqual([null, lanes[499]?.slice(0, 1)]);
  });

  it('looks again at the next poll, and not at once, when no due lane gave anything', async () => {
    const source = new Memory();
    for (let at = 0; at < 500; at += 1) source.add(`${String.fromCharCode(0x4e00 + at)}1`);
    source.claim = () => Promise.resolve([]);
    let looks = 0;
    const all = source.dueLanes.bind(source);
    source.dueLanes = () => {
      looks += 1;
      return all();
    };
    expect(await dispatcherOf(source).pump()).toBe(0);
    expect(looks).toBe(1);
  });

  it('does what it is asked for alone where it does not go on by itself', async () => {
    const source = new Memory();
    source.add('a1', 10);
    const dispatcher = dispatcherOf(source, { goesOn: false });
    expect(await dispatcher.pump()).toBe(3);
    while (source.running.size > 0) source.endOne();
    await dispatcher.settled();
    expect([source.ran.length, dispatcher.inUse]).toEqual([3, 0]);
    expect(await dispatcher.pump()).toBe(3);
  });

  it('tells in a round what has ended, also of what others had begun and held all slots', async () => {
    const source = new Memory();
    source.add('a1', 5);
    const dispatcher = dispatcherOf(source);
    await dispatcher.pump();
    expect(source.running.size).toBe(3);
    const rounds = [dispatcher.round(), dispatcher.round()];
    let isOver = false;
    const ended = Promise.all(rounds).finally(() => (isOver = true));
    await until(() => {
      while (source.running.size > 0) source.endOne();
      return isOver;
    });
    expect([await ended, source.ran.length]).toEqual([[5, 5], 5]);
  });

  it('keeps what a failed claim was for, with its slots', async () => {
    const source = new Memory();
    source.fails = true;
    source.add('a1', 2);
    const troubles: unknown[] = [];
    const dispatcher = dispatcherOf(source, { onTrouble: (error) => troubles.push(error) });
    await expect(dispatcher.pump()).rejects.toThrow('no database');
    dispatcher.wake([{ tenant: 'a', lane: 'a1' }]);
    await until(() => troubles.length === 1);
    expect(dispatcher.inUse).toBe(0);
    source.fails = false;
    dispatcher.wake([{ tenant: 'b', lane: 'b1' }]);
    await until(() => source.ran.length === 2);
    expect(source.ran).toEqual(['a1.0', 'a1.1']);
  });

  it('runs past its limits what somebody waits for', async () => {
    const source = new Memory();
    source.add('a1', 10);
    const dispatcher = dispatcherOf(source);
    await dispatcher.pump();
    const waited = dispatcher.run({ tenant: 'a', lane: 'a1', id: 'waited for' });
    expect([source.ran.at(-1), dispatcher.inUse]).toEqual(['waited for', 4]);
    while (source.running.size > 0) source.endOne();
    await waited;
  });

  it('stops claiming, finishes what is under way and gives back what came too late', async () => {
    const source = new Memory();
    source.add('a1', 2);
    const dispatcher = dispatcherOf(source);
    await dispatcher.pump();
    source.add('b1', 2);
    dispatcher.wake([{ tenant: 'b', lane: 'b1' }]);
    const stopped = dispatcher.stop();
    await until(() => source.returned.length === 2);
    expect(source.returned).toEqual(['b1.0', 'b1.1']);
    source.add('c1', 1);
    await dispatcher.pump();
    while (source.running.size > 0) source.endOne();
    await stopped;
    expect([source.due.length, dispatcher.inUse]).toEqual([1, 0]);
  });
});
