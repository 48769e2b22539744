import { Select, Stack, Table } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { ASSIGNABLE, type AssignableRole, organizationMembers, useNames } from '../../api/organization.js';
import { projectMembers } from '../../api/owning.js';
import { me, ownMembership } from '../../api/queries.js';
import { MANAGERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icons.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Removal } from '../../parts/removal.js';
import { RoleSelect } from '../../parts/role-select.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Member = Schemas['ProjectMemberResponse'];

export function ProjectMembersPage() {
  const { project } = useCurrentProject();
  const query = useQuery(projectMembers(project.id));
  const refusal = useRefusal(project.id, MANAGERS);
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Stack gap="lg">
      <PageHead
        title="Project members"
        guide="organizations-and-projects#members-of-a-project"
        about="Roles come from the organization. Here you give a person another role for this project only."
      >
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsAdding(true)}>
          Add a member
        </Act>
      </PageHead>
      <Listed query={query} empty={<Empty title="Nobody" about="Add people of the organization." />}>
        {(members) => (
          <Rows label="Project members" columns={['Name', 'Role', 'Since', null]}>
            {members.map((member) => (
              <MemberRow key={member.user_id} member={member} refusal={refusal} />
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog
        title="Add a member"
        guide="organizations-and-projects#members-of-a-project"
        isOpen={isAdding}
        onClose={() => setIsAdding(false)}
      >
        <AddForm present={query.data ?? []} onDone={() => setIsAdding(false)} />
      </Dialog>
    </Stack>
  );
}

function useReadAnew(): () => Promise<unknown> {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: projectMembers(project.id).queryKey }),
      queries.invalidateQueries({ queryKey: ownMembership(project.id).queryKey }),
    ]);
}

interface RowProps {
  readonly member: Member;
  readonly refusal: string | undefined;
}

function MemberRow({ member, refusal }: RowProps) {
  const { organization, project } = useCurrentProject();
  const { data: person } = useSuspenseQuery(me);
  const { data: belonging } = useQuery(organizationMembers(organization.id));
  const nameOf = useNames(organization.id);
  const readAnew = useReadAnew();
  const { user_id, role } = member;
  const path = { project_id: project.id, user_id };
  const name = nameOf(user_id);
  const isHigher =
    user_id === organization.owner_id || belonging?.find((each) => each.user_id === user_id)?.role === 'admin';
  const why = isHigher ? 'Owners and admins of the organization keep that role in every project' : refusal;
  const change = async (next: AssignableRole) => {
    await api.updateProjectMember({ path, body: { role: next } });
    await readAnew();
  };
  const remove = async () => {
    await api.deleteProjectMember({ path });
    await readAnew();
  };
  return (
    <Table.Tr>
      <Cell column="Name">{name}</Cell>
      <Cell column="Role">
        <RoleSelect name={name} role={role} refusal={why} mayMakeAdmins change={change} />
      </Cell>
      <Cell column="Since">
        <Moment at={member.created_at} />
      </Cell>
      <Table.Td ta="end">
        {why === undefined && user_id !== person.id && (
          <Removal verb="Remove" name={name} title="Remove from the project" act={remove}>
            <b>{name}</b> loses the way into this project, and stays in the organization.
          </Removal>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

interface AddProps {
  readonly present: readonly Member[];
  readonly onDone: () => void;
}

function AddForm({ present, onDone }: AddProps) {
  const { organization, project } = useCurrentProject();
  const { data: belonging, error } = useQuery(organizationMembers(organization.id));
  const readAnew = useReadAnew();
  const [userId, setUserId] = useState<string | null>(null);
  const [role, setRole] = useState<AssignableRole>('member');
  const absent = (belonging ?? []).filter(({ user_id }) => present.every((each) => each.user_id !== user_id));
  const add = async () => {
    if (userId === null) return;
    await api.createProjectMember({ path: { project_id: project.id }, body: { user_id: userId, role } });
    await readAnew();
  };
  if (error !== null) return 'It takes an admin of the organization to see who could be added.';
  if (belonging !== undefined && absent.length === 0)
    return 'Everybody of the organization is in this project already. Invite others to the organization first.';
  return (
    <ActForm verb="Add" isDisabled={userId === null} act={add} onDone={onDone}>
      <Select
        label="Who"
        data={absent.map(({ user_id, display_name }) => ({ value: user_id, label: display_name }))}
        value={userId}
        searchable
        data-autofocus
        onChange={setUserId}
      />
      <Select
        label="Role in this project"
        data={ASSIGNABLE}
        value={role}
        allowDeselect={false}
        onChange={(value) => value !== null && setRole(value)}
      />
    </ActForm>
  );
}
