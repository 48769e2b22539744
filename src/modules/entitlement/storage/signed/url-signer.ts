import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config, RUNTIME_SECRETS, type RuntimeSecrets } from '../../../../config/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { apiBaseOf } from '../../../../platform/http/api-base.js';
import { InvalidSignedUrl, SignedUrlsUnavailable } from '../storage.errors.js';

const KEY_BYTES = 32;
const INFO = 'object-url';

export type SignedMethod = 'GET' | 'PUT';
export const DISPOSITIONS = ['attachment', 'inline'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

/**
 * The signed values: the method, the path as written, the expiry, and the disposition of the content (empty for a
 * part).
 */
export interface Signable {
  readonly method: SignedMethod;
  readonly path: string;
  readonly expiresAt: Date;
  readonly disposition: Disposition | '';
}

/** The query of a signed URL, as it was sent. */
export interface SignedQuery {
  readonly expires?: unknown;
  readonly disposition?: unknown;
  readonly key?: unknown;
  readonly signature?: unknown;
}

/**
 * Signs URLs that need no credential. Anyone who has such a URL may do the one thing that it names, until it expires.
 */
@Injectable()
export class UrlSigner {
  /** The keys by id. The first key signs. */
  private readonly keys: ReadonlyMap<string, Buffer>;

  constructor(
    @Inject(RUNTIME_SECRETS) { credentialKeys }: RuntimeSecrets,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {
    const keys = credentialKeys === 'disabled' ? [] : credentialKeys;
    this.keys = new Map(
      keys.map(({ id, key }) => [id, Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), INFO, KEY_BYTES))]),
    );
  }

  get isAvailable(): boolean {
    return this.keys.size > 0;
  }

  /** @throws SignedUrlsUnavailable while credential encryption is switched off */
  sign(request: Request, signable: Signable): string {
    const [first] = this.keys;
    if (first === undefined) throw new SignedUrlsUnavailable();
    const [id, key] = first;
    const expires = String(Math.floor(signable.expiresAt.getTime() / 1_000));
    const query = new URLSearchParams({ expires });
    if (signable.disposition !== '') query.set('disposition', signable.disposition);
    query.set('key', id);
    query.set('signature', signatureOf(key, signable.method, signable.path, expires, signable.disposition));
    // The base is not signed: a signed path is valid wherever the service is reached.
    return `${apiBaseOf(this.config.http.publicApiUrl, request)}${signable.path}?${query.toString()}`;
  }

  /**
   * Verifies the signature of a request before anything else of the request is used.
   * @returns the seconds until the URL expires, and its disposition
   * @throws InvalidSignedUrl
   */
  verify(
    method: SignedMethod,
    path: string,
    given: SignedQuery,
  ): { secondsLeft: number; disposition: Disposition | '' } {
    const { expires, disposition = '', key: id, signature } = given;
    if (typeof expires !== 'string' || typeof id !== 'string' || typeof signature !== 'string')
      throw new InvalidSignedUrl();
    const key = this.keys.get(id);
    if (key === undefined || !isDisposition(disposition, method)) throw new InvalidSignedUrl();
    const expected = Buffer.from(signatureOf(key, method, path, expires, disposition));
    const sent = Buffer.from(signature);
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw new InvalidSignedUrl();
    const secondsLeft = Number(expires) - this.clock.now().getTime() / 1_000;
    if (!(secondsLeft > 0)) throw new InvalidSignedUrl();
    return { secondsLeft: Math.floor(secondsLeft), disposition };
  }
}

function isDisposition(given: unknown, method: SignedMethod): given is Disposition | '' {
  return method === 'PUT' ? given === '' : given === 'attachment' || given === 'inline';
}

function signatureOf(key: Buffer, method: SignedMethod, path: string, expires: string, disposition: string): string {
  return createHmac('sha256', key).update(['v1', method, path, expires, disposition].join('\n')).digest('base64url');
}

/** Returns a time in whole seconds, as a signed URL contains it. */
export function wholeSeconds(from: Date, seconds: number): Date {
  return new Date((Math.floor(from.getTime() / 1_000) + seconds) * 1_000);
}
