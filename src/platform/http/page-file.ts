import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** For URLs that contain the version or a digest of the file, so that the content under such a URL never changes. */
const FOR_A_YEAR = 'public, max-age=31536000, immutable';
/** The client caches the file, and revalidates it with its ETag before each use. */
const WHILE_IT_IS_THE_SAME = 'no-cache';

/** Marks a file whose URLs contain a digest of its content. */
export const NAMED_BY_CONTENT = Symbol('named by content');

/** Higher qualities take ten times as long and reduce the size by only a twentieth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

const ENCODINGS = {
  br: (bytes: Buffer) => promisify<Buffer, object, Buffer>(brotliCompress)(bytes, BROTLI),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const;

/** The encodings, most preferred first. */
const OFFERED = ['br', 'gzip', 'identity'] as const;

interface Whole {
  readonly bytes: Buffer;
  readonly tag: string;
}

/**
 * A file that is the same for every caller while the process runs. Each encoding is created when it is first requested,
 * and kept in memory. The number of files limits the memory that all of them take.
 */
export class PageFile {
  private readonly whole: () => Promise<Whole>;
  private readonly forms: Readonly<Record<(typeof OFFERED)[number], () => Promise<Buffer>>>;

  /**
   * @param type the media type
   * @param make returns the content
   * @param version the version of the package that contains the file. The URL with `?v=` and this version may be cached
   * for a year. With {@link NAMED_BY_CONTENT}, every URL of the file may be cached for a year.
   */
  constructor(
    private readonly type: string,
    make: () => string | Buffer | Promise<Buffer>,
    private readonly version?: string | typeof NAMED_BY_CONTENT,
  ) {
    this.whole = once(async () => {
      const bytes = Buffer.from(await make());
      return { bytes, tag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
    });
    const bytes = async (): Promise<Buffer> => (await this.whole()).bytes;
    this.forms = {
      br: once(async () => ENCODINGS.br(await bytes())),
      gzip: once(async () => ENCODINGS.gzip(await bytes())),
      identity: bytes,
    };
  }

  /**
   * Answers with the first of `br`, `gzip` and `identity` that the client accepts, or with 304 when its ETag matches.
   */
  readonly send = async (request: Request, response: Response): Promise<void> => {
    const { tag } = await this.whole();
    const encoding = OFFERED.find((each) => request.acceptsEncodings(each) !== false) ?? 'identity';
    response.vary('Accept-Encoding');
    response.setHeader('Cache-Control', this.staysTheSame(request) ? FOR_A_YEAR : WHILE_IT_IS_THE_SAME);
    response.setHeader('ETag', tag);
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.type(this.type).send(await this.forms[encoding]());
  };

  private staysTheSame(request: Request): boolean {
    return this.version === NAMED_BY_CONTENT || (this.version !== undefined && request.query['v'] === this.version);
  }
}

/** Runs `make` once and returns its result to all callers. After a failure, the next call runs `make` again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
