import { describe, expect, it } from '@jest/globals';
import { PAYMENT_NAMES, type PaymentNames } from '../../../config/index.js';
import { planNamed, priceNames, pricesOf } from './plan-prices.js';

const names = (given: Partial<PaymentNames>): PaymentNames =>
  ({ ...Object.fromEntries(PAYMENT_NAMES.map((name) => [name, undefined])), ...given }) as PaymentNames;

describe('the map of prices and plans', () => {
  it('assigns a price to a plan by the configured identifiers alone', () => {
    const prices = pricesOf(
      names({ PAYMENT_PRICE_ID_PRO: 'p', PAYMENT_PRICE_ID_PRO_EUR: 'e', PAYMENT_PRICE_ID_SCALE: 's' }),
    );
    expect([...prices]).toEqual([
      ['e', 'pro'],
      ['p', 'pro'],
      ['s', 'scale'],
    ]);
    expect(pricesOf(names({})).size).toBe(0);
  });

  it('prefers a price in the currency', () => {
    expect(priceNames('pro', 'eur')).toEqual(['PAYMENT_PRICE_ID_PRO_EUR', 'PAYMENT_PRICE_ID_PRO']);
    expect(priceNames('pro', null)).toEqual(['PAYMENT_PRICE_ID_PRO']);
    expect(priceNames('scale', 'eur')).toEqual(['PAYMENT_PRICE_ID_SCALE']);
  });

  it.each([
    ['business', 'scale'],
    ['pro', 'pro'],
    ['enterprise', 'enterprise'],
    ['free', null],
    ['Pro', null],
    [undefined, null],
  ])('reads %s from the payment provider as the plan %s', (name, plan) => {
    expect(planNamed(name)).toBe(plan);
  });
});
