import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtension, ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { RequestContext } from '../telemetry/index.js';
import type { BodyShare } from './body-budget.js';
import { compile, type JsonBodyOptions, type Schema } from './validation/index.js';
import { TextField, UuidField } from './validation/index.js';
import type { LargeBodySlot } from './large-bodies.js';
import { SLOW_SENDER_LIMITS } from './slow-sender.js';
import { StreamedBody } from './streamed-body.js';

/** The inputs of a request, resolved and checked by the guard before its handler runs. */
export interface RequestInputs {
  path: object;
  query: object;
  header: object;
  body: object;
  /** The body as newline-delimited JSON, where the route accepts it and the client sent it. `body` is then empty. */
  lines?: Buffer;
  /** The bytes of the body, for a handler with `@RawBody()`. */
  raw?: Buffer | undefined;
}

/** The known ids of the caller. */
export interface CallerIds {
  readonly userId?: string;
  readonly organizationId?: string;
  readonly projectId?: string;
  readonly apiKeyId?: string;
}

/** A request after the guards. `Access` is the type of the access that the guards resolved. */
export interface CheckedRequest<Access = unknown> extends Request {
  /** Set by the access guards; absent on public routes. */
  access?: Access;
  /** The caller's ids for log lines, set together with `access`. */
  caller?: CallerIds;
  inputs?: RequestInputs;
  requestId: string;
  /** The share of the body budget for a body that the handler reads itself. */
  bodyShare?: BodyShare;
  /** Set when the request repeats an earlier one and gets the same answer. Such a request must not be metered again. */
  isRepeat?: boolean;
  /** The slot in which a large body was parsed. */
  largeBodySlot?: LargeBodySlot;
  /** The context that every log line of the request carries. Code that has the request may add ids to it. */
  context?: RequestContext;
}

/** `bytes`: decompressed and not parsed. `stream`: only the handler reads the body, piece by piece. */
export type BodyForm = 'json' | 'form' | 'raw' | 'bytes' | 'stream';

/** The classes that describe the inputs of one handler. */
export interface InputPlan {
  path: PathInput[];
  query?: Type<unknown>;
  header?: Type<unknown>;
  /** Without `type`, the bytes are passed on unparsed. */
  body?: { type?: Type<unknown>; form: BodyForm; bytes?: BytesBody } & JsonBodyOptions;
  /** Set where newline-delimited JSON is accepted instead of the body. */
  lines?: LinesBody;
}

export interface LinesBody {
  /** The size limit of newline-delimited JSON, separate from the limit of other bodies. */
  readonly maxBytes: number;
}

/** The limits of a body in a format that the handler decodes. */
export interface BytesBody {
  /** The size limit before and after decompression, independent of the limit of other bodies. */
  readonly maxBytes: number;
  /** The accepted media types in lower case. Undefined: all. */
  readonly mediaTypes?: readonly string[];
  /**
   * The media types in the API document, each with its schema. By default, the accepted media types, as bytes or as any
   * JSON.
   */
  readonly content?: StreamDocument['content'];
}

interface PathInput {
  name: string;
  type: Type<unknown>;
}

const INPUTS = Symbol('inputs');

export function inputPlanOf(handler: object): InputPlan {
  return (Reflect.getOwnMetadata(INPUTS, handler) as InputPlan | undefined) ?? { path: [] };
}

export function schemaOf(type: Type<unknown>): Schema {
  return compile(type);
}

function planFor(target: object, key: string | symbol): InputPlan {
  const handler = (target as Record<string | symbol, object>)[key];
  if (handler === undefined) throw new Error(`${String(key)} is no method`);
  const known = Reflect.getOwnMetadata(INPUTS, handler) as InputPlan | undefined;
  if (known !== undefined) return known;
  const plan: InputPlan = { path: [] };
  Reflect.defineMetadata(INPUTS, plan, handler);
  return plan;
}

function parameterType(target: object, key: string | symbol, index: number): Type<unknown> {
  const types = Reflect.getMetadata('design:paramtypes', target, key) as Type<unknown>[] | undefined;
  const type = types?.[index];
  if (type === undefined || (type as unknown) === Object) {
    throw new Error(`${target.constructor.name}.${String(key)}: parameter ${index} needs a class as its type`);
  }
  return type;
}

type Argument = (request: CheckedRequest) => unknown;

const ARGUMENTS = Symbol('arguments');

/**
 * Returns how each parameter of a handler is read from the request. An entry is undefined for a parameter with a
 * decorator that is not from this file.
 */
export function argumentsOf(handler: object): readonly (Argument | undefined)[] {
  return [...((Reflect.getOwnMetadata(ARGUMENTS, handler) as (Argument | undefined)[] | undefined) ?? [])];
}

function read(select: Argument): (...data: unknown[]) => ParameterDecorator {
  const decorate = createParamDecorator((_: unknown, context: ExecutionContext) =>
    select(context.switchToHttp().getRequest<CheckedRequest>()),
  );
  return () => (target, key, index) => {
    decorate()(target, key, index);
    const handler = (target as Record<string | symbol, object>)[key ?? ''];
    if (handler === undefined) return;
    const known = Reflect.getOwnMetadata(ARGUMENTS, handler) as (Argument | undefined)[] | undefined;
    const all = known ?? [];
    all[index] = select;
    if (known === undefined) Reflect.defineMetadata(ARGUMENTS, all, handler);
  };
}

function document(decorator: MethodDecorator, target: object, key: string | symbol): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, key);
  if (descriptor !== undefined) decorator(target, key, descriptor);
}

interface FieldDocument {
  name?: string;
  required?: boolean;
  description?: string;
  type?: unknown;
  isArray?: boolean;
  [attribute: string]: unknown;
}

/**
 * Returns the documented fields of an input class, from the metadata that the field decorators set for the document.
 */
function documentedFields(
  type: Type<unknown>,
): { name: string; required: boolean; description?: string; schema: object }[] {
  const prototype = type.prototype as object;
  const keys = (Reflect.getMetadata('swagger/apiModelPropertiesArray', prototype) as string[] | undefined) ?? [];
  return keys.map((key) => {
    const property = key.replace(/^:/, '');
    const {
      name,
      required,
      description,
      type: dataType,
      isArray,
      ...rest
    } = Reflect.getMetadata('swagger/apiModelProperties', prototype, property) as FieldDocument;
    const primitive = typeof dataType === 'function' ? (dataType as { name: string }).name.toLowerCase() : dataType;
    return {
      name: name ?? property,
      required: required ?? true,
      description,
      schema: isArray === true ? { type: 'array', items: { type: primitive, ...rest } } : { type: primitive, ...rest },
    };
  });
}

/** Injects the validated JSON body, described by the parameter's class. */
export function Body({ exactNumbers }: JsonBodyOptions = {}): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    const type = parameterType(target, key, index);
    planFor(target, key).body = { type, form: 'json', exactNumbers };
    const required = documentedFields(type).some((field) => field.required);
    document(ApiBody({ type, required }), target, key);
    read((request) => request.inputs?.body)()(target, key, index);
  };
}

/**
 * Injects the bytes of `application/x-ndjson`, or undefined when JSON was sent. Used in addition to `@Body()`. The
 * handler validates the lines.
 */
export function LinesOf(lines: LinesBody & { description: string }): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    planFor(target, key).lines = lines;
    document(ApiExtension('x-ndjson-body', lines.description), target, key);
    read((request) => request.inputs?.lines)()(target, key, index);
  };
}

/**
 * Injects a function that releases the slot of a large body. A handler that keeps its client waiting calls it when it
 * no longer needs the body, so that the next large body can be parsed.
 */
export function BodyTaken(): ParameterDecorator {
  return (target, key, index) => {
    if (key !== undefined) read((request) => request.largeBodySlot?.end ?? (() => undefined))()(target, key, index);
  };
}

/** Injects the validated form-encoded body. */
export function FormBody(): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    const type = parameterType(target, key, index);
    planFor(target, key).body = { type, form: 'form' };
    document(ApiConsumes('application/x-www-form-urlencoded'), target, key);
    document(ApiBody({ type }), target, key);
    read((request) => request.inputs?.body)()(target, key, index);
  };
}

/** Injects the bytes of the body as sent, of any media type, for signatures over them. */
export function RawBody(description: string): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    planFor(target, key).body = { form: 'raw' };
    const schema = { type: 'object' as const, additionalProperties: true, description };
    document(ApiBody({ schema, required: true }), target, key);
    read((request) => request.inputs?.raw ?? Buffer.alloc(0))()(target, key, index);
  };
}

/**
 * Injects the decompressed bytes of a body that the handler decodes, empty without a body. Accepts `gzip`, `deflate`,
 * `br`, and `zstd` where Node has it.
 */
export function BodyBytes(body: BytesBody): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    planFor(target, key).body = { form: 'bytes', bytes: body };
    const { mediaTypes = ['application/json'], content = Object.fromEntries(mediaTypes.map(withSchema)) } = body;
    document(ApiExtension('x-stream-body', content), target, key);
    read((request) => request.inputs?.raw ?? Buffer.alloc(0))()(target, key, index);
  };
}

/** Returns a media type with its schema: any JSON, lines of text, or bytes. */
function withSchema(mediaType: string): [string, object] {
  if (mediaType.endsWith('json') && !/nd-?json$/.test(mediaType)) return [mediaType, { description: 'Any JSON' }];
  return [mediaType, { type: 'string', ...(/ndjson|jsonl/.test(mediaType) ? {} : { format: 'binary' }) }];
}

export interface StreamDocument {
  /** The accepted media types, each with its schema in the document. */
  readonly content: Readonly<Record<string, object>>;
}

/** Injects a body that the handler reads while it arrives, for bodies too large to buffer. */
export function BodyStream({ content }: StreamDocument): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    planFor(target, key).body = { form: 'stream' };
    document(ApiExtension('x-stream-body', content), target, key);
    createParamDecorator((_: unknown, context: ExecutionContext) => {
      const http = context.switchToHttp();
      const request = http.getRequest<CheckedRequest>();
      return new StreamedBody(request, http.getResponse<Response>(), SLOW_SENDER_LIMITS, request.bodyShare);
    })()(target, key, index);
  };
}

/** Injects the validated query, described by the parameter's class. */
export function Query(): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    const type = parameterType(target, key, index);
    planFor(target, key).query = type;
    for (const field of documentedFields(type)) document(ApiQuery(field), target, key);
    read((request) => request.inputs?.query)()(target, key, index);
  };
}

/**
 * Injects the validated headers, described by the parameter's class. The `name` of a field is the name of its header.
 */
export function Headers(): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    const type = parameterType(target, key, index);
    planFor(target, key).header = type;
    for (const field of documentedFields(type)) document(ApiHeader(field), target, key);
    read((request) => request.inputs?.header)()(target, key, index);
  };
}

/** Injects a path parameter that is a UUID. Malformed ones are refused with 422. */
export function IdParam(name: string): ParameterDecorator {
  return pathInput(name, singleField(name, UuidField()), { type: 'string', format: 'uuid' });
}

/** Injects a path parameter that is text, for example a header name. */
export function TextParam(name: string, limits: { min: number; max: number }): ParameterDecorator {
  return pathInput(name, singleField(name, TextField(limits)), {
    type: 'string',
    minLength: limits.min,
    maxLength: limits.max,
  });
}

function pathInput(name: string, type: Type<unknown>, schema: object): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    planFor(target, key).path.unshift({ name, type });
    document(ApiParam({ name, schema }), target, key);
    read((request) => (request.inputs?.path as Record<string, unknown> | undefined)?.[name])()(target, key, index);
  };
}

function singleField(name: string, field: PropertyDecorator): Type<unknown> {
  class PathParameter {}
  field(PathParameter.prototype, name);
  return PathParameter;
}

/** Injects the scope that the access guard resolved: user, organization, project or API key. */
export const Scope = read((request) => request.access);

/** Injects the id of the request in answers, log lines and records. */
export const RequestId = read((request) => request.requestId);

/** Injects the traceparent of the request, or undefined when it has none. */
export const TraceOf = read((request) => request.context?.traceparent);

/**
 * Injects the response, so that the handler can set headers that depend on the result. The handler still returns the
 * body.
 */
export const AnswerHead = read((request) => request.res);

/** Injects the raw request, for the few values that no DTO describes, such as the address and the user agent. */
export const RawRequest = read((request) => request);
