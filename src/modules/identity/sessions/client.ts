import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { CheckedRequest } from '../../../platform/http/inputs.js';

/** Where a request came from, as sessions and security events remember it. */
export interface Client {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** The handler's {@link Client}. */
export const CallingClient = createParamDecorator((_: unknown, context: ExecutionContext): Client => {
  const request = context.switchToHttp().getRequest<CheckedRequest>();
  return { ip: request.ip ?? null, userAgent: request.headers['user-agent']?.slice(0, 500) ?? null };
});
