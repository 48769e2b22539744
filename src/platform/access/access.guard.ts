import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../config/index.js';
import { constantTimeEqual } from '../crypto/index.js';
import { BodyReader, isLines, type ReadBody } from '../http/body-reader.js';
import { NotAuthenticated, RouteNotFound } from '../http/domain-error.js';
import { ValidationError } from '../http/fields/index.js';
import type { CheckedRequest } from '../http/inputs.js';
import { LargeBodies } from '../http/large-bodies.js';
import { CredentialMissing } from './access-errors.js';
import { Authorizer } from './authorizer.js';
import { ACCESS, type AccessDeclaration } from './declarations.js';
import { checkInputs } from './input-check.js';
import { ApiKeyAuthenticator, BearerAuthenticator, ProviderAuthenticator } from './ports.js';
import { REFUSAL_MASK, type RefusalMask } from './refusal-mask.js';
import { isTenantLeftOut, planRoute, type RoutePlan } from './route-plan.js';
import type { AccessScope, ApiKeyScopeName } from './scope.js';

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
    private readonly provider: ProviderAuthenticator,
    private readonly modules: ModuleRef,
    private readonly large: LargeBodies,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.bodies = new BodyReader(config.http.maxBodyBytes);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CheckedRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const plan = this.planOf(context);

    const caller = await this.authenticate(plan.access, request);
    const body = await this.readBody(plan, request, response, () => this.largeTurn(caller, request, response));
    if (plan.access.kind === 'provider') await this.provider.authenticate(request.headers, body.raw ?? Buffer.alloc(0));
    // A key opens its own project and nothing else has to be looked up: ingestion comes this way.
    const scope =
      plan.access.kind === 'api-key' ? caller : await this.authorizer.authorize(plan, caller, request, body);
    const isTenantMissing = scope === 'undecided' && isTenantLeftOut(plan, request, body);
    try {
      request.inputs = checkInputs(plan, request, body, isTenantMissing);
    } catch (error) {
      throw await this.masked(context, scope === 'undecided' ? null : scope, error);
    }
    if (request.bodyTaken !== undefined) await nextTurn();
    if (scope === 'undecided') throw new Error('the inputs are valid but the access of this route was not decided');
    if (scope !== null) {
      request.access = scope;
      Object.assign(request.context ?? {}, contextOf(scope));
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

  private async masked(context: ExecutionContext, scope: AccessScope | null, error: unknown): Promise<unknown> {
    const type = this.reflector.get<Type<RefusalMask> | undefined>(REFUSAL_MASK, context.getHandler());
    if (type === undefined || !(error instanceof ValidationError)) return error;
    return new ValidationError(await this.modules.get(type, { strict: false }).mask(scope, error.issues));
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
      case 'provider':
        this.provider.expect(request.headers);
        return null;
      case 'api-key':
        return this.byKey(request, access.scopes);
      case 'member-or-key':
        return request.headers['x-api-key'] === undefined ? this.byToken(request) : this.byKey(request, access.scopes);
      default:
        return this.byToken(request);
    }
  }

  private async byKey(request: CheckedRequest, scopes: readonly ApiKeyScopeName[]): Promise<AccessScope> {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') throw new CredentialMissing();
    return this.apiKeys.authenticate(key, scopes, request.headers.origin);
  }

  private async byToken(request: CheckedRequest): Promise<AccessScope> {
    // Of several Node keeps the first, where something before us may have looked at another.
    if ((request.headersDistinct.authorization?.length ?? 0) > 1) throw new NotAuthenticated();
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
    const user = token === undefined ? null : await this.bearers.authenticate(token);
    if (user === null) throw new NotAuthenticated();
    return user;
  }

  /** Until the handler says that it needs the body no longer, or the answer has left. */
  private async largeTurn(caller: AccessScope | null, request: CheckedRequest, response: Response): Promise<void> {
    request.bodyTaken = await this.large.turn(holderOf(caller, request));
    response.once('close', request.bodyTaken);
  }

  private async readBody(
    plan: RoutePlan,
    request: CheckedRequest,
    response: Response,
    turn: () => Promise<void>,
  ): Promise<ReadBody> {
    const { body, lines } = plan.inputs;
    if (body === undefined) return {};
    if (lines !== undefined && isLines(request)) {
      return { lines: await this.bodies.readLines(request, response, lines.maxBytes) };
    }
    if (body.form === 'raw') return { raw: await this.bodies.readRaw(request, response) };
    try {
      return {
        value:
          body.form === 'json'
            ? await this.bodies.readJson(request, response, turn)
            : await this.bodies.readForm(request, response, turn),
      };
    } catch (error) {
      // Malformed JSON is an input fault: membership of what path or query names is still decided first.
      if (error instanceof ValidationError) return { issues: error.issues };
      throw error;
    }
  }
}

/** Whose large bodies take turns with those of others. */
function holderOf(caller: AccessScope | null, request: CheckedRequest): string {
  if (caller === null) return request.ip ?? '';
  return caller.kind === 'api-key' ? caller.projectId : caller.userId;
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
