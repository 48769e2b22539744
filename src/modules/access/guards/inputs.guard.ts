import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { RequestAborted } from '../../../platform/http/body-bytes.js';
import { ValidationError } from '../../../platform/http/validation/index.js';
import type { CallerIds, CheckedRequest } from '../../../platform/http/inputs.js';
import { checkInputs } from '../input-check.js';
import { REFUSAL_MASK, type RefusalMask } from '../refusal-mask.js';
import { isTenantLeftOut } from '../route-plan.js';
import type { AccessScope } from '../scope.js';
import { RouteChecks } from './route-checks.js';

/**
 * Validates path, query, header and body and reports all errors in one response. The validation runs after the
 * membership checks (404 and 403 before 422), so it is a guard and not a pipe. InputsGuard is the last guard and sets
 * the scope and the inputs for the handler.
 */
@Injectable()
export class InputsGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<CheckedRequest>();
    const { plan, body, decision } = this.routes.of(context);
    // The client has disconnected, so the expensive handler is skipped.
    if (request.res?.destroyed === true) throw new RequestAborted('the client went away before its turn');
    if (decision === undefined || body === undefined)
      throw new Error('no guard has decided on the access of this route');
    const isTenantMissing = decision === 'undecided' && isTenantLeftOut(plan, request, body);
    try {
      request.inputs = checkInputs(plan, request, body, isTenantMissing);
    } catch (error) {
      const mask = this.reflector.get<Type<RefusalMask> | undefined>(REFUSAL_MASK, context.getHandler());
      if (mask === undefined || !(error instanceof ValidationError)) throw error;
      return this.refuseMasked(mask, decision === 'undecided' ? null : decision, error);
    }
    if (decision === 'undecided') throw new Error('the inputs are valid but the access of this route was not decided');
    if (decision !== null) {
      request.access = decision;
      request.caller = callerOf(decision);
      Object.assign(request.context ?? {}, request.caller);
    }
    return request.largeBodySlot === undefined || request.largeBodySlot.rest().then(() => true);
  }

  private async refuseMasked(
    mask: Type<RefusalMask>,
    scope: AccessScope | null,
    { issues }: ValidationError,
  ): Promise<never> {
    throw new ValidationError(await this.modules.get(mask, { strict: false }).mask(scope, issues));
  }
}

function callerOf(scope: AccessScope): CallerIds {
  switch (scope.kind) {
    case 'user':
    case 'each':
      return { userId: scope.userId };
    case 'organization':
      return { userId: scope.userId, organizationId: scope.organizationId };
    case 'project':
      return { userId: scope.userId, organizationId: scope.organizationId, projectId: scope.projectId };
    case 'scim':
      return { organizationId: scope.organizationId };
    case 'hook':
      return { organizationId: scope.organizationId, projectId: scope.projectId };
    case 'api-key':
      return { apiKeyId: scope.apiKeyId, organizationId: scope.organizationId, projectId: scope.projectId };
  }
}
