import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { DomainErrorClass, ErrorDetail } from './domain-error.js';

export interface RouteDocument {
  summary: string;
  description?: string;
  /** 200 unless the route creates a record (201) or deletes one (204), see DECISIONS 1. */
  status?: 200 | 201 | 204;
  /**
   * The success body: a class, `[Class]` for an array of it, `oneOf` for different ones, a media type for anything
   * that is not JSON, nothing for 204.
   */
  answer?:
    | Type<unknown>
    | [Type<unknown>]
    | { oneOf: readonly Type<unknown>[] }
    | { mediaType: string; description: string }
    | undefined;
  /** Refusals beyond those that follow from access and inputs. */
  errors?: readonly DomainErrorClass[];
}

/** The one description of a route: its success status and body, and the refusals it adds. */
export function Documented(route: RouteDocument): MethodDecorator {
  const { summary, description, answer, errors = [] } = route;
  const status = route.status ?? 200;
  const byStatus = new Map<number, ErrorDetail[]>();
  for (const error of errors) byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error.detail]);
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, description }),
    ...successOf(status, answer),
    ...[...byStatus].map(([code, details]) =>
      ApiResponse({
        status: code,
        description: details.map((detail) => (typeof detail === 'string' ? detail : 'Structured refusal')).join(' · '),
        schema: { $ref: '#/components/schemas/Refusal' },
      }),
    ),
  );
}

function successOf(status: number, answer: RouteDocument['answer']): MethodDecorator[] {
  if (answer === undefined) return [ApiResponse({ status, description: status === 204 ? 'Done, no body' : 'Done' })];
  if (Array.isArray(answer)) {
    const schema = { type: 'array', items: { $ref: getSchemaPath(answer[0]) } };
    return [ApiExtraModels(answer[0]), ApiResponse({ status, description: 'Success', schema })];
  }
  if ('oneOf' in answer) {
    const schema = { oneOf: answer.oneOf.map((cls) => ({ $ref: getSchemaPath(cls) })) };
    return [ApiExtraModels(...answer.oneOf), ApiResponse({ status, description: 'Success', schema })];
  }
  if ('mediaType' in answer) {
    const { mediaType, description } = answer;
    return [ApiResponse({ status, description, content: { [mediaType]: { schema: { type: 'string' } } } })];
  }
  return [ApiResponse({ status, description: 'Success', type: answer })];
}
