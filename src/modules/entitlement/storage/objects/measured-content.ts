import { createHash, type Hash } from 'node:crypto';
import { brokenRule } from '../../../../platform/http/validation/index.js';

/** The digests that a client has sent for its content. Each digest that is present is checked. */
export interface ExpectedDigests {
  /** 16 bytes. */
  readonly md5: Buffer | null;
  /** 32 bytes. */
  readonly sha256: Buffer | null;
}

const ANOTHER = 'the content has another digest';
const NONE = 'not a digest';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Reads `Content-MD5` (RFC 1864), and `sha-256` of `Content-Digest` (RFC 9530). @throws ValidationError */
export function expectedDigests(contentMd5: string | undefined, contentDigest: string | undefined): ExpectedDigests {
  return {
    md5: contentMd5 === undefined ? null : digestOf(contentMd5.trim(), 16, 'content-md5'),
    sha256: contentDigest === undefined ? null : sha256Of(contentDigest),
  };
}

/** Reads a dictionary of byte sequences. Other algorithms are ignored. */
function sha256Of(header: string): Buffer | null {
  let found: Buffer | null = null;
  for (const member of header.split(',')) {
    const [, name, value] = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/=]*):[ \t]*$/.exec(member) ?? [];
    if (name === undefined || value === undefined) throw brokenRule(['header', 'content-digest'], NONE, null);
    if (name === 'sha-256') found = digestOf(value, 32, 'content-digest');
  }
  return found;
}

function digestOf(text: string, bytes: number, header: string): Buffer {
  const digest = Buffer.from(text, 'base64');
  if (!BASE64.test(text) || digest.length !== bytes) throw brokenRule(['header', header], NONE, null);
  return digest;
}

/** Measures the length and digests of content on its way to the store. */
export class MeasuredContent {
  /** The number of bytes so far. */
  size = 0;
  private readonly sha256 = createHash('sha256');
  private readonly md5: Hash | null;
  private digest: string | undefined;

  constructor(
    private readonly pieces: AsyncIterable<Buffer>,
    private readonly expected: ExpectedDigests,
    /**
     * Called before each piece is passed on, with the number of bytes so far. An error that it throws ends the
     * iteration.
     */
    private readonly admit: (size: number) => Promise<void> | void,
  ) {
    this.md5 = expected.md5 === null ? null : createHash('md5');
  }

  /** The SHA-256 of the content in hex. Throws until all of the content has arrived. */
  get etag(): string {
    if (this.digest === undefined) throw new Error('the content has not come to its end');
    return this.digest;
  }

  /** Can be iterated once. @throws ValidationError at the end of content that does not match an expected digest */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    for await (const piece of this.pieces) {
      this.size += piece.length;
      await this.admit(this.size);
      this.sha256.update(piece);
      this.md5?.update(piece);
      yield piece;
    }
    const { md5, sha256 } = this.expected;
    if (md5 !== null && this.md5?.digest().equals(md5) !== true)
      throw brokenRule(['header', 'content-md5'], ANOTHER, null);
    const digest = this.sha256.digest();
    if (sha256 !== null && !digest.equals(sha256)) throw brokenRule(['header', 'content-digest'], ANOTHER, null);
    this.digest = digest.toString('hex');
  }
}
