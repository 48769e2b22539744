import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import { BodyTooLarge, UnsupportedMediaType } from './domain-error.js';
import { type Issue, parseJsonBody, ValidationError } from './fields/index.js';
import type { BodyForm } from './inputs.js';
import { LARGE_BYTES } from './large-bodies.js';

/** How bytes are read: a body's form, or newline-delimited JSON in its place. */
type Reading = BodyForm | 'lines';

const MEDIA_TYPES: Record<Exclude<Reading, 'raw'>, readonly string[]> = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  lines: ['application/x-ndjson'],
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

/** Whether the body says it is newline-delimited JSON. */
export function isLines({ headers }: Request): boolean {
  return /^application\/x-ndjson(?![^ ;])/i.test(headers['content-type'] ?? '');
}

/** The client went away or broke the transfer; nobody is left to answer. */
export class RequestAborted extends Error {}

/**
 * Reads request bodies after the credentials were checked, so that strangers cannot make the service buffer.
 * Answers 413 above the limit, 415 for another media type, charset or encoding.
 */
export class BodyReader {
  private readonly parsers = new Map<string, ReturnType<typeof express.raw>>();

  constructor(private readonly maxBytes: number) {}

  /** The decoded JSON value; undefined when there is no body. @param turn waited for before a large one is parsed */
  async readJson(request: Request, response: Response, turn: () => Promise<void>): Promise<unknown> {
    const bytes = await this.readBytes(request, response, 'json');
    if (bytes === undefined) return undefined;
    if (bytes.length < LARGE_BYTES) return parsed(bytes);
    await turn();
    const value = parsed(bytes);
    await nextTurn();
    return value;
  }

  /** Form fields; a repeated field keeps all its values. @param turn waited for before a large one is parsed */
  async readForm(
    request: Request,
    response: Response,
    turn: () => Promise<void>,
  ): Promise<Record<string, string | string[]>> {
    const bytes = await this.readBytes(request, response, 'form');
    if (bytes !== undefined && bytes.length >= LARGE_BYTES) await turn();
    const fields: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
    for (const [name, value] of new URLSearchParams(bytes?.toString('utf8') ?? '')) {
      const known = fields[name];
      if (known === undefined) fields[name] = value;
      else if (Array.isArray(known)) known.push(value);
      else fields[name] = [known, value];
    }
    return fields;
  }

  /** Newline-delimited JSON up to a limit of its own; undefined when there is no body. */
  readLines(request: Request, response: Response, maxBytes: number): Promise<Buffer | undefined> {
    return this.readBytes(request, response, 'lines', maxBytes);
  }

  /** The bytes as they were sent, of any media type; compressed ones are refused (415). Empty when there is no body. */
  async readRaw(request: Request, response: Response): Promise<Buffer> {
    return (await this.readBytes(request, response, 'raw')) ?? Buffer.alloc(0);
  }

  private async readBytes(
    request: Request,
    response: Response,
    form: Reading,
    maxBytes = this.maxBytes,
  ): Promise<Buffer | undefined> {
    const { headers } = request;
    const declared = Number(headers['content-length'] ?? 0);
    if (declared === 0 && headers['transfer-encoding'] === undefined) return undefined;
    if (form !== 'raw') this.checkMediaType(headers['content-type'], form);
    if (declared > maxBytes) throw new BodyTooLarge();
    if (declared > 0 && headers['content-encoding'] === undefined) {
      const ready = readArrived(request, declared);
      if (ready !== null) return ready;
    }
    await new Promise<void>((resolve, reject) => {
      this.parser(maxBytes, form !== 'raw')(request, response, (error?: unknown) =>
        error === undefined ? resolve() : reject(translate(error)),
      );
    });
    const body: unknown = request.body;
    return Buffer.isBuffer(body) && body.length > 0 ? body : undefined;
  }

  private parser(limit: number, inflate: boolean): ReturnType<typeof express.raw> {
    const name = `${limit} ${inflate}`;
    const known = this.parsers.get(name) ?? express.raw({ type: () => true, limit, inflate });
    this.parsers.set(name, known);
    return known;
  }

  private checkMediaType(header: string | undefined, form: Exclude<Reading, 'raw'>): void {
    if (header === MEDIA_TYPES[form][0]) return;
    const [type = '', ...parameters] = (header ?? '')
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    if (!MEDIA_TYPES[form].includes(type)) throw new UnsupportedMediaType();
    const charset = parameters
      .find((parameter) => parameter.startsWith('charset='))
      ?.slice(8)
      .replaceAll('"', '');
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
      throw new UnsupportedMediaType();
    }
  }
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

function translate(error: unknown): Error {
  const type = (error as { type?: string }).type;
  if (type === 'entity.too.large') return new BodyTooLarge();
  if (type === 'encoding.unsupported') return new UnsupportedMediaType();
  if (type === 'request.aborted' || type === 'request.size.invalid') return new RequestAborted();
  // zlib reports a body that is not what Content-Encoding says by a numeric errno and a Z_ code.
  if (typeof (error as { code?: unknown }).code === 'string' && /^Z_/.test((error as { code: string }).code)) {
    return new ValidationError([
      {
        type: 'json_invalid',
        loc: ['body', 0],
        msg: 'JSON decode error',
        input: {},
        ctx: { error: 'Invalid compressed data' },
      },
    ]);
  }
  return error instanceof Error ? error : new Error(String(error));
}
