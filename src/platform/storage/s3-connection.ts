import type * as Sdk from '@aws-sdk/client-s3';
import type { S3Settings } from '../../config/index.js';
import { orAborted } from './abortable.js';

export interface S3Limits {
  /** How long a store may make no progress while it receives or sends a blob. */
  readonly idleMs: number;
  /**
   * The time limit of a call without a blob, including all attempts. It also limits the wait for the first byte of a
   * blob.
   */
  readonly callMs: number;
  /** The time limit for creating a blob from parts. Some services copy the parts before they answer. */
  readonly completeMs: number;
  /** The limit of a health check. */
  readonly healthMs: number;
}

export const S3_LIMITS: S3Limits = { idleMs: 15_000, callMs: 10_000, completeMs: 300_000, healthMs: 3_000 };

/**
 * The maximum number of connections. Slow readers hold connections for long, so the limit on memory for blobs in flight
 * must be reached before this one.
 */
const MOST_CONNECTIONS = 1_024;
const CONNECT_WITHIN_MS = 3_000;
const TRIES = 3;
/** Disables the SDK's own logging, which would write to the console. Callers log the errors that they get. */
const silent = (): void => undefined;
const SILENT = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/** Loads the SDK on demand and offers two clients, with and without retries. */
export class S3Connection {
  private constructor(
    readonly sdk: typeof Sdk,
    /** The client for calls that may be retried. */
    private readonly patient: Sdk.S3Client,
    /** The client for calls with a stream, which can be sent only once. */
    readonly once: Sdk.S3Client,
    readonly bucket: string,
    readonly limits: S3Limits,
  ) {}

  /** Creates the clients without calling the service. */
  static async open(settings: S3Settings, limits: S3Limits): Promise<S3Connection> {
    const sdk = await import('@aws-sdk/client-s3');
    const agent = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
    const shared = {
      endpoint: settings.endpoint,
      region: settings.region,
      credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
      forcePathStyle: settings.forcePathStyle,
      logger: SILENT,
      // With checksums, the SDK sends streams in chunks with a trailer, which many S3-compatible services refuse.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // The SDK would use a new connection for each blob when it waits for "100 Continue".
      expectContinueHeader: false,
      // With the settings below, configuration files and variables for Amazon's tools on this machine have no effect.
      retryMode: 'standard',
      defaultsMode: 'standard',
      useDualstackEndpoint: false,
      useFipsEndpoint: false,
      useArnRegion: false,
      disableS3ExpressSessionAuth: true,
      disableMultiregionAccessPoints: true,
      ignoreConfiguredEndpointUrls: true,
    } satisfies Sdk.S3ClientConfig;
    const once = new sdk.S3Client({
      ...shared,
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: CONNECT_WITHIN_MS,
        httpAgent: agent,
        httpsAgent: agent,
        logger: SILENT,
      },
    });
    const patient = new sdk.S3Client({ ...shared, maxAttempts: TRIES, requestHandler: once.config.requestHandler });
    return new S3Connection(sdk, patient, once, settings.bucket, limits);
  }

  /** Makes a call without a stream, with retries. @throws the SDK's error, or the signal's reason */
  call<T>(
    make: (client: Sdk.S3Client, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | null = null,
    milliseconds = this.limits.callMs,
  ): Promise<T> {
    return bounded(milliseconds, signal, (bound) => make(this.patient, bound));
  }

  /** As {@link call}, but without retries. */
  try<T>(
    make: (client: Sdk.S3Client, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | null = null,
    milliseconds = this.limits.callMs,
  ): Promise<T> {
    return bounded(milliseconds, signal, (bound) => make(this.once, bound));
  }

  close(): void {
    this.patient.destroy();
    this.once.destroy();
  }
}

/**
 * Applies a time limit and the signal to a call. This also ends a pause between two attempts, during which the SDK
 * ignores the signal.
 */
async function bounded<T>(
  milliseconds: number,
  signal: AbortSignal | null,
  make: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const bound = new AbortController();
  const late = Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => bound.abort(late), milliseconds);
  const abort = (): void => bound.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await orAborted(make(bound.signal), bound.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
