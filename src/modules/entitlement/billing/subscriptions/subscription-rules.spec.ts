import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  billingStatusOf,
  counts,
  isOver,
  presentOf,
  showsPayment,
  SIGHT_KINDS,
  type Sight,
  standingAfter,
  STATUS_TABLE,
  verdictOn,
  withHold,
} from './subscription-rules.js';

const at = (second: number, seenKind: number): Sight => ({ seenAt: new Date(second * 1000), seenKind });
const { begun, changed, ended } = SIGHT_KINDS;

describe('news of a subscription', () => {
  it.each([
    ['the first', at(5, changed), null, 'apply'],
    ['later', at(6, begun), at(5, ended), 'apply'],
    ['earlier', at(4, ended), at(5, begun), 'outdated'],
    ['an end in the same second as a change', at(5, ended), at(5, changed), 'apply'],
    ['a beginning in the same second as a change', at(5, begun), at(5, changed), 'outdated'],
    ['a change in the same second as the beginning', at(5, changed), at(5, begun), 'apply'],
    ['a second change in one second', at(5, changed), at(5, changed), 'ask'],
    ['a second end', at(5, ended), at(5, ended), 'outdated'],
    ['a second beginning', at(5, begun), at(5, begun), 'outdated'],
  ])('is applied, outdated or looked up when it is %s', (_, news, known, verdict) => {
    expect(verdictOn(news, known)).toBe(verdict);
  });

  it('ends with the newest, in whatever order it comes, unless the provider has to be asked', () => {
    const sights = fc.array(
      fc.record({ second: fc.integer({ min: 0, max: 6 }), kind: fc.constantFrom(begun, changed, ended) }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(sights, fc.infiniteStream(fc.nat()), (list, random) => {
        const order = list
          .map(({ second, kind }) => ({ sight: at(second, kind), rank: random.next().value }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ sight }) => sight);
        let known: Sight | null = null;
        for (const news of order) if (verdictOn(news, known) !== 'outdated') known = news;
        const newest = [...order].sort((a, b) => b.seenAt.getTime() - a.seenAt.getTime() || b.seenKind - a.seenKind)[0];
        expect(known).toEqual(newest);
      }),
    );
  });
});

/**
 * Maps each status to its meaning for the holder: when the subscription is first seen with it, and after it was paid
 * for.
 */
const MEANINGS: Record<string, { first: string; paid: string }> = {
  active: { first: 'active', paid: 'active' },
  trialing: { first: 'trialing', paid: 'trialing' },
  past_due: { first: 'past_due', paid: 'past_due' },
  unpaid: { first: 'inactive', paid: 'inactive' },
  paused: { first: 'inactive', paid: 'inactive' },
  incomplete: { first: 'unchanged', paid: 'inactive' },
  incomplete_expired: { first: 'unchanged', paid: 'inactive' },
  canceled: { first: 'canceled', paid: 'canceled' },
  unheard_of: { first: 'unchanged', paid: 'unchanged' },
};
const STATUSES = Object.keys(MEANINGS);
const PAYING = ['active', 'trialing', 'past_due', 'unpaid', 'paused'];

describe('the table of statuses', () => {
  interface News extends Sight {
    readonly status: string;
  }

  const news = (status: string, second: number, kind: number = changed): News => ({ ...at(second, kind), status });

  /** Returns the billing status of the holder after these events, in the order of their arrival. */
  function holderAfter(events: readonly News[]): string {
    let known = null as (News & { wasPaid: boolean }) | null;
    for (const event of events) {
      if (known !== null && verdictOn(event, known) === 'outdated') {
        known = { ...known, wasPaid: known.wasPaid || showsPayment(event.status) };
      } else {
        known = { seenAt: event.seenAt, seenKind: event.seenKind, ...standingAfter(known, event) };
      }
    }
    return known !== null && counts(known) ? (billingStatusOf(known.status) ?? 'unchanged') : 'unchanged';
  }

  it('is the whole list of known statuses', () => {
    expect([...Object.keys(STATUS_TABLE), 'unheard_of'].sort()).toEqual([...STATUSES].sort());
    expect(STATUSES.filter(showsPayment)).toEqual(PAYING);
  });

  it.each(STATUSES)('says what %s means when it is seen first', (status) => {
    expect(holderAfter([news(status, 1)])).toBe(MEANINGS[status]?.first);
  });

  const pairs = STATUSES.flatMap((one) => STATUSES.map((two) => [one, two] as const));

  it.each(pairs)('says what %s and then %s mean', (earlier, later) => {
    const isPaid = PAYING.includes(earlier) || earlier === 'canceled';
    const isStillUnpaid = later === 'canceled' && !isPaid;
    const expected = isStillUnpaid ? 'unchanged' : MEANINGS[later]?.[isPaid ? 'paid' : 'first'];
    expect(holderAfter([news(earlier, 1), news(later, 2)])).toBe(expected);
  });

  it.each(pairs)('says what a late %s changes after %s', (earlier, later) => {
    const isPaid = PAYING.includes(earlier) || later === 'canceled';
    expect(holderAfter([news(later, 2), news(earlier, 1)])).toBe(MEANINGS[later]?.[isPaid ? 'paid' : 'first']);
  });

  it('leaves the holder alone when a first payment fails, in every order and with repeats', () => {
    const life = [
      news('incomplete', 1, begun),
      news('incomplete', 2),
      news('incomplete_expired', 3),
      news('incomplete_expired', 3, ended),
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...life), { minLength: 1, maxLength: 8 }), (events) => {
        expect(holderAfter(events)).toBe('unchanged');
      }),
    );
  });

  it('ends as canceled when a subscription that was paid for is deleted, whatever status the event repeats', () => {
    for (const status of ['incomplete', 'incomplete_expired', 'canceled']) {
      const life = [news('incomplete', 1, begun), news('active', 2), news(status, 3, ended)];
      for (const order of [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
      ]) {
        const events = order.flatMap((index) => life[index] ?? []);
        const isKnownEarly = order.indexOf(1) < order.indexOf(2) || status === 'canceled';
        expect(holderAfter(events)).toBe(isKnownEarly ? 'canceled' : 'inactive');
      }
    }
  });

  it('lets a completed checkout count until the events of its subscription come', () => {
    const checkout = news('active', 0, begun);
    expect(holderAfter([checkout])).toBe('active');
    expect(holderAfter([checkout, news('incomplete', 1, begun)])).toBe('unchanged');
    expect(holderAfter([checkout, news('canceled', 1, ended)])).toBe('canceled');
  });
});

describe('the evaluation of subscriptions', () => {
  it.each([
    ['active', 'active', false],
    ['trialing', 'trialing', false],
    ['past_due', 'past_due', false],
    ['unpaid', 'inactive', false],
    ['incomplete', 'inactive', false],
    ['incomplete_expired', 'inactive', true],
    ['paused', 'inactive', false],
    ['canceled', 'canceled', true],
    ['something_new', null, false],
    ['constructor', null, false],
  ])('maps the status %s to the billing status %s', (status, billingStatus, over) => {
    expect(billingStatusOf(status)).toBe(billingStatus);
    expect(isOver(status)).toBe(over);
  });

  const subscription = (id: string, status: string, started: number, seen = started) => ({
    id,
    status,
    startedAt: new Date(started),
    seenAt: new Date(seen),
  });

  it.each([
    ['none of an empty list', [], null],
    ['the newest of the paid ones', [subscription('a', 'active', 1), subscription('b', 'trialing', 2)], 'b'],
    [
      'a paid one before a newer one that is over',
      [subscription('a', 'active', 1), subscription('b', 'canceled', 2)],
      'a',
    ],
    [
      'a paid one before a newer one that waits',
      [subscription('a', 'past_due', 1), subscription('b', 'incomplete', 2)],
      'a',
    ],
    [
      'one that waits before one that is over',
      [subscription('a', 'paused', 1), subscription('b', 'incomplete_expired', 2)],
      'a',
    ],
    ['the newest of those that are over', [subscription('a', 'canceled', 1), subscription('b', 'canceled', 2)], 'b'],
    [
      'the one updated last of two made at once',
      [subscription('b', 'active', 1, 2), subscription('a', 'active', 1, 3)],
      'a',
    ],
    [
      'always the same of two made and updated at once',
      [subscription('b', 'active', 1), subscription('a', 'active', 1)],
      'b',
    ],
  ])('counts, of several subscriptions, %s', (_, list, present) => {
    expect(presentOf(list)?.id ?? null).toBe(present);
    expect(presentOf([...list].reverse())?.id ?? null).toBe(present);
  });

  it.each([
    ['active', null, 'past_due', 'past_due', null],
    ['active', null, null, 'active', null],
    ['blocked', null, 'active', 'blocked', 'blocked'],
    ['suspended', null, 'inactive', 'suspended', 'suspended'],
    ['blocked', null, 'canceled', 'canceled', 'blocked'],
    ['canceled', 'blocked', 'active', 'blocked', 'blocked'],
    ['canceled', 'suspended', 'canceled', 'canceled', 'suspended'],
    ['canceled', null, 'active', 'active', null],
  ] as const)(
    'changes an organization that is %s with the hold %s by the status %s to %s',
    (status, hold, news, then, kept) => {
      expect(withHold({ billingStatus: status, billingHold: hold }, news)).toEqual({
        billingStatus: then,
        billingHold: kept,
      });
    },
  );
});
