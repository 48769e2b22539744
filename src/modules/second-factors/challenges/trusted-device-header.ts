import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/** Repeats a new device's token in the X-Trusted-Device-Token header of the answer. */
@Injectable()
export class TrustedDeviceHeader implements NestInterceptor {
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
