import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CanActivate, Controller, type ExecutionContext, Get, Post, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import passport, { Strategy } from 'passport';
import { CONFIG, loadConfig } from '../../../config/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { type CheckedRequest, IdParam } from '../../../platform/http/inputs.js';
import {
  ACCESS,
  type AccessDeclaration,
  ApiKey,
  ApiKeyAuthenticator,
  HookAuthenticator,
  ScimAuthenticator,
  asOrganizationId,
  asProjectId,
  asUserId,
  BearerAuthenticator,
  CAPABILITIES,
  type Capability,
  describeAccess,
  hasCapability,
  Internal,
  MembershipReader,
  PlatformAdministrators,
  type ProjectId,
  type ProjectMembership,
  ProjectOfResource,
  Provider,
  ProviderAuthenticator,
  Public,
  Requires,
  type Role,
  ROLES,
  type UserId,
  type UserScope,
} from '../index.js';
import { BodyBudget } from '../../../platform/http/body-budget.js';
import { LargeBodies } from '../../../platform/http/large-bodies.js';
import { ACCESS_GUARDS, ACCESS_PROVIDERS } from './access-guards.js';

const PROJECT = asProjectId('0199f3a1-0000-7000-8000-000000000001');
const ATTEMPT = '0199f3a1-0000-7000-8000-000000000002';

class AttemptNotFound extends domainError(404, 'Delivery attempt not found') {}
class ProjectOfAttempt extends ProjectOfResource {
  readonly parameter = 'attempt_id';
  readonly notFound = AttemptNotFound;
  tenantOf = (id: string): Promise<ProjectId | null> => Promise.resolve(id === ATTEMPT ? PROJECT : null);
}

const STRATEGY = 'people of the guard suite';
/** Accepts every authorization header, fails without one, and reports a fault for the token `broken`. */
class Verifying extends Strategy {
  override authenticate({ headers }: { headers: { authorization?: string } }): void {
    if (headers.authorization === 'Bearer broken') this.error(new Error('a fault of ours'));
    else if (headers.authorization === undefined) this.fail(401);
    else this.success({ userId: 'u', sessionId: 's' });
  }
}
class People extends BearerAuthenticator {
  readonly strategy = STRATEGY;
  admit = (): Promise<UserScope> => Promise.resolve({ kind: 'user', userId: asUserId('u'), sessionId: 's' });
}
class NoKeys extends ApiKeyAuthenticator {
  authenticate = (): Promise<never> => Promise.reject(new Error('not asked for'));
}
class NoHooks extends HookAuthenticator {
  authenticate = (): Promise<never> => Promise.reject(new Error('not asked for'));
}
class NoTokens extends ScimAuthenticator {
  authenticate = (): Promise<never> => Promise.reject(new Error('not asked for'));
}
class NoAdministrators extends PlatformAdministrators {
  admit = (): Promise<never> => Promise.reject(new Error('not asked for'));
  includes = this.admit;
}
class NoProvider extends ProviderAuthenticator {
  expect = (): never => {
    throw new Error('not asked for');
  };
  authenticate = this.expect;
}
class OneProject extends MembershipReader {
  constructor(private readonly role: Role | null) {
    super();
  }
  ofOrganization = (): Promise<null> => Promise.resolve(null);
  selectedProject = (): Promise<null> => Promise.resolve(null);
  ofProject = (_: UserId, id: string): Promise<ProjectMembership | null> =>
    Promise.resolve(
      id === PROJECT ? { projectId: PROJECT, organizationId: asOrganizationId('o'), role: this.role } : null,
    );
}

/**
 * Creates a controller with two routes that require the capability: in the project of the path, and in the project of
 * an attempt.
 */
function controllerOf(capability: Capability): Type<{ byProject: unknown; byAttempt: unknown }> {
  @Controller()
  class Routes {
    @Get(':project_id')
    @Requires({ capability })
    byProject(@IdParam('project_id') id: string): string {
      return id;
    }

    @Get(':attempt_id')
    @Requires({ capability, via: ProjectOfAttempt })
    byAttempt(@IdParam('attempt_id') id: string): string {
      return id;
    }
  }
  return Routes;
}

/** Runs the guards and returns the request as the handler gets it. */
async function guarded(
  guards: readonly Type<CanActivate>[],
  role: Role | null,
  [Routes, method]: [Type<unknown>, string],
  asked: object,
): Promise<CheckedRequest> {
  const module = await Test.createTestingModule({
    providers: [
      ...ACCESS_PROVIDERS,
      ...ACCESS_GUARDS,
      { provide: BodyBudget, useValue: new BodyBudget(1_048_576) },
      LargeBodies,
      ProjectOfAttempt,
      { provide: CONFIG, useValue: loadConfig({ NODE_ENV: 'test' }) },
      { provide: BearerAuthenticator, useClass: People },
      { provide: ApiKeyAuthenticator, useClass: NoKeys },
      { provide: HookAuthenticator, useClass: NoHooks },
      { provide: ScimAuthenticator, useClass: NoTokens },
      { provide: PlatformAdministrators, useClass: NoAdministrators },
      { provide: ProviderAuthenticator, useClass: NoProvider },
      { provide: MembershipReader, useValue: new OneProject(role) },
    ],
  }).compile();
  const request = { headers: {}, params: {}, query: {}, ...asked } as unknown as CheckedRequest;
  const context = {
    getHandler: () => (Routes.prototype as Record<string, object>)[method],
    getClass: () => Routes,
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }),
  } as unknown as ExecutionContext;
  for (const guard of guards) {
    if ((await module.get(guard).canActivate(context)) !== true) throw new Error(`${guard.name} says no`);
  }
  return request;
}

async function call(
  capability: Capability,
  role: Role | null,
  params: { project_id: string } | { attempt_id: string },
): Promise<unknown> {
  const method = 'project_id' in params ? 'byProject' : 'byAttempt';
  const asked = { headers: { authorization: 'Bearer t' }, params };
  return (await guarded(ACCESS_GUARDS, role, [controllerOf(capability), method], asked)).access;
}

beforeAll(() => void passport.use(STRATEGY, new Verifying()));
afterAll(() => void passport.unuse(STRATEGY));

const refusal = (status: number, detail: string): unknown => expect.objectContaining({ status, detail });

describe('a route that wants a delivery capability', () => {
  it.each(CAPABILITIES)('says so in the route table: %s', (capability) => {
    const handler = (controllerOf(capability).prototype as Record<string, object>).byProject;
    const declared = new Reflector().get<AccessDeclaration>(ACCESS, handler as () => void);
    expect(describeAccess(declared)).toBe(`capability:${capability}`);
  });

  it.each(ROLES)('admits a %s exactly by the table, named by project or by a thing of it', async (role) => {
    for (const capability of CAPABILITIES) {
      for (const params of [{ project_id: PROJECT }, { attempt_id: ATTEMPT }]) {
        const answer = call(capability, role, params);
        if (hasCapability(role, capability))
          await expect(answer).resolves.toMatchObject({ kind: 'project', projectId: PROJECT, role });
        else await expect(answer).rejects.toEqual(refusal(403, `Missing delivery capability: ${capability}`));
      }
    }
  });

  it('refuses those outside before it speaks of capabilities', async () => {
    const other = '0199f3a1-0000-7000-8000-00000000000f';
    const asStranger = (params: { project_id: string } | { attempt_id: string }) =>
      call('delivery:replay', null, params);
    await expect(asStranger({ project_id: PROJECT })).rejects.toEqual(refusal(403, 'Not a project member'));
    await expect(asStranger({ project_id: other })).rejects.toEqual(refusal(404, 'Project not found'));
    await expect(asStranger({ attempt_id: ATTEMPT })).rejects.toEqual(refusal(404, 'Delivery attempt not found'));
    await expect(asStranger({ attempt_id: other })).rejects.toEqual(refusal(404, 'Delivery attempt not found'));
  });
});

describe('the chain of guards', () => {
  @Controller()
  class Routes {
    @Get('project/:project_id')
    @Requires({ project: 'viewer' })
    person(@IdParam('project_id') id: string): string {
      return id;
    }

    @Get('key')
    @ApiKey('events:read')
    key(): void {}

    @Get('internal')
    @Internal()
    internal(): void {}

    @Post('provider')
    @Provider()
    provider(): void {}

    @Get('public')
    @Public('a test')
    anybody(): void {}

    @Get('undeclared')
    undeclared(): void {}
  }
  const without = (...left: string[]) => ACCESS_GUARDS.filter(({ name }) => !left.includes(name));
  const person = { headers: { authorization: 'Bearer t' }, params: { project_id: PROJECT } };

  it('has the order in which refusals are answered', () => {
    expect(ACCESS_GUARDS.map(({ name }) => name)).toEqual([
      'BearerGuard',
      'ApiKeyGuard',
      'InternalGuard',
      'ProviderGuard',
      'HookGuard',
      'ScimGuard',
      'CapabilityGuard',
      'InputsGuard',
    ]);
  });

  it.each([
    ['person', 'BearerGuard', person],
    ['key', 'ApiKeyGuard', { headers: { 'x-api-key': 'k' } }],
    ['internal', 'InternalGuard', { headers: { 'x-internal-token': 't' } }],
    ['provider', 'ProviderGuard', { headers: { 'provider-signature': 's' } }],
  ])('fails on a route for a %s when %s is left out', async (method, left, asked) => {
    await expect(guarded(without(left), 'owner', [Routes, method], asked)).rejects.toThrow(/no guard has looked at/);
  });

  it('fails when no guard decides on memberships', async () => {
    for (const method of ['person', 'anybody'])
      await expect(guarded(without('CapabilityGuard'), 'owner', [Routes, method], person)).rejects.toThrow(
        'no guard has decided',
      );
  });

  it('passes on no access and no inputs before the inputs are checked', async () => {
    const { access, inputs } = await guarded(without('InputsGuard'), 'owner', [Routes, 'person'], person);
    expect([access, inputs]).toEqual([undefined, undefined]);
  });

  it('fails on a route that declares no access, with and without credentials', async () => {
    for (const asked of [{}, person])
      await expect(guarded(ACCESS_GUARDS, 'owner', [Routes, 'undeclared'], asked)).rejects.toThrow(
        'Routes.undeclared declares no access',
      );
  });

  it('distinguishes a fault of the service from a bad token', async () => {
    const send = (headers: object) => guarded(ACCESS_GUARDS, 'owner', [Routes, 'person'], { ...person, headers });
    await expect(send({})).rejects.toEqual(refusal(401, 'Not authenticated'));
    await expect(send({ authorization: 'Bearer broken' })).rejects.toThrow('a fault of ours');
  });
});
