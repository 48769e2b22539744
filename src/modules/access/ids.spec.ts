import { describe, expect, it } from '@jest/globals';
import type { FindOptionsWhere } from 'typeorm';
import { newOrganizationId, newProjectId, newUserId, type ProjectId } from './ids.js';
import type { ProjectScope } from './scope.js';

class Channel {
  id!: string;
  projectId!: ProjectId;
}

const body = { project_id: '0199f3a1-0000-7000-8000-000000000001' };
const organizationId = newOrganizationId();
const find = (scope: Pick<ProjectScope, 'projectId'>): string => scope.projectId;
const where = (condition: FindOptionsWhere<Channel>): unknown => condition.projectId;

// The type check verifies that these lines do not compile. This suite only runs them.
describe('an id of a tenant', () => {
  it('is not what a request names', () => {
    // @ts-expect-error: a client may write any id into a body
    expect(find({ projectId: body.project_id })).toBe(body.project_id);
    // @ts-expect-error: a condition does not accept the id of a body either
    expect(where({ id: body.project_id, projectId: body.project_id })).toBe(body.project_id);
  });

  it('is not that of a tenant of another kind', () => {
    // @ts-expect-error: the organization of a project is not the project
    expect(find({ projectId: organizationId })).toBe(organizationId);
    // @ts-expect-error: a user is not a project
    expect(find({ projectId: newUserId() })).toHaveLength(36);
  });

  it('is the text it always was at run time', () => {
    const projectId = newProjectId();
    expect(find({ projectId })).toBe(projectId);
    expect(typeof projectId).toBe('string');
  });
});
