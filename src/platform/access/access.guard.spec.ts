import { describe, expect, it } from '@jest/globals';
import { Controller, type ExecutionContext, Get, type Type } from '@nestjs/common';
import { type ModuleRef, Reflector } from '@nestjs/core';
import { loadConfig } from '../../config/index.js';
import { domainError } from '../http/domain-error.js';
import type { CheckedRequest } from '../http/inputs.js';
import { IdParam } from '../http/inputs.js';
import { LargeBodies } from '../http/large-bodies.js';
import { AccessGuard } from './access.guard.js';
import { Authorizer } from './authorizer.js';
import {
  ACCESS,
  type AccessDeclaration,
  ApiKeyAuthenticator,
  BearerAuthenticator,
  CAPABILITIES,
  type Capability,
  describeAccess,
  hasCapability,
  MembershipReader,
  PlatformAdministrators,
  ProjectOfResource,
  ProviderAuthenticator,
  Requires,
  type Role,
  ROLES,
} from './index.js';

const PROJECT = '0199f3a1-0000-7000-8000-000000000001';
const ATTEMPT = '0199f3a1-0000-7000-8000-000000000002';

class AttemptNotFound extends domainError(404, 'Delivery attempt not found') {}
class ProjectOfAttempt extends ProjectOfResource {
  readonly parameter = 'attempt_id';
  readonly notFound = AttemptNotFound;
  projectOf = (id: string): Promise<string | null> => Promise.resolve(id === ATTEMPT ? PROJECT : null);
}

class People extends BearerAuthenticator {
  authenticate = (): Promise<{ kind: 'user'; userId: string; sessionId: string }> =>
    Promise.resolve({ kind: 'user', userId: 'u', sessionId: 's' });
}
class NoKeys extends ApiKeyAuthenticator {
  authenticate = (): Promise<never> => Promise.reject(new Error('not asked for'));
}
class NoAdministrators extends PlatformAdministrators {
  admit = (): Promise<never> => Promise.reject(new Error('not asked for'));
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
  ofProject = (_: string, id: string): Promise<{ organizationId: string; role: Role | null } | null> =>
    Promise.resolve(id === PROJECT ? { organizationId: 'o', role: this.role } : null);
}

/** A controller whose two routes want the capability: of the project in the path, and of an attempt's project. */
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

async function call(
  capability: Capability,
  role: Role | null,
  params: { project_id: string } | { attempt_id: string },
): Promise<unknown> {
  const Routes = controllerOf(capability);
  const handler = (Routes.prototype as Record<string, object>)['project_id' in params ? 'byProject' : 'byAttempt'];
  const request = {
    headers: { authorization: 'Bearer t' },
    headersDistinct: {},
    params,
    query: {},
  } as unknown as CheckedRequest;
  const context = {
    getHandler: () => handler,
    getClass: () => Routes,
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }),
  } as unknown as ExecutionContext;
  const modules = { get: (Resource: Type<unknown>) => new Resource() } as unknown as ModuleRef;
  const config = loadConfig({ NODE_ENV: 'test' });
  const authorizer = new Authorizer(new OneProject(role), modules, new NoAdministrators());
  const guard = new AccessGuard(
    new Reflector(),
    new People(),
    new NoKeys(),
    authorizer,
    new NoProvider(),
    {} as ModuleRef,
    new LargeBodies(),
    config,
  );
  await guard.canActivate(context);
  return request.access;
}

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
