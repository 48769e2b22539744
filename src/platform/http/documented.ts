import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  type ApiResponseMetadata,
  getSchemaPath,
} from '@nestjs/swagger';
import { type DomainErrorClass, sentenceOf } from './domain-error.js';
import { namedSchema, union } from './validation/index.js';

/**
 * The refusals of a route with one status. They are stored as `x-refusal` in the response's schema until the document
 * is complete.
 */
export interface DocumentedRefusal {
  readonly sentences: readonly string[];
  /** References to the schemas of structured reasons. */
  readonly reasons: readonly string[];
  /** The name of the error class, by sentence or by reference. */
  readonly codes: Readonly<Record<string, string>>;
  readonly hasFreeText: boolean;
  /** The schemas of members that the answer may have in addition to `detail`. */
  readonly members: Readonly<Record<string, object>>;
}

/** The messages of an event stream, described by their `data`. */
export interface StreamMessages {
  /** The name of the union of all messages. */
  readonly name: string;
  /** The class of each message, by the text of its `type`. */
  readonly byType: Readonly<Record<string, Type<unknown>>>;
}

/** The form of errors on routes whose protocol defines its own form, which replaces `{"detail": …}`. */
export interface ErrorFormDocument {
  /** The prefix of the names of these errors in the document. */
  readonly prefix: string;
  /** The schema of an error in each media type. */
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

export interface RouteDocument {
  /**
   * The name of the operation in generated clients: verb and noun, as in `listProjectEvents`, with one verb for one
   * action (docs/extending.md). It is part of the contract and stays when the handler moves.
   */
  operationId: string;
  summary: string;
  description?: string;
  /** 200, unless the route creates a record (201), deletes one (204) or redirects a browser (303). */
  status?: 200 | 201 | 204 | 303;
  /**
   * The success body: a class, `[Class]` for an array, `oneOf` for alternatives, media types for a body that is not
   * JSON, the schema of each media type, or the messages of an event stream. Absent for 204 and 303.
   */
  answer?:
    | Type<unknown>
    | [Type<unknown>]
    | { oneOf: readonly Type<unknown>[] }
    | { mediaType: string | readonly string[]; description: string }
    | { content: Readonly<Record<string, object>>; description: string }
    | { stream: StreamMessages; description: string }
    | undefined;
  /** Headers of the success answer that clients may read, with their descriptions. */
  headers?: Readonly<Record<string, string>>;
  /** Refusals in addition to those that follow from access and inputs. */
  errors?: readonly DomainErrorClass[];
  /** Only for routes that the public document leaves out. */
  errorForm?: ErrorFormDocument;
}

/** Describes a route: its success status and body, and the refusals it adds. */
export function Documented(route: RouteDocument): MethodDecorator {
  const { summary, description, operationId, answer, errors = [], errorForm } = route;
  const status = route.status ?? 200;
  const byStatus = new Map<number, DomainErrorClass[]>();
  for (const error of errors) byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error]);
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, description }),
    ApiExtension('x-operation-id', operationId),
    ...(errorForm === undefined ? [] : [ApiExtension('x-error-form', errorForm)]),
    ...successOf(status, answer, headersOf(route.headers)),
    ...[...byStatus].flatMap(([code, refusals]) => refusalOf(code, refusals)),
  );
}

/** Returns decorators that register the classes of structured reasons and describe the refusals of one status. */
function refusalOf(status: number, refusals: readonly DomainErrorClass[]): MethodDecorator[] {
  const answers = refusals.flatMap(({ answer }) => answer ?? []);
  const refusal: DocumentedRefusal = {
    sentences: refusals.flatMap(({ detail }) => (typeof detail === 'string' ? detail : [])),
    reasons: answers.map((answer) => getSchemaPath(answer)),
    codes: Object.fromEntries(
      refusals.map(({ name, answer, detail }) => [
        answer === undefined ? sentenceOf(detail) : getSchemaPath(answer),
        name,
      ]),
    ),
    hasFreeText: refusals.some(({ hasFreeText }) => hasFreeText === true),
    members: Object.assign({}, ...refusals.map(({ members }) => members)) as DocumentedRefusal['members'],
  };
  return [ApiExtraModels(...answers), ApiResponse({ status, schema: { 'x-refusal': refusal } as object })];
}

function headersOf(described: RouteDocument['headers'] = {}): Pick<ApiResponseMetadata, 'headers'> {
  const entries = Object.entries(described);
  if (entries.length === 0) return {};
  const schema = { type: 'string' } as const;
  return { headers: Object.fromEntries(entries.map(([name, description]) => [name, { description, schema }])) };
}

const WITHOUT_BODY: Readonly<Record<number, string>> = { 204: 'Done, no body', 303: 'Sends the browser on' };

function successOf(
  status: number,
  answer: RouteDocument['answer'],
  headers: Pick<ApiResponseMetadata, 'headers'>,
): MethodDecorator[] {
  if (answer === undefined) {
    return [ApiResponse({ status, description: WITHOUT_BODY[status] ?? 'Done', ...headers })];
  }
  if (Array.isArray(answer)) {
    const schema = { type: 'array', items: { $ref: getSchemaPath(answer[0]) } };
    return [ApiExtraModels(answer[0]), ApiResponse({ status, description: 'Success', schema, ...headers })];
  }
  if ('oneOf' in answer) {
    const schema = { oneOf: answer.oneOf.map((cls) => ({ $ref: getSchemaPath(cls) })) };
    return [ApiExtraModels(...answer.oneOf), ApiResponse({ status, description: 'Success', schema, ...headers })];
  }
  if ('stream' in answer) {
    const { stream, description } = answer;
    const classes = Object.values(stream.byType);
    const names = Object.fromEntries(Object.entries(stream.byType).map(([type, { name }]) => [type, name]));
    const schema = namedSchema(stream.name, { [stream.name]: union('type', names) });
    const content = { 'text/event-stream': { schema } };
    return [ApiExtraModels(...classes), ApiResponse({ status, description, content, ...headers })];
  }
  if ('mediaType' in answer) {
    const { mediaType, description } = answer;
    const content = Object.fromEntries([mediaType].flat().map((type) => [type, { schema: { type: 'string' } }]));
    return [ApiResponse({ status, description, content, ...headers })];
  }
  if ('content' in answer) {
    const { content: schemas, description } = answer;
    const content = Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));
    return [ApiResponse({ status, description, content, ...headers })];
  }
  return [ApiResponse({ status, description: 'Success', type: answer, ...headers })];
}
