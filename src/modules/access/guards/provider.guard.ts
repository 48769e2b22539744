import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { ProviderAuthenticator } from '../ports.js';
import { RequestBodyReader } from './request-body.reader.js';
import { type Checks, RouteChecks } from './route-checks.js';

/**
 * Admits the payment provider by its signature over the body. The body is read only when the headers contain a
 * signature.
 */
@Injectable()
export class ProviderGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    private readonly provider: ProviderAuthenticator,
    private readonly bodies: RequestBodyReader,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const checks = this.routes.of(context);
    return checks.credential === 'provider' ? this.admit(context, checks) : true;
  }

  private async admit(context: ExecutionContext, checks: Checks): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<CheckedRequest>();
    this.provider.expect(request.headers);
    const { raw } = await this.bodies.of(checks, request, http.getResponse<Response>());
    await this.provider.authenticate(request.headers, raw ?? Buffer.alloc(0));
    checks.caller = null;
    return true;
  }
}
