import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/** The description of the header in the API document of the responses that may carry it. */
export const NEW_TRUSTED_DEVICE_HEADER = {
  'X-Trusted-Device-Token': 'The trusted_device_token of the body, when there is one',
} as const;

/** Repeats the token of a new trusted device in the X-Trusted-Device-Token header of the response. */
@Injectable()
export class TrustedDeviceInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((body) => {
        const token = (body as { trusted_device_token?: unknown } | null)?.trusted_device_token;
        if (typeof token === 'string') response.setHeader('X-Trusted-Device-Token', token);
        return body;
      }),
    );
  }
}
