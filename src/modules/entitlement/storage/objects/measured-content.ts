import { createHash, type Hash } from 'node:crypto';
import { brokenRule } from '../../../../platform/http/fields/index.js';

/** Digests that a client says its content has; each is checked when it is there. */
export interface ExpectedDigests {
  /** 16 bytes. */
  readonly md5: Buffer | null;
  /** 32 bytes. */
  readonly sha256: Buffer | null;
}

const ANOTHER = 'the content has another digest';
const NONE = 'not a digest';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `Content-MD5` (RFC 1864) and `Content-Digest` (RFC 9530), of which `sha-256` is looked at. @throws ValidationError */
export function expectedDigests(contentMd5: string | undefined, contentDigest: string | undefined): ExpectedDigests {
  return {
    md5: contentMd5 === undefined ? null : digestOf(contentMd5.trim(), 16, 'content-md5'),
    sha256: contentDigest === undefined ? null : sha256Of(contentDigest),
  };
}

/** A dictionary of byte sequences; other algorithms may stand beside. */
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

/** Measures content on its way to the store: its length and digests. */
export class MeasuredContent {
  /** Bytes so far. */
  size = 0;
  private readonly sha256 = createHash('sha256');
  private readonly md5: Hash | null;
  private digest: string | undefined;

  constructor(
    private readonly pieces: AsyncIterable<Buffer>,
    private readonly expected: ExpectedDigests,
    /** Asked for each piece before it is handed on, with all that has come; what it throws ends the content. */
    private readonly admit: (size: number) => Promise<void> | void,
  ) {
    this.md5 = expected.md5 === null ? null : createHash('md5');
  }

  /** In hex, once all of it has come. */
  get etag(): string {
    if (this.digest === undefined) throw new Error('the content has not come to its end');
    return this.digest;
  }

  /** To be gone through once. @throws ValidationError at the end of content that is not what was announced */
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
