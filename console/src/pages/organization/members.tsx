import { Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { organizationMembers, useOrganizationRefusal } from '../../api/organization.js';
import { me, organizations, projects } from '../../api/queries.js';
import { Act } from '../../parts/act.js';
import { LinkButton } from '../../parts/links.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Removal } from '../../parts/removal.js';
import { RoleSelect } from '../../parts/role-select.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { NotOffered, Section } from '../../parts/section.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Member = Schemas['MemberResponse'];

/** Shows the members of an organization. Their roles apply in every project of it. */
export function MembersPage() {
  const { organization, project } = useCurrentProject();
  const { data: person } = useSuspenseQuery(me);
  const refusal = useOrganizationRefusal(organization.id);
  const params = { organization: organization.slug, project: project.slug };
  return (
    <Stack gap="lg">
      <PageHead
        title="Members"
        guide="organizations-and-projects#members"
        about={`Who belongs to ${organization.name}, and what they may in all of its projects.`}
      >
        {refusal === undefined ? (
          <LinkButton to="/o/$organization/p/$project/organization/invitations" params={params}>
            Invite somebody
          </LinkButton>
        ) : (
          <Act refusal={`${refusal} to invite`} onAct={() => undefined}>
            Invite somebody
          </Act>
        )}
      </PageHead>
      {refusal === undefined ? (
        <MemberList personId={person.id} />
      ) : (
        <NotOffered why={`${refusal} to see the members`} />
      )}
      {organization.owner_id !== person.id && <Leaving personId={person.id} />}
    </Stack>
  );
}

interface PersonProps {
  readonly personId: string;
}

function MemberList({ personId }: PersonProps) {
  const { organization } = useCurrentProject();
  const query = useQuery(organizationMembers(organization.id));
  const isOwner = organization.owner_id === personId;
  return (
    <Listed query={query} empty={<Empty title="Nobody yet" about="Invite the people who look after the projects." />}>
      {(members) => (
        <Rows label="Members" columns={['Name', 'Address', 'Role', 'Since', null]} minWidth={680}>
          {members.map((member) => (
            <MemberRow key={member.user_id} member={member} isSelf={member.user_id === personId} isOwner={isOwner} />
          ))}
        </Rows>
      )}
    </Listed>
  );
}

interface RowProps {
  readonly member: Member;
  readonly isSelf: boolean;
  /** Whether the caller owns the organization. */
  readonly isOwner: boolean;
}

function MemberRow({ member, isSelf, isOwner }: RowProps) {
  const queries = useQueryClient();
  const { organization_id, user_id, display_name: name, role } = member;
  const readAnew = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: organizationMembers(organization_id).queryKey }),
      queries.invalidateQueries({ queryKey: ['project'] }),
    ]);
  const change = async (next: Schemas['AssignableProjectRole']) => {
    await api.updateOrganizationMember({ path: { organization_id, user_id }, body: { role: next } });
    await readAnew();
  };
  const remove = async () => {
    await api.deleteOrganizationMember({ path: { organization_id, user_id } });
    await readAnew();
  };
  return (
    <Table.Tr>
      <Cell column="Name">
        {name}
        {isSelf && (
          <Text span size="sm" c="dimmed">
            {' '}
            (you)
          </Text>
        )}
      </Cell>
      <Cell column="Address">{member.identity}</Cell>
      <Cell column="Role">
        <RoleSelect
          name={name}
          role={role}
          refusal={member.can_change_role ? undefined : whyKept(member)}
          mayMakeAdmins={isOwner}
          change={change}
        />
      </Cell>
      <Cell column="Since">
        <Moment at={member.created_at} />
      </Cell>
      <Table.Td ta="end">
        {member.can_revoke && !isSelf && (
          <Removal verb="Remove" name={name} title="Remove the member" act={remove}>
            <b>{name}</b> has no way into the organization and its projects any more, at once. API keys they made go on
            working.
          </Removal>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function whyKept({ is_owner, role }: Member): string {
  if (is_owner) return 'The role of the owner stays as it is';
  return role === 'admin' ? 'The owner alone changes admins' : 'Your role does not change this one';
}

function Leaving({ personId }: PersonProps) {
  const { organization } = useCurrentProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await api.deleteOrganizationMember({ path: { organization_id: organization.id, user_id: personId } });
    await Promise.all([
      queries.refetchQueries({ queryKey: organizations.queryKey }),
      queries.refetchQueries({ queryKey: projects.queryKey }),
    ]);
    await navigate({ to: '/' });
  };
  return (
    <Section
      title="Leave"
      about="You lose access to the organization and to all of its projects."
      acts={
        <Removal isLarge verb="Leave" name={organization.name} title={`Leave ${organization.name}`} act={leave}>
          Only an invitation brings you back.
        </Removal>
      }
    />
  );
}
