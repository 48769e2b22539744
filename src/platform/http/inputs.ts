import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtension, ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { RequestContext } from '../telemetry/index.js';
import type { BodyShare } from './body-budget.js';
import { compile, type JsonBodyOptions, type Schema } from './fields/index.js';
import { TextField, UuidField } from './fields/index.js';
import type { LargeTurn } from './large-bodies.js';
import { SLOW_SENDER_LIMITS } from './slow-sender.js';
import { StreamedBody } from './streamed-body.js';

/** What the guard has resolved and checked before a handler runs. */
export interface RequestInputs {
  path: object;
  query: object;
  header: object;
  body: object;
  /** The body in lines, where a route takes one and that is what came; `body` is then empty. */
  lines?: Buffer;
  /** The bytes of the body, where the handler asked for them. */
  raw?: Buffer | undefined;
}

/** Those that are known of whoever asks. */
export interface CallerIds {
  readonly userId?: string;
  readonly organizationId?: string;
  readonly projectId?: string;
  readonly apiKeyId?: string;
}

/** `Access`: what the guards found out about who asks. */
export interface CheckedRequest<Access = unknown> extends Request {
  /** Set by the access guards; absent on public routes. */
  access?: Access;
  /** Who asks, by the ids that log lines tell; set with `access`. */
  caller?: CallerIds;
  inputs?: RequestInputs;
  requestId: string;
  /** Of a body that the handler reads. */
  bodyShare?: BodyShare;
  /** Of a large body. */
  largeTurn?: LargeTurn;
  /** On every log line of the request; whoever has the request adds to it here. */
  context?: RequestContext;
}

/** `stream`: the handler reads it, piece by piece, and nobody before it. */
export type BodyForm = 'json' | 'form' | 'raw' | 'stream';

/** Which classes describe the inputs of one handler. */
export interface InputPlan {
  path: PathInput[];
  query?: Type<unknown>;
  header?: Type<unknown>;
  /** Without a type the bytes are left as they come. */
  body?: { type?: Type<unknown>; form: BodyForm } & JsonBodyOptions;
  /** Set where newline-delimited JSON is taken in place of the body. */
  lines?: LinesBody;
}

export interface LinesBody {
  /** Limit of its own, beside the one of other bodies. */
  readonly maxBytes: number;
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

/** How each parameter of a handler is read from its request; undefined: by a decorator of others. */
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

/** The documented fields of an input class, as the field decorators left them for the document generator. */
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

/** The validated JSON body, described by the parameter's class. */
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
 * Beside `@Body()`: the bytes of `application/x-ndjson`, undefined when JSON came. What each line must be is the
 * handler's to check.
 */
export function LinesOf(lines: LinesBody & { description: string }): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    planFor(target, key).lines = lines;
    document(ApiExtension('x-ndjson-body', lines.description), target, key);
    read((request) => request.inputs?.lines)()(target, key, index);
  };
}

/** To be called when the body is needed no longer, by whoever keeps its sender waiting after that: then the next one is read. */
export function BodyTaken(): ParameterDecorator {
  return (target, key, index) => {
    if (key !== undefined) read((request) => request.largeTurn?.end ?? (() => undefined))()(target, key, index);
  };
}

/** The validated form-encoded body. */
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

/** The bytes of the body as sent, whatever its media type; for signatures over them. */
export function RawBody(description: string): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    planFor(target, key).body = { form: 'raw' };
    const schema = { type: 'object' as const, additionalProperties: true, description };
    document(ApiBody({ schema, required: true }), target, key);
    read((request) => request.inputs?.raw ?? Buffer.alloc(0))()(target, key, index);
  };
}

export interface StreamDocument {
  /** The media types it may come in, each with its schema in the document. */
  readonly content: Readonly<Record<string, object>>;
}

/** The body as it comes, to be read by the handler: for what is too large to be held. */
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

/** The validated query, described by the parameter's class. */
export function Query(): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    const type = parameterType(target, key, index);
    planFor(target, key).query = type;
    for (const field of documentedFields(type)) document(ApiQuery(field), target, key);
    read((request) => request.inputs?.query)()(target, key, index);
  };
}

/** The validated headers, described by the parameter's class; wire names are the fields' `name`. */
export function Headers(): ParameterDecorator {
  return (target, key, index) => {
    if (key === undefined) return;
    const type = parameterType(target, key, index);
    planFor(target, key).header = type;
    for (const field of documentedFields(type)) document(ApiHeader(field), target, key);
    read((request) => request.inputs?.header)()(target, key, index);
  };
}

/** A path parameter that is a UUID; malformed ones are refused with 422. */
export function IdParam(name: string): ParameterDecorator {
  return pathInput(name, singleField(name, UuidField()), { type: 'string', format: 'uuid' });
}

/** A path parameter that is text, for example a header name. */
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

/** The scope the access guard resolved: user, organization, project or API key. */
export const Scope = read((request) => request.access);

/** What the request is called in answers, log lines and records. */
export const RequestId = read((request) => request.requestId);

/** The response, for headers that depend on what was done; the answer itself is what the handler returns. */
export const AnswerHead = read((request) => request.res);

/** The raw request, for the few facts no DTO describes (address, user agent). */
export const RawRequest = read((request) => request);
