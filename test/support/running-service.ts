import type { PaymentSettings } from './payment-settings.mjs';
import { LeftOut } from './left-out.js';
import { askProgram } from './programs/ask.js';

/** The settings of the service that the run started; see `programs/service.mjs`. */
interface RunningService {
  readonly url: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly internalToken: string;
  readonly controlToken: string;
  /** `control` is the address where a stand-in of the payment provider registers; see `payments.ts`. */
  readonly payments: PaymentSettings & { readonly control: string };
  /** The address of the account that administers the platform. */
  readonly platformAdminEmail: string;
  /** The providers with which people can sign in; see `programs/oidc.mjs`. */
  readonly oauth: {
    readonly google: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
    readonly apple: { readonly issuer: string; readonly clientId: string };
  };
  /** The OpenID Connect providers of the configuration. */
  readonly sso: { readonly acme: { readonly issuer: string }; readonly globex: { readonly issuer: string } };
  /** `control` is the address where the replies of the service's name server are set; see `name-server.ts`. */
  readonly nameServer: { readonly control: string };
}

/** Whether the suites of this file use a service that reads events from ClickHouse. */
export const isOnClickHouse = process.env.TEST_READS === 'clickhouse';

/** Without a database, accounts are created over HTTP. */
export const hasDatabase = !process.env.TEST_BASE_URL || Boolean(process.env.TEST_SERVICE_DATABASE_URL);

/** Whether tests can run background jobs. Without, the service runs them by itself within a second or some. */
export const hasInternalJobs = !process.env.TEST_BASE_URL || Boolean(process.env.TEST_SERVICE_INTERNAL_TOKEN);

/** The built service that all black-box suites of a run share, or a deployment. Every test has a tenant of its own. */
export const service: RunningService = process.env.TEST_BASE_URL
  ? deploymentAt(process.env.TEST_BASE_URL)
  : await sharedService();

async function sharedService(): Promise<RunningService> {
  const started = await askProgram<RunningService>(isOnClickHouse ? 'service-on-clickhouse' : 'service');
  if ('absent' in started) throw new Error(started.absent);
  return started;
}

/** Environment variables say what a deployment offers; see `docs/testing-over-http.md`. */
function deploymentAt(url: string): RunningService {
  return {
    url: new URL(url).origin,
    get databaseUrl() {
      return variable('TEST_SERVICE_DATABASE_URL');
    },
    get dataDir() {
      return variable('TEST_SERVICE_DATA_DIR');
    },
    get internalToken() {
      return variable('TEST_SERVICE_INTERNAL_TOKEN');
    },
    get controlToken() {
      return variable('TEST_SERVICE_CONTROL_TOKEN');
    },
    get payments(): never {
      throw new LeftOut('needs the payment provider of a test run');
    },
    get platformAdminEmail(): never {
      throw new LeftOut('needs the platform administrator of a test run');
    },
    get oauth(): never {
      throw new LeftOut('needs the sign-in providers of a test run');
    },
    get sso(): never {
      throw new LeftOut('needs the sign-in providers of a test run');
    },
    get nameServer(): never {
      throw new LeftOut('needs the name server of a test run');
    },
  };
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new LeftOut(`needs ${name}`);
  return value;
}
