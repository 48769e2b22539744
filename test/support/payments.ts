import { endOfFile } from './end-of-file.js';
import { PaymentStandIn } from './payment-provider.js';
import { service } from './running-service.js';
import type { Account, Tenant } from './service.js';

/** The payment provider of the shared service for one spec file; see `programs/payment-relay.mjs`. */
export class Payments extends PaymentStandIn {
  static override async start(): Promise<Payments> {
    const payments = new Payments(service.payments);
    await payments.open();
    endOfFile.push(() => payments.close());
    await payments.tellRelay('POST', [payments.token]);
    return payments;
  }

  /**
   * Routes requests of the service that name one of these tenants or accounts to this stand-in, because such requests
   * may have no id of it yet.
   */
  async serves(...holders: readonly (Account | Pick<Tenant, 'organizationId' | 'owner'>)[]): Promise<void> {
    const words = holders.flatMap((holder) =>
      'owner' in holder ? [holder.organizationId, holder.owner.id] : [holder.id],
    );
    await this.tellRelay('POST', words);
  }

  override async close(): Promise<void> {
    await this.tellRelay('DELETE');
    await super.close();
  }

  private async tellRelay(method: 'POST' | 'DELETE', words?: readonly string[]): Promise<void> {
    const { status } = await fetch(service.payments.control, {
      method,
      body: JSON.stringify({ origin: this.origin, words }),
    });
    if (status !== 204) throw new Error(`the payment relay answers ${status}`);
  }
}

/**
 * Starts the payment provider of a spec file. Its tests register their tenants with `serves`. It ends with the file.
 */
export function startPayments(): Promise<Payments> {
  return Payments.start();
}
