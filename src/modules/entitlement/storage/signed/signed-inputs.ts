import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import { DISPOSITIONS } from './url-signer.js';

/**
 * Documents the query of a signed address. It is checked by its signature alone, before anything else of the request, so
 * that whoever has none learns nothing: no field of it is validated by itself.
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

/** Documents headers that are heeded where they can be read; repeated or unreadable ones are refused by nobody. */
export function HeededHeaders(headers: Readonly<Record<string, string>>): MethodDecorator {
  return applyDecorators(
    ...Object.entries(headers).map(([name, description]) =>
      ApiHeader({ name, description, required: false, schema: { type: 'string' } }),
    ),
  );
}
