import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Response } from 'supertest';
import { propertyRuns } from '../../support/property-runs.js';
import { account, type Account, api } from '../../support/service.js';
import {
  membershipsOutOfStep,
  projectMemberRowsOf,
  setPlan,
  storeProjectRole,
} from '../../support/sql-builders/tenancy.js';

const PEOPLE = 4;
const GIVEN_ROLES = ['admin', 'operator', 'member', 'viewer'] as const;
const INVITED_ROLES = ['operator', 'viewer'] as const;

type GivenRole = (typeof GIVEN_ROLES)[number];

type Step =
  | { kind: 'join'; person: number; role: string }
  | { kind: 'change role'; person: number; role: string }
  | { kind: 'leave'; person: number; byThemselves: boolean }
  | { kind: 'create project' }
  /** An admin gives one project a different role. */
  | { kind: 'differ in one project'; person: number; project: number; role: GivenRole };

const person = fc.nat({ max: PEOPLE - 1 });
const role = fc.constantFrom(...GIVEN_ROLES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('join'), person, role: fc.constantFrom(...INVITED_ROLES) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change role'), person, role }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave'), person, byThemselves: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create project') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('differ in one project'), person, project: fc.nat(), role }) },
);

/** The memberships that the organization should have. Persons are named by number, projects by id. */
class Model {
  readonly members = new Map<number, string>();
  readonly projects: string[] = [];
  /** The role by `project person`, where it differs from the role in the organization. */
  readonly different = new Map<string, string>();

  forgetDifferences(person: number): void {
    for (const key of this.different.keys()) if (key.endsWith(` ${person}`)) this.different.delete(key);
  }

  /** `project person role` of every project membership except those of the owner. */
  projectMemberships(): string[] {
    return this.projects
      .flatMap((project) =>
        [...this.members].map(([one, role]) => `${project} ${one} ${this.different.get(`${project} ${one}`) ?? role}`),
      )
      .sort();
  }
}

describe('a project membership', () => {
  let owner: Account;
  let people: Account[];

  beforeAll(async () => {
    people = [];
    for (let n = 0; n < PEOPLE; n += 1) people.push(await account());
  });
  beforeEach(async () => {
    owner = await account();
  });

  const slug = () => randomBytes(6).toString('hex');
  const memberPath = (organization: string, userId: string) => `/v1/organizations/${organization}/members/${userId}`;

  async function newOrganization(): Promise<string> {
    const answer = await api.as(owner).post('/v1/organizations', { name: 'Acme', slug: slug() }).expect(201);
    const { id } = answer.body as { id: string };
    await setPlan(id, 'enterprise');
    return id;
  }

  async function createProject(organization: string): Promise<Response> {
    return api.as(owner).post('/v1/projects', { organization_id: organization, name: 'P', slug: slug() });
  }

  async function join(organization: string, invitee: Account, role: string): Promise<Response> {
    const invites = `/v1/organizations/${organization}/invites`;
    const invited = await api.as(owner).post(invites, { email: invitee.email, role });
    if (invited.status !== 201) return invited;
    return api.as(invitee).post(`/v1/organizations/invites/${(invited.body as { id: string }).id}/accept`);
  }

  /** Takes a step over HTTP and in the model. A step that makes no sense in the model is left out. */
  async function take(organization: string, model: Model, step: Step): Promise<void> {
    if (step.kind === 'create project') {
      const answer = await createProject(organization);
      expect(answer.status).toBe(201);
      model.projects.push((answer.body as { id: string }).id);
      return;
    }
    const one = people[step.person]!;
    if (step.kind === 'join') {
      const answer = await join(organization, one, step.role);
      expect(answer.status).toBe(model.members.has(step.person) ? 409 : 200);
      if (answer.status === 200) model.members.set(step.person, step.role);
      return;
    }
    const path = memberPath(organization, one.id);
    const known = model.members.get(step.person);
    switch (step.kind) {
      case 'change role': {
        await api
          .as(owner)
          .patch(path, { role: step.role })
          .expect(known === undefined ? 404 : 200);
        if (known === undefined || known === step.role) return;
        model.members.set(step.person, step.role);
        model.forgetDifferences(step.person);
        return;
      }
      case 'leave': {
        const refusal = step.byThemselves ? 403 : 404;
        await api
          .as(step.byThemselves ? one : owner)
          .delete(path)
          .expect(known === undefined ? refusal : 200);
        model.members.delete(step.person);
        model.forgetDifferences(step.person);
        return;
      }
      case 'differ in one project': {
        const project = model.projects[step.project % model.projects.length];
        if (known === undefined || project === undefined) return;
        await storeProjectRole(project, one.id, step.role);
        model.different.set(`${project} ${step.person}`, step.role);
        return;
      }
    }
  }

  async function membersOf(organization: string): Promise<{ user_id: string; role: string }[]> {
    const { body } = await api.as(owner).get(`/v1/organizations/${organization}/members`).expect(200);
    return body as { user_id: string; role: string }[];
  }

  async function projectsOf(organization: string, caller: Account): Promise<object[]> {
    const { body } = await api.as(caller).get('/v1/projects').expect(200);
    return (body as { organization_id: string }[]).filter((project) => project.organization_id === organization);
  }

  async function compare(organization: string, model: Model): Promise<void> {
    const numberOf = (userId: string): number => people.findIndex((one) => one.id === userId);
    const members = (await membersOf(organization)).filter(({ role }) => role !== 'owner');
    expect(new Map(members.map((row) => [numberOf(row.user_id), row.role]))).toEqual(model.members);
    const inProjects = (await projectMemberRowsOf(organization)).filter(({ role }) => role !== 'owner');
    expect(inProjects.map((row) => `${row.project_id} ${numberOf(row.user_id)} ${row.role}`).sort()).toEqual(
      model.projectMemberships(),
    );
    for (const [index, one] of people.entries()) {
      const own = await projectsOf(organization, one);
      expect(own).toHaveLength(model.members.has(index) ? model.projects.length : 0);
    }
  }

  it('follows the organization through any sequence of joins, role changes, departures and new projects', async () => {
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

  it('follows the organization when joins, role changes, departures and new projects run in parallel', async () => {
    const organization = await newOrganization();
    const invites = `/v1/organizations/${organization}/invites`;
    let projects = 0;

    /** Sends requests in parallel with new projects: each new project has to see a change or be seen by it. */
    async function amongNewProjects(acts: (() => Promise<Response>)[]): Promise<void> {
      const mixed = acts.flatMap((act) => [act, () => createProject(organization)]);
      const answers = await Promise.all(mixed.map((act) => act()));
      projects += acts.length;
      expect(answers.filter((answer) => answer.status >= 500)).toEqual([]);
      expect(await membershipsOutOfStep(organization)).toEqual([]);
      const owners = (await membersOf(organization)).filter(({ role }) => role === 'owner');
      expect(owners.map(({ user_id }) => user_id)).toEqual([owner.id]);
    }

    for (let round = 0; round < 6; round += 1) {
      const made = await Promise.all(people.map(({ email }) => api.as(owner).post(invites, { email, role: 'viewer' })));
      const pending = made.map(({ body }) => (body as { id: string }).id);
      await amongNewProjects(
        people.map((one, index) => async () => {
          return api.as(one).post(`/v1/organizations/invites/${pending[index] ?? ''}/accept`);
        }),
      );
      await amongNewProjects(
        people.flatMap(({ id }, index) =>
          ['operator', GIVEN_ROLES[(round + index) % 3]].map((role) => async () => {
            return api.as(owner).patch(memberPath(organization, id), { role });
          }),
        ),
      );
      await amongNewProjects(
        people.flatMap((one) => [
          async () => api.as(owner).patch(memberPath(organization, one.id), { role: 'member' }),
          async () => api.as(one).delete(memberPath(organization, one.id)),
          async () => api.as(owner).delete(memberPath(organization, one.id)),
        ]),
      );
    }
    expect(await projectsOf(organization, owner)).toHaveLength(projects);
  });
});
