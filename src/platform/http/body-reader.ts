import type { Request } from 'express';
import { mapMaybePromise } from '../concurrency/index.js';
import { bodyBytes, BrokenCompression, type HeldBytes } from './body-bytes.js';
import type { BodyShare } from './body-budget.js';
import { BodyTooLarge, UnsupportedMediaType } from './domain-error.js';
import { type Issue, type JsonBodyOptions, parseJsonBody, ValidationError } from './validation/index.js';
import { parsePairs } from './pairs.js';
import type { BodyForm, BytesBody } from './inputs.js';
import { LARGE_BYTES, type LargeBodySlot } from './large-bodies.js';
import { slotOf } from './stranger-slot.js';

/** How the bytes are read: in the form of the route's body, or as newline-delimited JSON. */
type Reading = Exclude<BodyForm, 'stream'> | 'lines';

const MEDIA_TYPES: Record<Exclude<Reading, 'raw' | 'bytes'>, readonly string[]> = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  lines: ['application/x-ndjson'],
};

const INVALID_COMPRESSION: Issue = {
  type: 'json_invalid',
  loc: ['body', 0],
  msg: 'JSON decode error',
  input: {},
  ctx: { error: 'Invalid compressed data' },
};

/**
 * The result of reading a body: its value, or the issues when it is not valid JSON. Both are absent when there is no
 * body.
 */
export interface ReadBody {
  value?: unknown;
  issues?: Issue[];
  /** The bytes of newline-delimited JSON, not parsed. */
  lines?: Buffer;
  /** The bytes of a body that is not read as JSON. */
  raw?: Buffer;
}

type Fields = Record<string, string | string[]>;

/** Whether the body is declared as newline-delimited JSON. */
export function isLines({ headers }: Request): boolean {
  return /^application\/x-ndjson(?![^ ;])/i.test(headers['content-type'] ?? '');
}

/** The size limit of a body, and the budget in which the body is counted. */
export interface BodyRoom {
  readonly maxBytes: number;
  /** Called only when the body has not arrived completely. */
  readonly share: () => BodyShare;
}

interface JsonOptions extends JsonBodyOptions {
  /** Whether the route also accepts newline-delimited JSON. The 415 answer then lists that media type. */
  readonly takesLines: boolean;
}

/**
 * The release function of a body that is not counted in the budget, because it arrived completely before it was read.
 */
const nothing = (): void => undefined;

/**
 * Reads request bodies after the credentials were checked, so that callers without credentials cannot make the service
 * buffer. Answers 413 above the limit, 415 for another media type, charset or encoding, 408 when the sender is too
 * slow, and 503 when too many bodies are in flight.
 */
export class BodyReader {
  /**
   * Returns the decoded JSON value, or undefined without a body.
   * @param slot is awaited before a large body is parsed
   */
  readJson(request: Request, room: BodyRoom, slot: () => Promise<LargeBodySlot>, options: JsonOptions): unknown {
    return mapMaybePromise(this.readBytes(request, 'json', room, options.takesLines), (read): unknown => {
      if (read === undefined) return undefined;
      if (read.bytes.length >= LARGE_BYTES) return parsedInSlot(read, slot, options);
      try {
        return parsed(read.bytes, options);
      } finally {
        read.release();
      }
    });
  }

  /** Returns the form fields. A repeated field keeps all its values. */
  readForm(request: Request, room: BodyRoom): Fields | Promise<Fields> {
    return mapMaybePromise(this.readBytes(request, 'form', room), (read) => {
      const fields = parsePairs(read?.bytes.toString('utf8') ?? '', 'body');
      read?.release();
      return fields;
    });
  }

  /** Returns the bytes of newline-delimited JSON, or undefined without a body. */
  readLines(request: Request, room: BodyRoom): Buffer | undefined | Promise<Buffer | undefined> {
    return mapMaybePromise(
      this.readBytes(request, 'lines', room, true),
      (read) => read && keptUntilAnswered(request, read),
    );
  }

  /**
   * Returns the bytes as they were sent, of any media type, or an empty buffer without a body. Compressed bodies are
   * refused (415).
   */
  readRaw(request: Request, room: BodyRoom): Buffer | Promise<Buffer> {
    return mapMaybePromise(this.readBytes(request, 'raw', room), (read) =>
      read === undefined ? Buffer.alloc(0) : keptUntilAnswered(request, read),
    );
  }

  /** Returns the decompressed bytes of one of the media types, or an empty buffer without a body. */
  readDecoded(request: Request, { mediaTypes }: BytesBody, room: BodyRoom): Buffer | Promise<Buffer> {
    return mapMaybePromise(this.readBytes(request, 'bytes', room, false, mediaTypes), (read) =>
      read === undefined ? Buffer.alloc(0) : keptUntilAnswered(request, read),
    );
  }

  /** Returns the bytes without a promise when the whole body has arrived already. */
  private readBytes(
    request: Request,
    form: Reading,
    room: BodyRoom,
    takesLines = false,
    mediaTypes?: readonly string[],
  ): HeldBytes | undefined | Promise<HeldBytes | undefined> {
    const { headers } = request;
    const declared = Number(headers['content-length'] ?? 0);
    if (declared === 0 && headers['transfer-encoding'] === undefined) return undefined;
    const taken = form === 'raw' || form === 'bytes' ? mediaTypes : MEDIA_TYPES[form];
    if (taken !== undefined)
      this.checkMediaType(request, taken, takesLines ? [...MEDIA_TYPES.json, ...MEDIA_TYPES.lines] : taken);
    if (declared > room.maxBytes) throw new BodyTooLarge();
    if (declared > 0 && headers['content-encoding'] === undefined) {
      const ready = readArrived(request, declared);
      if (ready !== null) return { bytes: ready, release: nothing };
    }
    return this.receive(request, form, room);
  }

  /** Reads a body that is still arriving. A request without credentials releases its slot meanwhile. */
  private async receive(request: Request, form: Reading, room: BodyRoom): Promise<HeldBytes | undefined> {
    const slot = slotOf(request);
    slot?.leave();
    const limits = {
      maxBytes: room.maxBytes,
      inflates: form !== 'raw',
      inflatesZstd: form === 'bytes',
      share: room.share(),
    };
    const read = await bodyBytes(request, limits).catch((error: unknown) => {
      throw error instanceof BrokenCompression ? new ValidationError([INVALID_COMPRESSION]) : error;
    });
    try {
      await slot?.enter();
    } catch (error) {
      read.release();
      throw error;
    }
    return read.bytes.length > 0 ? read : undefined;
  }

  /** @param listed the media types that the 415 answer lists */
  private checkMediaType({ method, headers }: Request, taken: readonly string[], listed: readonly string[]): void {
    const header = headers['content-type'];
    if (header === taken[0]) return;
    const [type = '', ...parameters] = (header ?? '')
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const refusal = (): UnsupportedMediaType =>
      new UnsupportedMediaType({ [method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post']: listed.join(', ') });
    if (!taken.includes(type)) throw refusal();
    const charset = parameters
      .find((parameter) => parameter.startsWith('charset='))
      ?.slice(8)
      .replaceAll('"', '');
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
      throw refusal();
    }
  }
}

async function parsedInSlot(
  { bytes, release }: HeldBytes,
  slot: () => Promise<LargeBodySlot>,
  options: JsonBodyOptions,
): Promise<unknown> {
  try {
    const { rest } = await slot();
    const value = parsed(bytes, options);
    await rest();
    return value;
  } finally {
    release();
  }
}

function keptUntilAnswered({ res }: Request, { bytes, release }: HeldBytes): Buffer {
  if (res === undefined || res.closed) release();
  else res.once('close', () => release());
  return bytes;
}

/** @throws ValidationError */
function parsed(bytes: Buffer, options: JsonBodyOptions): unknown {
  const result = parseJsonBody(bytes, options);
  if ('issues' in result) throw new ValidationError(result.issues);
  return result.value;
}

/**
 * Returns a body that has arrived completely, or null while it is still arriving. A body of a few kilobytes has usually
 * arrived by the time the credentials are checked. Reading it in one piece needs no listeners.
 */
function readArrived(request: Request, length: number): Buffer | null {
  if (request.readableLength !== length || request.readableFlowing !== null) return null;
  return request.read() as Buffer | null;
}
