/** The parsed environment: frozen, typed, read once. Null or undefined means "not configured". */
export interface Config {
  readonly environment: 'development' | 'test' | 'production';
  readonly http: {
    readonly port: number;
    readonly host: string;
    readonly trustProxy: false | true | number | string;
    readonly publicAppUrl: string;
    readonly corsOrigins: readonly string[];
    readonly maxBodyBytes: number;
  };
  readonly logLevel: LogLevel;
  /** Absolute folder of what the embedded parts keep. */
  readonly dataDir: { readonly path: string; readonly isDefault: boolean };
  /** Without a url the service starts an embedded PostgreSQL in the data folder. */
  readonly database: { readonly url: string | undefined; readonly poolSize: number };
  readonly redis: { readonly url: string | undefined };
  readonly queue: { readonly backend: 'postgres' | 'redis' };
  readonly process: { readonly role: ProcessRole; readonly runsApi: boolean; readonly runsWorkers: boolean };
  readonly metering: { readonly enabled: boolean };
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
  readonly internalJobToken: string | undefined;
  readonly platformAdminEmails: readonly string[];
}

export type ProcessRole = 'api' | 'worker' | 'all';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface CredentialKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Injection token of the whole {@link Config}. */
export const CONFIG = Symbol('CONFIG');
