import type * as Sdk from '@aws-sdk/client-s3';
import type { S3Settings } from '../../config/index.js';
import { orAborted } from './abortable.js';

export interface S3Limits {
  /** How long a store may pause while it receives or sends a blob. */
  readonly idleMs: number;
  /** The limit of a call without a blob, including all attempts, and of the first byte of an answer with a blob. */
  readonly callMs: number;
  /** The limit of creating a blob from parts. Services copy the parts before they answer. */
  readonly completeMs: number;
  /** The limit of a health check. */
  readonly healthMs: number;
}

export const S3_LIMITS: S3Limits = { idleMs: 15_000, callMs: 10_000, completeMs: 300_000, healthMs: 3_000 };

/** Slow readers hold connections. The memory for blobs in flight must run out before the connections do. */
const MOST_CONNECTIONS = 1_024;
const CONNECT_WITHIN_MS = 3_000;
const TRIES = 3;
/** Callers log the errors that they get. By default the SDK would also write to the console. */
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
      // With checksums, the SDK sends streams in chunks with a trailer, which services other than Amazon's refuse.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // Waiting for "100 Continue" would use a new connection for each blob.
      expectContinueHeader: false,
      // The settings below ignore the configuration files and variables of Amazon's tools on this machine.
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
 * Applies a time limit and the signal to a call. Also ends the pause between two attempts, in which the SDK ignores
 * signals.
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
