import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ProjectTurns } from './project-turns.js';

const A_LONG_TIME = 60_000;

class TooMany extends Error {}

/** A search that ends when the test says so. */
function search(begun: string[], name: string): { run: () => Promise<string>; end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return {
    run: async () => {
      begun.push(name);
      await ended;
      return name;
    },
    end: () => end(),
  };
}

describe('the turns of projects', () => {
  it('go to the first of another project, however many of one project wait', async () => {
    const turns = new ProjectTurns(2, A_LONG_TIME, TooMany);
    const begun: string[] = [];
    const names = ['a1', 'a2', 'a3', 'b1', 'c1'];
    const searches = names.map((name) => search(begun, name));
    const answers = searches.map(({ run }, index) => turns.run(names[index]!.charAt(0), run));
    await turn();
    expect(begun).toEqual(['a1', 'b1']);
    searches[3]!.end();
    await turn();
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    for (const { end } of searches) end();
    expect(await Promise.all(answers)).toEqual(names);
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('are refused to who waits too long, and a failed search passes its turn on', async () => {
    const turns = new ProjectTurns(1, 20, TooMany);
    const begun: string[] = [];
    const first = search(begun, 'first');
    const running = turns.run('a', first.run);
    await expect(turns.run('b', () => Promise.resolve())).rejects.toBeInstanceOf(TooMany);
    first.end();
    await running;
    const failed = turns.run('a', () => Promise.reject(new Error('no database')));
    const next = turns.run('b', () => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('no database');
    expect(await next).toBe('next');
  });

  it('come to everybody, never more at once than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { maxLength: 30 }),
        fc.integer({ min: 1, max: 3 }),
        async (whose, atOnce) => {
          const turns = new ProjectTurns(atOnce, A_LONG_TIME, TooMany);
          const running: number[] = [];
          const one = (project: number) => async (): Promise<number> => {
            expect(running).not.toContain(project);
            running.push(project);
            expect(running.length).toBeLessThanOrEqual(atOnce);
            await turn();
            running.splice(running.indexOf(project), 1);
            return project;
          };
          expect(await Promise.all(whose.map((project) => turns.run(String(project), one(project))))).toEqual(whose);
        },
      ),
    );
  });
});
