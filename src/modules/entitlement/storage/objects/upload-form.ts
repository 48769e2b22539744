import { type EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { BodyTooLarge } from '../../../../platform/http/domain-error.js';
import { brokenRule } from '../../../../platform/http/fields/index.js';
import type { StreamedBody } from '../../../../platform/http/streamed-body.js';

const MOST_FIELDS = 20;
const MOST_FIELD_BYTES = 8 * 1024;
/** Also of those that are passed over: each takes as long to read as some kilobytes of content. */
const MOST_PARTS = 1_000;
/** Of a form beside its content: fields, and what holds its parts together. */
const MOST_OTHER_BYTES = (MOST_FIELDS + 12) * MOST_FIELD_BYTES;

/** What a form brings: its fields up to the file, and the file. */
export interface UploadForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Null: no part of it is named `file`. */
  readonly file: FormFile | null;
}

interface FormFile {
  /** As the form says; undefined: it does not. */
  readonly name: string | undefined;
  /** What the part says that it is; undefined: it does not. */
  readonly mediaType: string | undefined;
  /** To be gone through once. It ends when the whole form has come and is well made. */
  readonly content: AsyncIterable<Buffer>;
}

/**
 * Reads `multipart/form-data` up to its part `file`, and that part while it comes. What stands behind it is passed over, and
 * so are other files.
 * @throws ValidationError for what is no such form; BodyTooLarge for too many fields or parts, long fields, or content that is
 *   larger than `mostBytes` by more than a form takes
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
  /** The type of the newest part, as it was sent. The parser drops its parameters, and gives a default when it is missing. */
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

  /** Whoever waits for more of the file is told. */
  private fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : malformed();
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

/** What the parser of a form is made of: it emits each part before its own listener reads the part's head. */
function partsOf(parser: BusboyInstance): EventEmitter {
  return (parser as unknown as { readonly _parser: { readonly parser: EventEmitter } })._parser.parser;
}
