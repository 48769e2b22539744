/** The parsed environment: frozen, typed, read once. Null or undefined means "not configured". */
export interface Config {
  readonly environment: 'development' | 'test' | 'production';
  readonly http: {
    readonly port: number;
    readonly host: string;
    readonly trustProxy: false | true | number | string;
    /** Without a slash at its end. */
    readonly publicAppUrl: string;
    /** Whether the web page at /console is there. */
    readonly servesConsole: boolean;
    /** Where clients reach this API, without a slash at its end: the base of signed URLs. Undefined: as the request says. */
    readonly publicApiUrl: string | undefined;
    readonly corsOrigins: readonly string[];
    readonly maxBodyBytes: number;
  };
  readonly logLevel: LogLevel;
  /** Which requests have a line in the log: none, those that ended with 5xx or were aborted, or all. */
  readonly accessLog: AccessLog;
  /** Absolute folder of what the embedded parts keep. */
  readonly dataDir: { readonly path: string; readonly isDefault: boolean };
  /** Without a url the service starts an embedded PostgreSQL in the data folder. */
  readonly database: { readonly url: string | undefined; readonly poolSize: number };
  readonly redis: { readonly url: string | undefined };
  readonly rateLimits: {
    readonly backend: 'memory' | 'redis';
    /** Of the Redis that keeps the limits; set when the backend is `redis`. */
    readonly redisUrl: string | undefined;
    /** By policy; they win over the policy's own limits. */
    readonly overrides: Readonly<Partial<Record<RateLimitPolicyName, RateLimitOverride>>>;
    readonly authLoginIp: number;
    readonly authRegisterIp: number;
  };
  readonly queue: { readonly backend: 'postgres' | 'redis' };
  readonly process: { readonly role: ProcessRole; readonly runsApi: boolean; readonly runsWorkers: boolean };
  readonly metering: { readonly enabled: boolean };
  readonly ingestion: {
    readonly mode: IngestMode;
    /** Group commit: at most so many events in one transaction, and at most so long a wait for more of them. */
    readonly batchMax: number;
    readonly batchWaitMs: number;
  };
  readonly quotas: {
    /** Requests a month by plan, where a deployment sets them; null: none. */
    readonly monthlyRequests: Readonly<Partial<Record<string, number | null>>>;
    readonly requestQuotaMessage: string;
    /** Where a blocked organization is sent. */
    readonly upgradeUrl: string;
  };
  readonly tokens: {
    /** PEM texts (EC P-256), the first signs; undefined: generated in the data folder. */
    readonly privateKeys: readonly string[] | undefined;
    readonly accessTtlSeconds: number;
    readonly refreshTtlSeconds: number;
  };
  /** Undefined: generated in the data folder. */
  readonly credentialKeys: 'disabled' | readonly CredentialKey[] | undefined;
  /** The relying party of passkeys: its domain, the name authenticators show, and the origins of its pages. */
  readonly webauthn: { readonly rpId: string; readonly rpName: string; readonly origins: readonly string[] };
  readonly mail: { readonly smtpUrl: string | undefined; readonly from: string };
  /** How processes that run workers look for deliveries that are due; seconds. */
  readonly deliveryRetries: {
    readonly batchSize: number;
    readonly pollSeconds: number;
    readonly leaseSeconds: number;
  };
  /** Sign-in by a provider; undefined: that one is off. */
  readonly oauth: { readonly google: GoogleSignIn | undefined; readonly apple: AppleSignIn | undefined };
  /** Exempt from the safety check of destinations that users give. */
  readonly outbound: { readonly allowedSubnets: readonly Subnet[] };
  readonly storage: {
    /** Undefined: objects are files in the data folder. */
    readonly s3: S3Settings | undefined;
    readonly limits: Readonly<Record<PlanName, PlanStorageLimits>>;
    /** Content of one upload request, in bytes. */
    readonly objectBodyMaxBytes: number;
    /** Whether overage is reported to the payment provider, and so allowed to who pays. */
    readonly meteredBillingEnabled: boolean;
  };
  /** Where events are read, as far as that can tell them. */
  readonly eventReads: EventStoreName;
  /** Days that PostgreSQL has events at least, where ClickHouse has them, too; undefined: for ever. */
  readonly eventsHotDays: number | undefined;
  /** Days that events are kept at least; undefined: for ever. */
  readonly eventRetentionDays: number | undefined;
  /** The ClickHouse that events are copied to; undefined: none. */
  readonly eventStore: ClickHouseSettings | undefined;
  readonly internalJobToken: string | undefined;
  /** Opens /internal/test to tests; only with the environment `test`. */
  readonly testControlToken: string | undefined;
  /** As given, checked when used: a service without them starts. */
  readonly payment: PaymentNames;
  /** The text of ENABLE_BILLING_ADMIN, checked when used. */
  readonly billingAdministration: string | undefined;
  readonly platformAdminEmails: readonly string[];
}

/** Plan identifiers, lowest first (SERVICE 2.1). */
export const PLAN_NAMES = ['free', 'pro', 'scale', 'enterprise'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** In bytes; null: none (SERVICE 2.2, DECISIONS 13). */
export interface PlanStorageLimits {
  readonly storageBytes: number | null;
  /** Content sent in a UTC month. */
  readonly bandwidthBytes: number | null;
  readonly fileBytes: number | null;
}

export interface S3Settings {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The bucket stands in the path, not in the host name. */
  readonly forcePathStyle: boolean;
}

export const EVENT_STORES = ['postgres', 'clickhouse'] as const;
export type EventStoreName = (typeof EVENT_STORES)[number];

export interface ClickHouseSettings {
  /** Of its HTTP interface, without user, password and query. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** As the server's configuration names it; undefined: a single server. */
  readonly cluster: string | undefined;
}

/** The policies of SERVICE 8.2. */
export const RATE_LIMIT_POLICY_NAMES = [
  'auth-login',
  'auth-register',
  'organization-invite-create',
  'organization-invite-owner-action',
  'events',
  'project-events-explorer',
  'project-dashboard',
  'api-keys-machine-auth',
  'api-keys-mutate',
  'billing-status',
  'billing-admin',
  'billing-self-serve',
  'search',
  'analytics',
  'eql',
  'logs',
  'performance',
  'usage',
] as const;
export type RateLimitPolicyName = (typeof RATE_LIMIT_POLICY_NAMES)[number];

export interface RateLimitOverride {
  readonly ip: number;
  /** Undefined: the policy's own. */
  readonly credential: number | undefined;
}

export const INGEST_MODES = ['direct', 'batched', 'queued'] as const;
export type IngestMode = (typeof INGEST_MODES)[number];

export type ProcessRole = 'api' | 'worker' | 'all';
export const ACCESS_LOGS = ['off', 'errors', 'all'] as const;
export type AccessLog = (typeof ACCESS_LOGS)[number];

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface CredentialKey {
  readonly id: string;
  readonly key: Buffer;
}

export interface Subnet {
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  /** Length of the prefix in bits. */
  readonly prefix: number;
}

export interface GoogleSignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface AppleSignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly teamId: string;
  readonly keyId: string;
  /** PEM (EC P-256); signs the client secret of each request to the token endpoint. */
  readonly privateKey: string;
}

/** What the environment says about the payment provider, by name. */
export type PaymentNames = Readonly<Record<PaymentName, string | undefined>>;

export const PAYMENT_NAMES = [
  'ENABLE_PAYMENT_BILLING',
  'ENABLE_PAYMENT_WEBHOOKS',
  'PAYMENT_SECRET_KEY',
  'PAYMENT_WEBHOOK_SECRET',
  'PAYMENT_PRICE_ID_PRO',
  'PAYMENT_PRICE_ID_PRO_EUR',
  'PAYMENT_PRICE_ID_SCALE',
  'PAYMENT_PRICE_ID_ENTERPRISE',
  'PAYMENT_SUCCESS_URL',
  'PAYMENT_CANCEL_URL',
  'PAYMENT_PORTAL_RETURN_URL',
  'PAYMENT_API_BASE',
] as const;
export type PaymentName = (typeof PAYMENT_NAMES)[number];

/** Injection token of the whole {@link Config}. */
export const CONFIG = Symbol('CONFIG');
