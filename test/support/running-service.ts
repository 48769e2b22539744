import type { PaymentSettings } from './payment-settings.mjs';
import { askProgram } from './programs/ask.js';

/** What the run started: see `programs/service.mjs`. */
interface RunningService {
  readonly url: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly internalToken: string;
  readonly controlToken: string;
  /** `control` is where a stand-in of the payment provider registers: see `payments.ts`. */
  readonly payments: PaymentSettings & { readonly control: string };
  /** The address of the account that administers the platform. */
  readonly platformAdminEmail: string;
  /** The providers by which people can sign in: see `programs/oidc.mjs`. */
  readonly oauth: {
    readonly google: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
    readonly apple: { readonly issuer: string; readonly clientId: string };
  };
}

/** Whether the suites of this file run on a service that reads events from ClickHouse. */
export const isOnClickHouse = process.env.TEST_READS === 'clickhouse';

const started = await askProgram<RunningService>(isOnClickHouse ? 'service-on-clickhouse' : 'service');
if ('absent' in started) throw new Error(started.absent);

/** The built service, which all black-box suites of a run share. Every test is a tenant of its own. */
export const service: RunningService = started;
