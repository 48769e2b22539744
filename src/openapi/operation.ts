import type { ErrorFormDocument } from '../platform/http/documented.js';

export interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: object }>;
  /** The codes of a refusal, sorted, of which its name is made. The complete document does not have them. */
  'x-codes'?: readonly string[];
}

export interface Parameter {
  in: string;
  name: string;
  description?: string;
}

/**
 * An operation of the document, with the extensions in which the decorators of routes leave data for this generator.
 */
export interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  parameters?: Parameter[] | undefined;
  security?: readonly object[];
  requestBody?: { required?: boolean; content?: Record<string, object> };
  responses: Record<string, Response>;
  'x-access'?: string;
  'x-tenant'?: string;
  'x-operation-id'?: string;
  'x-ndjson-body'?: string;
  'x-stream-body'?: Record<string, object>;
  /** The document for clients takes it out, since its 429 answers have this form too. */
  'x-error-form'?: ErrorFormDocument;
}
