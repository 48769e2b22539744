import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  type ApiResponseMetadata,
  getSchemaPath,
} from '@nestjs/swagger';
import type { DomainErrorClass } from './domain-error.js';
import { namedSchema, union } from './fields/index.js';

/** What a route refuses with one status: `x-refusal` of a response's schema, until the document is whole. */
export interface DocumentedRefusal {
  readonly sentences: readonly string[];
  /** References to the schemas of structured reasons. */
  readonly reasons: readonly string[];
  readonly hasFreeText: boolean;
}

/** What the `data` of a stream's messages holds. */
export interface StreamMessages {
  /** Of the union of them all. */
  readonly name: string;
  /** By the text of their `type`. */
  readonly byType: Readonly<Record<string, Type<unknown>>>;
}

export interface RouteDocument {
  /**
   * What generated clients call the operation: verb and noun, as in `listProjectEvents`, with one verb for one act
   * (docs/extending.md). It is part of the contract and stays when the handler moves.
   */
  operationId: string;
  summary: string;
  description?: string;
  /** 200 unless the route creates a record (201) or deletes one (204), see DECISIONS 1. */
  status?: 200 | 201 | 204;
  /**
   * The success body: a class, `[Class]` for an array of it, `oneOf` for different ones, the media types of anything
   * that is not JSON, the messages of an event stream, nothing for 204.
   */
  answer?:
    | Type<unknown>
    | [Type<unknown>]
    | { oneOf: readonly Type<unknown>[] }
    | { mediaType: string | readonly string[]; description: string }
    | { stream: StreamMessages; description: string }
    | undefined;
  /** Headers of the success answer that clients may read, with what they mean. */
  headers?: Readonly<Record<string, string>>;
  /** Refusals beyond those that follow from access and inputs. */
  errors?: readonly DomainErrorClass[];
}

/** The one description of a route: its success status and body, and the refusals it adds. */
export function Documented(route: RouteDocument): MethodDecorator {
  const { summary, description, operationId, answer, errors = [] } = route;
  const status = route.status ?? 200;
  const byStatus = new Map<number, DomainErrorClass[]>();
  for (const error of errors) byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error]);
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, description }),
    ApiExtension('x-operation-id', operationId),
    ...successOf(status, answer, headersOf(route.headers)),
    ...[...byStatus].flatMap(([code, refusals]) => refusalOf(code, refusals)),
  );
}

/** The classes of structured reasons, and what the document makes of them all. */
function refusalOf(status: number, refusals: readonly DomainErrorClass[]): MethodDecorator[] {
  const answers = refusals.flatMap(({ answer }) => answer ?? []);
  const refusal: DocumentedRefusal = {
    sentences: refusals.flatMap(({ detail }) => (typeof detail === 'string' ? detail : [])),
    reasons: answers.map((answer) => getSchemaPath(answer)),
    hasFreeText: refusals.some(({ hasFreeText }) => hasFreeText === true),
  };
  return [ApiExtraModels(...answers), ApiResponse({ status, schema: { 'x-refusal': refusal } as object })];
}

function headersOf(described: RouteDocument['headers'] = {}): Pick<ApiResponseMetadata, 'headers'> {
  const entries = Object.entries(described);
  if (entries.length === 0) return {};
  const schema = { type: 'string' } as const;
  return { headers: Object.fromEntries(entries.map(([name, description]) => [name, { description, schema }])) };
}

function successOf(
  status: number,
  answer: RouteDocument['answer'],
  headers: Pick<ApiResponseMetadata, 'headers'>,
): MethodDecorator[] {
  if (answer === undefined) {
    return [ApiResponse({ status, description: status === 204 ? 'Done, no body' : 'Done', ...headers })];
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
  return [ApiResponse({ status, description: 'Success', type: answer, ...headers })];
}
