import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RecentlyUsed } from './recently-used.js';

describe('what was used recently', () => {
  it('is what stays, and no more of it than may', () => {
    const uses = fc.array(fc.record({ key: fc.nat({ max: 9 }), isSet: fc.boolean() }), { maxLength: 100 });
    fc.assert(
      fc.property(uses, fc.integer({ min: 1, max: 5 }), (all, most) => {
        const kept = new RecentlyUsed<number, { readonly at: number }>(most);
        /** The last used last. */
        let model: { readonly key: number; readonly at: number }[] = [];
        for (const [at, { key, isSet }] of all.entries()) {
          const known = model.find((one) => one.key === key);
          if (isSet) kept.set(key, { at });
          else expect(kept.get(key)?.at).toBe(known?.at);
          const used = isSet ? { key, at } : known;
          if (used !== undefined) model = [...model.filter((one) => one.key !== key), used].slice(-most);
          expect(kept.size).toBe(model.length);
        }
      }),
    );
  });
});
