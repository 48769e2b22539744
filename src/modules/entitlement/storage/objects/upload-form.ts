import { type EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { BodyTooLarge } from '../../../../platform/http/domain-error.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import type { StreamedBody } from '../../../../platform/http/streamed-body.js';
import { isError } from '../../../../platform/errors/index.js';

const MOST_FIELDS = 20;
const MOST_FIELD_BYTES = 8 * 1024;
/** Skipped parts count too, because each takes as long to read as some kilobytes of content. */
const MOST_PARTS = 1_000;
/** The maximum bytes of a form in addition to its content: its fields, and the separators of its parts. */
const MOST_OTHER_BYTES = (MOST_FIELDS + 12) * MOST_FIELD_BYTES;

/** The parts of a form that are used: the fields before the file, and the file. */
export interface UploadForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Null when no part is named `file`. */
  readonly file: FormFile | null;
}

interface FormFile {
  /** The file name in the form; undefined when there is none. */
  readonly name: string | undefined;
  /** The media type that the part states; undefined when there is none. */
  readonly mediaType: string | undefined;
  /** Can be iterated once. The iteration ends when the whole form has arrived and is well-formed. */
  readonly content: AsyncIterable<Buffer>;
}

/**
 * Reads `multipart/form-data` up to its part `file`, and streams that part. Everything after the part is skipped, and
 * so are other files.
 * @throws ValidationError when the body is not such a form; BodyTooLarge for too many fields or parts, for long fields,
 * or when the form is larger than `mostBytes` by more than its fields and separators may take
 */
export async function readUploadForm(body: StreamedBody, contentType: string, mostBytes: number): Promise<UploadForm> {
  const form = new FormReading(contentType);
  return form.read(body.pieces(mostBytes + MOST_OTHER_BYTES));
}

function malformed(): Error {
  return brokenRule(['body'], 'malformed multipart body', null);
}

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

class FormReading {
  private readonly parser: BusboyInstance;
  private readonly fields = new Map<string, string>();
  private file: { stream: Readable; name: string | undefined; mediaType: string | undefined } | undefined;
  private failure: Error | undefined;
  /**
   * The type of the newest part, as it was sent. The parser drops its parameters, and gives a default when it is
   * missing.
   */
  private sentType: string | undefined;

  constructor(contentType: string) {
    try {
      this.parser = new Busboy({
        headers: { 'content-type': contentType },
        preservePath: true,
        isPartAFile: (field, _type, fileName) => field === 'file' || fileName !== undefined,
        limits: {
          parts: MOST_PARTS,
          fields: MOST_FIELDS,
          fieldSize: MOST_FIELD_BYTES,
          headerPairs: 50,
          headerSize: MOST_FIELD_BYTES,
        },
      });
      partsOf(this.parser).prependListener('part', (part: EventEmitter) =>
        part.on('header', (header: PartHeader) => void (this.sentType = header['content-type']?.[0])),
      );
    } catch {
      throw malformed();
    }
  }

  async read(pieces: AsyncIterable<Buffer>): Promise<UploadForm> {
    const { parser } = this;
    const begun = new Promise<void>((resolve, reject) => {
      parser.on('error', () => reject(malformed()));
      parser.on('file', (field, stream, name) => {
        if (field !== 'file' || this.file !== undefined) return void stream.on('error', () => undefined).resume();
        this.file = { stream: stream as unknown as Readable, name, mediaType: this.sentType };
        stream.on('error', () => undefined);
        resolve();
      });
      parser.on('field', (field, value, _nameTruncated, isTruncated) => {
        if (this.file !== undefined) return;
        if (isTruncated) reject(new BodyTooLarge());
        this.fields.set(field, value);
      });
      parser.on('fieldsLimit', () => {
        if (this.file === undefined) reject(new BodyTooLarge());
      });
      parser.once('partsLimit', () => this.fail(new BodyTooLarge()));
      parser.once('finish', resolve);
    });
    const fed = this.feed(pieces);
    fed.catch((error: unknown) => this.fail(error));
    await Promise.race([begun, fed]);
    if (this.failure !== undefined) throw this.failure;
    const { file } = this;
    if (file === undefined) {
      await fed;
      return { fields: this.fields, file: null };
    }
    return {
      fields: this.fields,
      file: { name: file.name, mediaType: file.mediaType, content: this.content(file.stream, fed) },
    };
  }

  private async feed(pieces: AsyncIterable<Buffer>): Promise<void> {
    const { parser } = this;
    const broken = new Promise<never>((_, reject) => parser.once('error', () => reject(malformed())));
    broken.catch(() => undefined);
    const finished = once(parser, 'finish').catch(() => undefined);
    for await (const piece of pieces) {
      if (!parser.write(piece)) await Promise.race([once(parser, 'drain'), broken]);
      if (this.failure !== undefined) throw this.failure;
    }
    parser.end();
    await Promise.race([finished, broken]);
  }

  /** Stores the first failure and passes it to the reader of the file. */
  private fail(error: unknown): void {
    this.failure ??= isError(error) ? error : malformed();
    this.file?.stream.destroy(this.failure);
  }

  private async *content(stream: Readable, fed: Promise<void>): AsyncGenerator<Buffer, void> {
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
    } catch (error) {
      throw this.failure ?? error;
    }
    await fed;
  }
}

/**
 * Returns the inner parser of the form parser. The inner parser emits each part before the form parser's own listener
 * reads the part's header.
 */
function partsOf(parser: BusboyInstance): EventEmitter {
  return (parser as unknown as { readonly _parser: { readonly parser: EventEmitter } })._parser.parser;
}
