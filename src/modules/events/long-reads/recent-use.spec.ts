import { describe, expect, it } from '@jest/globals';
import { RecentUse } from './recent-use.js';

describe('the use of the last minute', () => {
  it('adds up what each has used, and forgets it after a minute', () => {
    let now = 1_000_000;
    const use = new RecentUse(() => now);
    use.add('a', 300);
    use.add('b', 50);
    now += 30_000;
    use.add('a', 400);
    expect([use.of('a'), use.of('b'), use.of('c')]).toEqual([700, 50, 0]);
    now += 30_000;
    expect([use.of('a'), use.of('b')]).toEqual([400, 0]);
    now += 600_000;
    expect(use.of('a')).toBe(0);
  });

  it('tells when less than a limit is left', () => {
    let now = 1_000_000;
    const use = new RecentUse(() => now);
    use.add('a', 300);
    now += 30_000;
    use.add('a', 400);
    expect(use.secondsUntilBelow('a', 701)).toBe(0);
    for (const limit of [700, 401, 400, 1]) {
      const seconds = use.secondsUntilBelow('a', limit);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      const later = new RecentUse(() => now);
      Object.assign(later, structuredClone({ slices: Reflect.get(use, 'slices'), newest: Reflect.get(use, 'newest') }));
      const asked = now;
      now += seconds * 1_000;
      expect(later.of('a')).toBeLessThan(limit);
      now = asked;
    }
    expect(use.secondsUntilBelow('b', 1)).toBe(0);
  });
});
