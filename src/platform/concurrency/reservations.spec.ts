import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OverloadedError, KeyOverloadedError } from './overload.js';
import { Reservations } from './reservations.js';

describe('places', () => {
  it('are never more than there are, of all and of each share, and all come back', () => {
    const acts = fc.array(fc.record({ share: fc.constantFrom('a', 'b', 'c'), takes: fc.boolean(), which: fc.nat(9) }), {
      maxLength: 80,
    });
    const options = fc.record({ most: fc.nat(6), mostOfShare: fc.nat(4) });
    fc.assert(
      fc.property(acts, options, (list, bounds) => {
        const places = new Reservations(bounds);
        const held: { share: string; giveBack: () => void }[] = [];
        for (const { share, takes, which } of list) {
          const own = held.filter((place) => place.share === share).length;
          if (!takes) {
            const [place] = held.splice(which % (held.length + 1), 1);
            // Returning a place twice returns it once.
            place?.giveBack();
            place?.giveBack();
          } else if (own >= bounds.mostOfShare) {
            expect(() => places.take(share)).toThrow(KeyOverloadedError);
          } else if (held.length >= bounds.most) {
            expect(() => places.take(share)).toThrow(OverloadedError);
          } else {
            held.push({ share, giveBack: places.take(share) });
          }
          expect(places.taken).toBe(held.length);
        }
        for (const { giveBack } of held) giveBack();
        expect(places.taken).toBe(0);
      }),
    );
  });
});
