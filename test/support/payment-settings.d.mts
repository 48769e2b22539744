export interface PaymentSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly prices: Readonly<Record<'pro' | 'proEur' | 'scale' | 'enterprise', string>>;
}

export function newPaymentSettings(): PaymentSettings;

/** The variables of a service whose payment provider is at `apiBase`. */
export function paymentEnv(settings: PaymentSettings, apiBase: string): Record<string, string>;
