import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../config/index.js';
import { constantTimeEqual } from '../crypto/index.js';
import { BodyReader, type ReadBody } from '../http/body-reader.js';
import { NotAuthenticated, RouteNotFound } from '../http/domain-error.js';
import { ValidationError } from '../http/fields/index.js';
import type { CheckedRequest } from '../http/inputs.js';
import { setContext } from '../telemetry/index.js';
import { CredentialMissing } from './access-errors.js';
import { Authorizer } from './authorizer.js';
import { ACCESS, type AccessDeclaration } from './declarations.js';
import { checkInputs } from './input-check.js';
import { ApiKeyAuthenticator, BearerAuthenticator } from './ports.js';
import { isTenantLeftOut, planRoute, type RoutePlan } from './route-plan.js';
import type { AccessScope } from './scope.js';

/**
 * Fails closed: resolves credentials, then membership of what the route names, then checks the inputs —
 * the order DECISIONS 1 asks for, which is why validation lives here and not in pipes.
 * A handler runs only with a scope that its declaration asked for.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly plans = new WeakMap<object, RoutePlan>();
  private readonly bodies: BodyReader;

  constructor(
    private readonly reflector: Reflector,
    private readonly bearers: BearerAuthenticator,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly authorizer: Authorizer,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.bodies = new BodyReader(config.http.maxBodyBytes);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CheckedRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const plan = this.planOf(context);

    const caller = await this.authenticate(plan.access, request);
    const body = await this.readBody(plan, request, response);
    const scope = await this.authorizer.authorize(plan, caller, request, body);
    const isTenantMissing = scope === 'undecided' && isTenantLeftOut(plan, request, body);
    request.inputs = checkInputs(plan, request, body, isTenantMissing);
    if (scope === 'undecided') throw new Error('the inputs are valid but the access of this route was not decided');
    if (scope !== null) {
      request.access = scope;
      setContext(contextOf(scope));
    }
    return true;
  }

  private planOf(context: ExecutionContext): RoutePlan {
    const handler = context.getHandler();
    const known = this.plans.get(handler);
    if (known !== undefined) return known;
    const title = `${context.getClass().name}.${handler.name}`;
    const access = this.reflector.get<AccessDeclaration | undefined>(ACCESS, handler);
    if (access === undefined) throw new Error(`${title} declares no access`);
    const plan = planRoute(handler, access, title);
    this.plans.set(handler, plan);
    return plan;
  }

  private async authenticate(access: AccessDeclaration, request: CheckedRequest): Promise<AccessScope | null> {
    switch (access.kind) {
      case 'public':
        return null;
      case 'internal': {
        const expected = this.config.internalJobToken;
        if (expected === undefined) throw new RouteNotFound();
        const given = request.headers['x-internal-token'];
        if (typeof given !== 'string' || !constantTimeEqual(given, expected)) throw new CredentialMissing();
        return null;
      }
      case 'api-key': {
        const key = request.headers['x-api-key'];
        if (typeof key !== 'string' || key === '') throw new CredentialMissing();
        return this.apiKeys.authenticate(key, access.scopes);
      }
      default: {
        const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
        const user = token === undefined ? null : await this.bearers.authenticate(token);
        if (user === null) throw new NotAuthenticated();
        return user;
      }
    }
  }

  private async readBody(plan: RoutePlan, request: CheckedRequest, response: Response): Promise<ReadBody> {
    const { body } = plan.inputs;
    if (body === undefined) return {};
    try {
      return {
        value:
          body.form === 'json'
            ? await this.bodies.readJson(request, response)
            : await this.bodies.readForm(request, response),
      };
    } catch (error) {
      // Malformed JSON is an input fault: membership of what path or query names is still decided first.
      if (error instanceof ValidationError) return { issues: error.issues };
      throw error;
    }
  }
}

function contextOf(scope: AccessScope): {
  userId?: string;
  organizationId?: string;
  projectId?: string;
  apiKeyId?: string;
} {
  switch (scope.kind) {
    case 'user':
      return { userId: scope.userId };
    case 'organization':
      return { userId: scope.userId, organizationId: scope.organizationId };
    case 'project':
      return { userId: scope.userId, organizationId: scope.organizationId, projectId: scope.projectId };
    case 'api-key':
      return { apiKeyId: scope.apiKeyId, organizationId: scope.organizationId, projectId: scope.projectId };
  }
}
