import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { loadConfig } from '../../../config/index.js';
import { BillingSettings } from './billing-settings.js';
import { PaymentNotConfigured } from './billing.errors.js';

const ENV = {
  ENABLE_PAYMENT_BILLING: 'true',
  ENABLE_PAYMENT_WEBHOOKS: 'on',
  PAYMENT_SECRET_KEY: 'sk_test_1',
  PAYMENT_WEBHOOK_SECRET: 'whsec_1',
  PAYMENT_PRICE_ID_PRO: 'price_pro',
  PAYMENT_PRICE_ID_PRO_EUR: 'price_eur',
  PAYMENT_SUCCESS_URL: 'https://app.example.com/paid?s={CHECKOUT_SESSION_ID}',
  PAYMENT_CANCEL_URL: 'https://app.example.com/plans',
  PAYMENT_PORTAL_RETURN_URL: 'http://localhost:3000/billing',
  PAYMENT_API_BASE: 'http://127.0.0.1:4242',
};
type Use = (settings: BillingSettings) => unknown;

describe('the configuration of the payment provider', () => {
  const told: unknown[] = [];
  const settings = (env: Record<string, string> = {}): BillingSettings =>
    new BillingSettings(loadConfig({ ...ENV, ...env }));

  beforeAll(() => Logger.overrideLogger({ warn: (line: unknown) => told.push(line), log: () => 0, error: () => 0 }));
  beforeEach(() => void told.splice(0));
  afterAll(() => Logger.overrideLogger(['log', 'warn', 'error']));

  const billing: Use = (s) => s.requireBilling();
  const webhook: Use = (s) => s.webhookSecret();
  const connection: Use = (s) => s.connection();

  it.each<[Record<string, string>, Use, string]>([
    [{ ENABLE_PAYMENT_BILLING: '' }, billing, 'ENABLE_PAYMENT_BILLING is not true'],
    [{ ENABLE_PAYMENT_BILLING: 'perhaps' }, billing, 'ENABLE_PAYMENT_BILLING is not true'],
    [{ PAYMENT_SECRET_KEY: '' }, billing, 'PAYMENT_SECRET_KEY is not set'],
    [{ PAYMENT_SECRET_KEY: 'sk_test_1\nPAYMENT_PRICE_ID_PRO=x' }, billing, 'PAYMENT_SECRET_KEY is not a key'],
    [{ PAYMENT_SECRET_KEY: 'sk_test_€' }, webhook, 'PAYMENT_SECRET_KEY is not a key'],
    [{ PAYMENT_SECRET_KEY: 'sk test' }, connection, 'PAYMENT_SECRET_KEY is not a key'],
    [{ ENABLE_PAYMENT_WEBHOOKS: 'off' }, webhook, 'ENABLE_PAYMENT_WEBHOOKS is not true'],
    [{ PAYMENT_SECRET_KEY: ' ' }, webhook, 'PAYMENT_SECRET_KEY is not set'],
    [{ PAYMENT_WEBHOOK_SECRET: '' }, webhook, 'PAYMENT_WEBHOOK_SECRET is not set'],
    [{}, (s) => s.price('scale', null), 'PAYMENT_PRICE_ID_SCALE is not set'],
    [{}, (s) => s.price('enterprise', 'eur'), 'PAYMENT_PRICE_ID_ENTERPRISE is not set'],
    [
      { PAYMENT_PRICE_ID_PRO: '', PAYMENT_PRICE_ID_PRO_EUR: '' },
      (s) => s.price('pro', 'eur'),
      'PAYMENT_PRICE_ID_PRO is not set',
    ],
    [{ PAYMENT_PRICE_ID_PRO: '' }, (s) => s.price('pro', 'usd'), 'PAYMENT_PRICE_ID_PRO is not set'],
    [
      { PAYMENT_PRICE_ID_SCALE: 'price_pro' },
      (s) => s.price('pro', 'usd'),
      'PAYMENT_PRICE_ID_PRO is the price of another plan too',
    ],
    [{ PAYMENT_SUCCESS_URL: '' }, (s) => s.url('PAYMENT_SUCCESS_URL'), 'PAYMENT_SUCCESS_URL is not set'],
    [{ PAYMENT_CANCEL_URL: 'ftp://x' }, (s) => s.url('PAYMENT_CANCEL_URL'), 'PAYMENT_CANCEL_URL is not a URL'],
    [
      { PAYMENT_PORTAL_RETURN_URL: 'x' },
      (s) => s.url('PAYMENT_PORTAL_RETURN_URL'),
      'PAYMENT_PORTAL_RETURN_URL is not a URL',
    ],
    [{ PAYMENT_API_BASE: 'nowhere' }, connection, 'PAYMENT_API_BASE is not the origin of an API'],
    [{ PAYMENT_API_BASE: 'http://x.example/elsewhere' }, connection, 'PAYMENT_API_BASE is not the origin of an API'],
  ])('is refused with %j, and the log has the reason', (env, use, reason) => {
    expect(() => use(settings(env))).toThrow(PaymentNotConfigured);
    expect(told).toEqual([`payment provider: ${reason}`]);
  });

  it('has the values that are set', () => {
    const all = settings();
    expect(() => all.requireBilling()).not.toThrow();
    expect(all.webhookSecret()).toBe('whsec_1');
    expect(all.url('PAYMENT_SUCCESS_URL')).toBe(ENV.PAYMENT_SUCCESS_URL);
    expect([all.price('pro', null), all.price('pro', 'usd'), all.price('pro', 'eur')]).toEqual([
      'price_pro',
      'price_pro',
      'price_eur',
    ]);
    expect(settings({ PAYMENT_PRICE_ID_PRO_EUR: '' }).price('pro', 'eur')).toBe('price_pro');
    expect(told).toEqual([]);
  });

  it.each([
    ['sk_live_1', true],
    ['rk_live_1', true],
    ['sk_test_1', false],
    ['key', null],
  ])('shows by the key %s whether payments are real: %s', (PAYMENT_SECRET_KEY, isLive) => {
    expect(settings({ PAYMENT_SECRET_KEY }).isLive()).toBe(isLive);
  });

  it.each([
    ['', undefined],
    ['http://127.0.0.1:4242', { host: '127.0.0.1', port: 4242, protocol: 'http' }],
    ['http://stand-in/', { host: 'stand-in', port: 80, protocol: 'http' }],
    ['https://[::1]/v1/', { host: '::1', port: 443, protocol: 'https' }],
  ])('has for the URL %j the address %j', (PAYMENT_API_BASE, address) => {
    expect(settings({ PAYMENT_API_BASE }).connection()).toEqual({ secretKey: 'sk_test_1', address });
  });
});
