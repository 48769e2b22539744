import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import { DISPOSITIONS } from './url-signer.js';

/**
 * Documents the query of a signed URL. None of its fields is validated by itself: the signature is checked before
 * anything else, so that a request without a valid one learns nothing.
 */
export function SignedInputs(parameters: Readonly<Record<string, object>>, withDisposition: boolean): MethodDecorator {
  const query = (name: string, description: string, values?: readonly string[]): MethodDecorator =>
    ApiQuery({ name, description, required: true, schema: { type: 'string', ...(values && { enum: [...values] }) } });
  return applyDecorators(
    ...Object.entries(parameters).map(([name, schema]) => ApiParam({ name, schema })),
    query('expires', 'Unix seconds'),
    ...(withDisposition ? [query('disposition', 'How browsers take the content', DISPOSITIONS)] : []),
    query('key', 'Which key it was signed with'),
    query('signature', 'Base64url, 43 characters'),
  );
}

/** Documents optional headers without validating them: the handler reads them itself. */
export function HeededHeaders(headers: Readonly<Record<string, string>>): MethodDecorator {
  return applyDecorators(
    ...Object.entries(headers).map(([name, description]) =>
      ApiHeader({ name, description, required: false, schema: { type: 'string' } }),
    ),
  );
}
