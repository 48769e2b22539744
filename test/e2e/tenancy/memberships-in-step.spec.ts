import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Response } from 'supertest';
import { type Actor, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { outOfStep, withoutPlanLimits } from '../../support/memberships.js';
import { propertyRuns } from '../../support/property-runs.js';

const PEOPLE = 4;
const GIVEN_ROLES = ['admin', 'operator', 'member', 'viewer'] as const;
const INVITED_ROLES = ['operator', 'viewer'] as const;

type Step =
  | { kind: 'join'; person: number; role: string }
  | { kind: 'change role'; person: number; role: string }
  | { kind: 'leave'; person: number; byThemselves: boolean }
  | { kind: 'create project' }
  /** An admin gives one project a different role. */
  | { kind: 'differ in one project'; person: number; project: number; role: string };

const person = fc.nat({ max: PEOPLE - 1 });
const role = fc.constantFrom(...GIVEN_ROLES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('join'), person, role: fc.constantFrom(...INVITED_ROLES) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change role'), person, role }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave'), person, byThemselves: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create project') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('differ in one project'), person, project: fc.nat(), role }) },
);

/** What ought to be the case. Persons by number, projects by id. */
class Model {
  readonly members = new Map<number, string>();
  readonly projects: string[] = [];
  /** Role by `project person`, where it is not the organization's. */
  readonly different = new Map<string, string>();

  forgetDifferences(person: number): void {
    for (const key of this.different.keys()) if (key.endsWith(` ${person}`)) this.different.delete(key);
  }

  /** `project person role` of every project membership apart from the owner's. */
  projectMemberships(): string[] {
    return this.projects
      .flatMap((project) =>
        [...this.members].map(([one, role]) => `${project} ${one} ${this.different.get(`${project} ${one}`) ?? role}`),
      )
      .sort();
  }
}

describe('memberships of organizations and projects', () => {
  let app: TestApp;
  let owner: Actor;
  let people: Actor[];

  beforeAll(async () => {
    app = await createTestApp();
    owner = await signedIn(app);
    people = [];
    for (let n = 0; n < PEOPLE; n += 1) people.push(await signedIn(app));
  });
  afterAll(() => app.close());

  const send = (actor: Actor, method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) => {
    const request = app.request()[method](path).set('Authorization', actor.bearer);
    return body === undefined ? request : request.send(body);
  };
  const slug = () => randomBytes(6).toString('hex');
  const member = (organization: string, userId: string) => `/v1/organizations/${organization}/members/${userId}`;

  async function newOrganization(): Promise<string> {
    const answer = await send(owner, 'post', '/v1/organizations', { name: 'Acme', slug: slug() }).expect(201);
    const { id } = answer.body as { id: string };
    await withoutPlanLimits(app, id);
    return id;
  }

  async function createProject(organization: string): Promise<Response> {
    return send(owner, 'post', '/v1/projects', { organization_id: organization, name: 'P', slug: slug() });
  }

  async function join(organization: string, actor: Actor, role: string): Promise<Response> {
    const invites = `/v1/organizations/${organization}/invites`;
    const invited = await send(owner, 'post', invites, { email: actor.email, role });
    if (invited.status !== 201) return invited;
    return send(actor, 'post', `/v1/organizations/invites/${(invited.body as { id: string }).id}/accept`);
  }

  /** Takes a step over HTTP and in the model; one that makes no sense there is left out. */
  async function take(organization: string, model: Model, step: Step): Promise<void> {
    if (step.kind === 'create project') {
      const answer = await createProject(organization);
      expect(answer.status).toBe(201);
      model.projects.push((answer.body as { id: string }).id);
      return;
    }
    const actor = people[step.person]!;
    if (step.kind === 'join') {
      const answer = await join(organization, actor, step.role);
      expect(answer.status).toBe(model.members.has(step.person) ? 409 : 200);
      if (answer.status === 200) model.members.set(step.person, step.role);
      return;
    }
    const path = member(organization, actor.id);
    const known = model.members.get(step.person);
    switch (step.kind) {
      case 'change role': {
        await send(owner, 'patch', path, { role: step.role }).expect(known === undefined ? 404 : 200);
        if (known === undefined || known === step.role) return;
        model.members.set(step.person, step.role);
        model.forgetDifferences(step.person);
        return;
      }
      case 'leave': {
        const refusal = step.byThemselves ? 403 : 404;
        await send(step.byThemselves ? actor : owner, 'delete', path).expect(known === undefined ? refusal : 200);
        model.members.delete(step.person);
        model.forgetDifferences(step.person);
        return;
      }
      case 'differ in one project': {
        const project = model.projects[step.project % model.projects.length];
        if (known === undefined || project === undefined) return;
        await app.rows('UPDATE project_members SET role = $3 WHERE project_id = $1 AND user_id = $2', [
          project,
          actor.id,
          step.role,
        ]);
        model.different.set(`${project} ${step.person}`, step.role);
        return;
      }
    }
  }

  async function compare(organization: string, model: Model): Promise<void> {
    const numberOf = (userId: string): number => people.findIndex((one) => one.id === userId);
    const members = await app.rows<{ user_id: string; role: string }>(
      `SELECT user_id, role FROM organization_members WHERE organization_id = $1 AND role <> 'owner'`,
      [organization],
    );
    expect(new Map(members.map((row) => [numberOf(row.user_id), row.role]))).toEqual(model.members);
    const inProjects = await app.rows<{ project_id: string; user_id: string; role: string }>(
      `SELECT pm.* FROM project_members pm JOIN projects p ON p.id = pm.project_id
       WHERE p.organization_id = $1 AND pm.role <> 'owner'`,
      [organization],
    );
    expect(inProjects.map((row) => `${row.project_id} ${numberOf(row.user_id)} ${row.role}`).sort()).toEqual(
      model.projectMemberships(),
    );
    for (const [index, actor] of people.entries()) {
      const listed = (await send(actor, 'get', '/v1/projects').expect(200)).body as { organization_id: string }[];
      const own = listed.filter((project) => project.organization_id === organization);
      expect(own).toHaveLength(model.members.has(index) ? model.projects.length : 0);
    }
  }

  it('stay in step through any sequence of joins, role changes, leaves and new projects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        const organization = await newOrganization();
        const model = new Model();
        for (const one of steps) {
          await take(organization, model, one);
          await compare(organization, model);
        }
      }),
      { numRuns: propertyRuns(15, 6), endOnFailure: true },
    );
  });

  it('stay in step when all of that happens at the same time', async () => {
    const organization = await newOrganization();
    const invites = `/v1/organizations/${organization}/invites`;
    let projects = 0;

    /** Together with new projects, which have to see each act or be seen by it. */
    async function amongNewProjects(acts: (() => Promise<Response>)[]): Promise<void> {
      const mixed = acts.flatMap((act) => [act, () => createProject(organization)]);
      const answers = await Promise.all(mixed.map((act) => act()));
      projects += acts.length;
      expect(answers.filter((answer) => answer.status >= 500)).toEqual([]);
      expect(await outOfStep(app, organization)).toEqual([]);
      const owners = await app.rows(
        `SELECT user_id FROM organization_members WHERE organization_id = $1 AND role = 'owner'`,
        [organization],
      );
      expect(owners).toEqual([{ user_id: owner.id }]);
    }

    for (let round = 0; round < 6; round += 1) {
      const made = await Promise.all(
        people.map(({ email }) => send(owner, 'post', invites, { email, role: 'viewer' })),
      );
      const pending = made.map(({ body }) => (body as { id: string }).id);
      await amongNewProjects(
        people.map((actor, index) => async () => {
          return send(actor, 'post', `/v1/organizations/invites/${pending[index] ?? ''}/accept`);
        }),
      );
      await amongNewProjects(
        people.flatMap(({ id }, index) =>
          ['operator', GIVEN_ROLES[(round + index) % 3]].map((role) => async () => {
            return send(owner, 'patch', member(organization, id), { role });
          }),
        ),
      );
      await amongNewProjects(
        people.flatMap((actor) => [
          async () => send(owner, 'patch', member(organization, actor.id), { role: 'member' }),
          async () => send(actor, 'delete', member(organization, actor.id)),
          async () => send(owner, 'delete', member(organization, actor.id)),
        ]),
      );
    }
    expect(await app.rows('SELECT 1 FROM projects WHERE organization_id = $1', [organization])).toHaveLength(projects);
  });
});
