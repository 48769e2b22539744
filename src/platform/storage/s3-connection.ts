import type * as Sdk from '@aws-sdk/client-s3';
import type { S3Settings } from '../../config/index.js';
import { orAborted } from './abortable.js';

export interface S3Limits {
  /** How long a store may take nothing, or send nothing, of a blob. */
  readonly idleMs: number;
  /** Of a call without a blob, with all its tries; of the first byte of an answer with one. */
  readonly callMs: number;
  /** Of making one blob of parts: services copy them, and answer when they have. */
  readonly completeMs: number;
  /** Of the question whether it is well. */
  readonly healthMs: number;
}

export const S3_LIMITS: S3Limits = { idleMs: 15_000, callMs: 10_000, completeMs: 300_000, healthMs: 3_000 };

/** Slow readers keep connections: they must not run out before memory for blobs under way does. */
const MOST_CONNECTIONS = 1_024;
const CONNECT_WITHIN_MS = 3_000;
const TRIES = 3;
/** Who gets an error tells of it; by itself the SDK would write to the console. */
const silent = (): void => undefined;
const SILENT = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/** The SDK, loaded when it is needed, with the two ways of calling that a store wants. */
export class S3Connection {
  private constructor(
    readonly sdk: typeof Sdk,
    /** Calls that may be made again. */
    private readonly patient: Sdk.S3Client,
    /** Those with a stream, which is gone once it was sent. */
    readonly once: Sdk.S3Client,
    readonly bucket: string,
    readonly limits: S3Limits,
  ) {}

  /** Asks nothing of the service yet. */
  static async open(settings: S3Settings, limits: S3Limits): Promise<S3Connection> {
    const sdk = await import('@aws-sdk/client-s3');
    const agent = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
    const shared = {
      endpoint: settings.endpoint,
      region: settings.region,
      credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
      forcePathStyle: settings.forcePathStyle,
      logger: SILENT,
      // With checksums streams go in chunks with a trailer, which other services than Amazon's do not take.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // A wait for "100 Continue" would take a new connection for each blob.
      expectContinueHeader: false,
      // Nothing of the files and names of Amazon's tools on this machine.
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

  /** Makes a call without a stream, several times if need be. @throws what the SDK does, or the signal's reason */
  call<T>(
    make: (client: Sdk.S3Client, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | null = null,
    milliseconds = this.limits.callMs,
  ): Promise<T> {
    return bounded(milliseconds, signal, (bound) => make(this.patient, bound));
  }

  /** {@link call} made once. */
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

/** Also ends a pause between two tries, which the SDK sleeps through. */
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
