import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config, type PaymentName } from '../../../config/index.js';
import type { PaidPlan } from '../../tenancy/organizations/index.js';
import { PaymentNotConfigured } from './billing.errors.js';
import { type Currency, type PlanPrices, priceNames, pricesOf } from './plan-prices.js';

const TRUE = new Set(['true', '1', 'yes', 'on']);
/** Matches what an HTTP header may contain. Any other key would cause an error whose message contains the key. */
const KEY = /^[\x21-\x7e]+$/;

export interface ProviderConnection {
  readonly secretKey: string;
  /** Undefined when the provider's own address is used. */
  readonly address: { readonly host: string; readonly port: number; readonly protocol: 'http' | 'https' } | undefined;
}

/**
 * The settings of the payment provider, checked when they are used. A missing or wrong setting is logged by name. The
 * response says only that the provider is not configured.
 */
@Injectable()
export class BillingSettings {
  readonly prices: PlanPrices;
  private readonly logger = new Logger('billing');

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.prices = pricesOf(config.payment);
  }

  /** @throws PaymentNotConfigured unless checkout, sync and portal are enabled and the secret key is set */
  requireBilling(): void {
    this.requireOn('ENABLE_PAYMENT_BILLING');
    this.secretKey();
  }

  /**
   * Returns the secret that signs webhook requests.
   * @throws PaymentNotConfigured unless the webhook is enabled and its secrets are set
   */
  webhookSecret(): string {
    this.requireOn('ENABLE_PAYMENT_WEBHOOKS');
    this.secretKey();
    return this.required('PAYMENT_WEBHOOK_SECRET');
  }

  /** Returns whether the key is for real payments, or null when the key does not show it. */
  isLive(): boolean | null {
    const mode = /^[a-z]+_(live|test)_/.exec(this.secretKey())?.[1];
    return mode === undefined ? null : mode === 'live';
  }

  connection(): ProviderConnection {
    return { secretKey: this.secretKey(), address: this.address() };
  }

  /**
   * Returns the price identifier. A plan without a price in the currency has its general price, which holds for every
   * currency.
   */
  price(plan: PaidPlan, currency: Currency | null): string {
    const names = priceNames(plan, currency);
    const name = names.find((candidate) => this.config.payment[candidate] !== undefined);
    const used = name ?? names[names.length - 1] ?? 'PAYMENT_PRICE_ID_PRO';
    const price = this.required(used);
    // A customer who pays this price would get the other plan.
    if (this.prices.get(price) !== plan) this.refuse(`${used} is the price of another plan too`);
    return price;
  }

  /** Returns a URL to which the provider redirects the browser. */
  url(name: 'PAYMENT_SUCCESS_URL' | 'PAYMENT_CANCEL_URL' | 'PAYMENT_PORTAL_RETURN_URL'): string {
    const value = this.required(name);
    const { protocol } = URL.parse(value) ?? {};
    if (protocol !== 'https:' && protocol !== 'http:') this.refuse(`${name} is not a URL`);
    return value;
  }

  private secretKey(): string {
    const key = this.required('PAYMENT_SECRET_KEY');
    return KEY.test(key) ? key : this.refuse('PAYMENT_SECRET_KEY is not a key');
  }

  private address(): ProviderConnection['address'] {
    const base = this.config.payment.PAYMENT_API_BASE;
    if (base === undefined) return undefined;
    const url = URL.parse(base);
    if (url === null || !/^https?:$/.test(url.protocol) || !/^(\/|\/v1\/?)$/.test(url.pathname)) {
      return this.refuse('PAYMENT_API_BASE is not the origin of an API');
    }
    const protocol = url.protocol === 'http:' ? 'http' : 'https';
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (protocol === 'http' ? 80 : 443),
      protocol,
    };
  }

  private requireOn(name: 'ENABLE_PAYMENT_BILLING' | 'ENABLE_PAYMENT_WEBHOOKS'): void {
    if (!TRUE.has(this.config.payment[name]?.toLowerCase() ?? '')) this.refuse(`${name} is not true`);
  }

  private required(name: PaymentName): string {
    return this.config.payment[name] ?? this.refuse(`${name} is not set`);
  }

  private refuse(reason: string): never {
    this.logger.warn(`payment provider: ${reason}`);
    throw new PaymentNotConfigured();
  }
}
