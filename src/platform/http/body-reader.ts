import type { Request } from 'express';
import { whenThere } from '../concurrency/index.js';
import { bodyBytes, BrokenCompression } from './body-bytes.js';
import { BodyTooLarge, UnsupportedMediaType } from './domain-error.js';
import { type Issue, parseJsonBody, ValidationError } from './fields/index.js';
import { parsePairs } from './pairs.js';
import type { BodyForm } from './inputs.js';
import { LARGE_BYTES, type LargeTurn } from './large-bodies.js';

/** How bytes are read: a body's form, or newline-delimited JSON in its place. */
type Reading = Exclude<BodyForm, 'stream'> | 'lines';

const MEDIA_TYPES: Record<Exclude<Reading, 'raw'>, readonly string[]> = {
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

/** A body as read: its value, or why it is no JSON. Neither when there is none. */
export interface ReadBody {
  value?: unknown;
  issues?: Issue[];
  /** Newline-delimited JSON as it came. */
  lines?: Buffer;
  /** The bytes, of a body that nobody reads as JSON. */
  raw?: Buffer;
}

type Fields = Record<string, string | string[]>;

/** Whether the body says it is newline-delimited JSON. */
export function isLines({ headers }: Request): boolean {
  return /^application\/x-ndjson(?![^ ;])/i.test(headers['content-type'] ?? '');
}

/**
 * Reads request bodies after the credentials were checked, so that strangers cannot make the service buffer.
 * Answers 413 above the limit, 415 for another media type, charset or encoding.
 */
export class BodyReader {
  constructor(private readonly maxBytes: number) {}

  /**
   * The decoded JSON value; undefined when there is no body.
   * @param turn waited for before a large one is parsed
   * @param takesLines whether the route takes newline-delimited JSON as well, which a refusal says
   */
  readJson(request: Request, turn: () => Promise<LargeTurn>, takesLines: boolean): unknown {
    return whenThere(this.readBytes(request, 'json', { takesLines }), (bytes): unknown => {
      if (bytes === undefined) return undefined;
      return bytes.length < LARGE_BYTES ? parsed(bytes) : parsedInTurn(bytes, turn);
    });
  }

  /** Form fields; a repeated field keeps all its values. */
  readForm(request: Request): Fields | Promise<Fields> {
    return whenThere(this.readBytes(request, 'form'), (bytes) => parsePairs(bytes?.toString('utf8') ?? '', 'body'));
  }

  /** Newline-delimited JSON up to a limit of its own; undefined when there is no body. */
  readLines(request: Request, maxBytes: number): Buffer | undefined | Promise<Buffer | undefined> {
    return this.readBytes(request, 'lines', { maxBytes, takesLines: true });
  }

  /** The bytes as they were sent, of any media type; compressed ones are refused (415). Empty when there is no body. */
  readRaw(request: Request): Buffer | Promise<Buffer> {
    return whenThere(this.readBytes(request, 'raw'), (bytes) => bytes ?? Buffer.alloc(0));
  }

  /** At once where all of it has come already. */
  private readBytes(
    request: Request,
    form: Reading,
    { maxBytes = this.maxBytes, takesLines = false } = {},
  ): Buffer | undefined | Promise<Buffer | undefined> {
    const { headers } = request;
    const declared = Number(headers['content-length'] ?? 0);
    if (declared === 0 && headers['transfer-encoding'] === undefined) return undefined;
    if (form !== 'raw') this.checkMediaType(request, form, takesLines);
    if (declared > maxBytes) throw new BodyTooLarge();
    if (declared > 0 && headers['content-encoding'] === undefined) {
      const ready = readArrived(request, declared);
      if (ready !== null) return ready;
    }
    return bodyBytes(request, maxBytes, form !== 'raw').then(
      (body) => (body.length > 0 ? body : undefined),
      (error: unknown) => {
        throw error instanceof BrokenCompression ? new ValidationError([INVALID_COMPRESSION]) : error;
      },
    );
  }

  private checkMediaType({ method, headers }: Request, form: Exclude<Reading, 'raw'>, takesLines: boolean): void {
    const header = headers['content-type'];
    if (header === MEDIA_TYPES[form][0]) return;
    const [type = '', ...parameters] = (header ?? '')
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const refusal = (): UnsupportedMediaType => {
      const taken = takesLines ? [...MEDIA_TYPES.json, ...MEDIA_TYPES.lines] : MEDIA_TYPES[form];
      return new UnsupportedMediaType({ [method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post']: taken.join(', ') });
    };
    if (!MEDIA_TYPES[form].includes(type)) throw refusal();
    const charset = parameters
      .find((parameter) => parameter.startsWith('charset='))
      ?.slice(8)
      .replaceAll('"', '');
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
      throw refusal();
    }
  }
}

async function parsedInTurn(bytes: Buffer, turn: () => Promise<LargeTurn>): Promise<unknown> {
  const { rest } = await turn();
  const value = parsed(bytes);
  await rest();
  return value;
}

/** @throws ValidationError */
function parsed(bytes: Buffer): unknown {
  const result = parseJsonBody(bytes);
  if ('issues' in result) throw new ValidationError(result.issues);
  return result.value;
}

/**
 * The body when all of it has come already, as one of a few kilobytes has by the time its credentials are checked: taken
 * in one piece, without listeners. Null: it is still on its way.
 */
function readArrived(request: Request, length: number): Buffer | null {
  if (request.readableLength !== length || request.readableFlowing !== null) return null;
  return request.read() as Buffer | null;
}
