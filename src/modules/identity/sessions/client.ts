import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { CheckedRequest } from '../../../platform/http/inputs.js';

/** The origin of a request, in the form that sessions and security events store. */
export interface Client {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

export function clientOf(request: Request): Client {
  return { ip: request.ip ?? null, userAgent: request.headers['user-agent']?.slice(0, 500) ?? null };
}

/** Passes the {@link Client} of the request to a handler. */
export const CallingClient = createParamDecorator((_: unknown, context: ExecutionContext): Client => {
  return clientOf(context.switchToHttp().getRequest<CheckedRequest>());
});
