import { BooleanField, ListField, nested, NestedField, TextField } from '../../../platform/http/validation/index.js';
import type { SentRequest } from './sent-request.js';

class SentHeaderResponse {
  @TextField({ description: 'Name of the header', example: 'webhook-id' })
  name!: string;

  @TextField({
    description: 'Sanitized; `[redacted]` for a protected header',
    example: '019cadc6-9a80-7b4a-8000-000000000001',
  })
  value!: string;

  @BooleanField({ description: 'Whether the value is a credential, of which nothing is shown' })
  is_protected!: boolean;
}

class SentBodyResponse {
  @TextField({ description: 'Body as it was sent, sanitized; up to 16 KiB', example: '{"message":"card declined"}' })
  text!: string;

  @BooleanField({ description: 'Whether the text is only the beginning of the body' })
  is_truncated!: boolean;
}

export class SentRequestResponse {
  @TextField({ description: 'HTTP method', example: 'POST' })
  method!: string;

  @TextField({ description: 'Address, sanitized', example: 'https://hooks.example.com/alerts' })
  url!: string;

  @ListField(nested(() => SentHeaderResponse), {
    description: 'Headers that the service has set, public headers, and protected headers by name alone',
  })
  headers!: SentHeaderResponse[];

  @NestedField(() => SentBodyResponse, { description: 'Body of the request' })
  body!: SentBodyResponse;
}

export const SENT_REQUEST_DESCRIPTION =
  'Last HTTP request, which may be that of an earlier send. Null for mails, before the first request, and for sends of earlier versions';

export function sentRequestResponse(request: SentRequest | null): SentRequestResponse | null {
  return request === null ? null : { ...request, headers: [...request.headers] };
}
