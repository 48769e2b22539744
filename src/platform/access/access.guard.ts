import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../config/index.js';
import { constantTimeEqual } from '../crypto/index.js';
import { BodyReader } from '../http/body-reader.js';
import { NotAuthenticated, RouteNotFound } from '../http/domain-error.js';
import { type Issue, type Schema, validateJson, validateStrings, ValidationError } from '../http/fields/index.js';
import { type CheckedRequest, type InputPlan, inputPlanOf, type RequestInputs, schemaOf } from '../http/inputs.js';
import { isUuid } from '../ids/index.js';
import { setContext } from '../telemetry/index.js';
import {
  AdminRoleRequired,
  InsufficientProjectRole,
  MissingCapability,
  NotAnOrganizationMember,
  NotAProjectMember,
  OrganizationNotFound,
  ProjectNotFound,
} from './access-errors.js';
import { hasCapability } from './capabilities.js';
import { ACCESS, type AccessDeclaration, ProjectOfResource } from './declarations.js';
import { ApiKeyAuthenticator, BearerAuthenticator, MembershipReader } from './ports.js';
import { roleAtLeast, type AccessScope, type Role, type UserScope } from './scope.js';

interface RoutePlan {
  readonly access: AccessDeclaration;
  readonly inputs: InputPlan;
  readonly schemas: {
    readonly path: readonly { name: string; schema: Schema }[];
    readonly query?: Schema;
    readonly header?: Schema;
    readonly body?: Schema;
  };
}

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
    private readonly memberships: MembershipReader,
    private readonly modules: ModuleRef,
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
    const scope = await this.authorize(plan, caller, request, body);
    request.inputs = validateInputs(plan, request, body);
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
    const access = this.reflector.get<AccessDeclaration | undefined>(ACCESS, handler);
    if (access === undefined) throw new Error(`${context.getClass().name}.${handler.name} declares no access`);
    const inputs = inputPlanOf(handler);
    const plan: RoutePlan = {
      access,
      inputs,
      schemas: {
        path: inputs.path.map(({ name, type }) => ({ name, schema: schemaOf(type) })),
        query: inputs.query && schemaOf(inputs.query),
        header: inputs.header && schemaOf(inputs.header),
        body: inputs.body && schemaOf(inputs.body.type),
      },
    };
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
        if (typeof given !== 'string' || !constantTimeEqual(given, expected)) throw new NotAuthenticated();
        return null;
      }
      case 'api-key': {
        const key = request.headers['x-api-key'];
        if (typeof key !== 'string' || key === '') throw new NotAuthenticated();
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

  /** `undecided`: the id is missing or malformed, which the validation that follows is bound to refuse. */
  private async authorize(
    plan: RoutePlan,
    caller: AccessScope | null,
    request: CheckedRequest,
    body: ReadBody,
  ): Promise<AccessScope | null | 'undecided'> {
    const { access } = plan;
    if (access.kind === 'organization') {
      const id = idOf('organization_id', plan.inputs, request, body);
      return id === null ? 'undecided' : this.inOrganization(caller as UserScope, id, access.role);
    }
    if (access.kind === 'project' || access.kind === 'capability') {
      if (access.via !== undefined) return this.inProjectOf(caller as UserScope, access.via, access, request);
      const id = idOf('project_id', plan.inputs, request, body);
      return id === null ? 'undecided' : this.inProject(caller as UserScope, id, access);
    }
    return caller;
  }

  private async inOrganization(user: UserScope, organizationId: string, needed: Role): Promise<AccessScope> {
    const membership = await this.memberships.ofOrganization(user.userId, organizationId);
    if (membership === null) throw new OrganizationNotFound();
    if (membership.role === null) throw new NotAnOrganizationMember();
    if (!roleAtLeast(membership.role, needed)) throw new AdminRoleRequired();
    return { kind: 'organization', organizationId, userId: user.userId, role: membership.role };
  }

  private async inProject(user: UserScope, projectId: string, needed: ProjectAccess): Promise<AccessScope> {
    const membership = await this.memberships.ofProject(user.userId, projectId);
    if (membership === null) throw new ProjectNotFound();
    if (membership.role === null) throw new NotAProjectMember();
    assertAllowed(membership.role, needed);
    const { organizationId, role } = membership;
    return { kind: 'project', projectId, organizationId, userId: user.userId, role };
  }

  private async inProjectOf(
    user: UserScope,
    via: Type<ProjectOfResource>,
    needed: ProjectAccess,
    request: CheckedRequest,
  ): Promise<AccessScope | 'undecided'> {
    const resource = this.modules.get(via, { strict: false });
    const id = request.params[resource.parameter];
    if (typeof id !== 'string' || !isUuid(id)) return 'undecided';
    const projectId = await resource.projectOf(id.toLowerCase());
    const membership = projectId === null ? null : await this.memberships.ofProject(user.userId, projectId);
    if (projectId === null || membership === null || membership.role === null) throw new resource.notFound();
    assertAllowed(membership.role, needed);
    const { organizationId, role } = membership;
    return { kind: 'project', projectId, organizationId, userId: user.userId, role };
  }
}

type ProjectAccess = Extract<AccessDeclaration, { kind: 'project' | 'capability' }>;

function assertAllowed(role: Role, needed: ProjectAccess): void {
  if (needed.kind === 'capability') {
    if (!hasCapability(role, needed.capability)) throw new MissingCapability(needed.capability);
  } else if (!roleAtLeast(role, needed.role)) {
    throw new InsufficientProjectRole();
  }
}

interface ReadBody {
  value?: unknown;
  issues?: Issue[];
}

function idOf(name: string, inputs: InputPlan, request: CheckedRequest, body: ReadBody): string | null {
  let value: unknown;
  if (inputs.path.some((input) => input.name === name)) value = request.params[name];
  else if (inputs.query !== undefined && name in schemaFields(inputs.query)) value = request.query[name];
  else
    value =
      typeof body.value === 'object' && body.value !== null ? (body.value as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : null;
}

function schemaFields(type: Type<unknown>): Record<string, true> {
  const keys = (Reflect.getMetadata('swagger/apiModelPropertiesArray', type.prototype as object) ?? []) as string[];
  return Object.fromEntries(keys.map((key) => [key.replace(/^:/, ''), true]));
}

function validateInputs(plan: RoutePlan, request: CheckedRequest, body: ReadBody): RequestInputs {
  const issues: Issue[] = [];
  const take = (result: { value: object } | { issues: Issue[] }): object => {
    if ('value' in result) return result.value;
    issues.push(...result.issues);
    return {};
  };
  const { path, query, header, body: bodySchema } = plan.schemas;
  const inputs: RequestInputs = {
    path: Object.assign(
      {},
      ...path.map(({ schema }) => take(validateStrings(schema, request.params, 'path'))),
    ) as object,
    query:
      query === undefined
        ? {}
        : take(validateStrings(query, request.query as Record<string, string | string[]>, 'query')),
    header: header === undefined ? {} : take(validateStrings(header, headersOf(request), 'header')),
    body: {},
  };
  if (body.issues !== undefined) issues.push(...body.issues);
  else if (bodySchema !== undefined) {
    inputs.body = take(
      plan.inputs.body?.form === 'form'
        ? validateStrings(bodySchema, body.value as Record<string, string | string[]>, 'form')
        : validateJson(bodySchema, body.value, 'body'),
    );
  }
  if (issues.length > 0) throw new ValidationError(issues);
  return inputs;
}

function headersOf(request: CheckedRequest): Record<string, string | string[] | undefined> {
  return request.headers;
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
