import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Under an address that names its version or its content, a file never changes. */
const FOR_A_YEAR = 'public, max-age=31536000, immutable';
/** Kept, and asked for again with its tag each time. */
const WHILE_IT_IS_THE_SAME = 'no-cache';

/** Of files whose address holds a digest of what they are. */
export const NAMED_BY_CONTENT = Symbol('named by content');

/** Better ones cost ten times as much for a twentieth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

const ENCODINGS = {
  br: (bytes: Buffer) => promisify<Buffer, object, Buffer>(brotliCompress)(bytes, BROTLI),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const;

/** In the order of preference. */
const OFFERED = ['br', 'gzip', 'identity'] as const;

interface Whole {
  readonly bytes: Buffer;
  readonly tag: string;
}

/**
 * Something that is the same for everybody for as long as the process lives. It is made, read and compressed when somebody
 * first asks for it, once for each encoding, and kept: what all of them take together is bounded by the number of files.
 */
export class PageFile {
  private readonly whole: () => Promise<Whole>;
  private readonly forms: Readonly<Record<(typeof OFFERED)[number], () => Promise<Buffer>>>;

  /**
   * @param type the media type
   * @param make gives the content
   * @param version of the package that it comes from; `?v=` of it makes an address that may be kept for good. With
   *   {@link NAMED_BY_CONTENT} every address of the file is one
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

  /** Answers with the smallest form that the caller takes, or 304 when it has the same already. */
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

/** One making for all who ask meanwhile and later; after a failure the next one tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
