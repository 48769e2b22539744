import { Badge, Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { invitationAudits, invitations, useOrganizationRefusal } from '../../api/organization.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { useOpenForm } from '../../parts/open-form.js';
import { PageHead } from '../../parts/page-head.js';
import { Removal } from '../../parts/removal.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { NotOffered, Section } from '../../parts/section.js';
import { wordsOf } from '../../parts/words.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Invitation = Schemas['InvitationResponse'];

const COLORS: Readonly<Record<Schemas['InviteStatus'], string>> = {
  pending: 'sea',
  accepted: 'sea',
  declined: 'gray',
  revoked: 'gray',
  expired: 'orange',
};

export function InvitationsPage() {
  const { organization } = useCurrentProject();
  const refusal = useOrganizationRefusal(organization.id);
  const [isInviting, setIsInviting] = useOpenForm('invitation');
  return (
    <Stack gap="lg">
      <PageHead
        title="Invitations"
        guide="organizations-and-projects#invitations"
        about={`An invitation by mail lets a person join ${organization.name}. It is valid for seven days.`}
      >
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsInviting(true)}>
          Invite
        </Act>
      </PageHead>
      {refusal === undefined ? <Invited /> : <NotOffered why={`${refusal} to see who is invited`} />}
      <Dialog
        title="Invite somebody"
        guide="organizations-and-projects#invitations"
        isOpen={isInviting && refusal === undefined}
        onClose={() => setIsInviting(false)}
      >
        <InviteForm onDone={() => setIsInviting(false)} />
      </Dialog>
    </Stack>
  );
}

function useReadAnew(): () => Promise<void> {
  const { organization } = useCurrentProject();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: invitations(organization.id).queryKey });
}

function Invited() {
  const { organization } = useCurrentProject();
  const query = useQuery(invitations(organization.id));
  return (
    <>
      <Listed
        query={query}
        empty={
          <Empty
            title="Nobody is invited"
            about="The person registers with this address and is then a member. You can change the role later, under Members."
          />
        }
      >
        {(items) => (
          <Rows label="Invitations" columns={['Address', 'Role', 'State', 'Mailed', 'Until', null]} minWidth={820}>
            {items.map((each) => (
              <InvitationRow key={each.id} invitation={each} />
            ))}
          </Rows>
        )}
      </Listed>
      <Audits />
    </>
  );
}

function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const readAnew = useReadAnew();
  const { id: invite_id, email, status } = invitation;
  const resend = useMutation({
    mutationFn: () => api.resendInvite({ path: { invite_id } }),
    onSettled: readAnew,
  });
  const revoke = async () => {
    await api.revokeInvite({ path: { invite_id } });
    await readAnew();
  };
  return (
    <Table.Tr>
      <Cell column="Address">{email}</Cell>
      <Cell column="Role">{wordsOf(invitation.role)}</Cell>
      <Cell column="State">
        <Badge variant="light" className="state-badge" color={COLORS[status]}>
          {status}
        </Badge>
      </Cell>
      <Cell column="Mailed">
        <Moment at={invitation.last_sent_at} />
        {invitation.delivery_status !== 'sent' && (
          <Text size="xs" c="var(--mantine-color-red-light-color)">
            {invitation.delivery_status === 'failed' ? 'The mail did not go out' : 'No mail server is set up'}
          </Text>
        )}
      </Cell>
      <Cell column="Until">
        <Moment at={invitation.expires_at} />
      </Cell>
      <Table.Td>
        {status === 'pending' && (
          <Stack gap={4} align="flex-end">
            <Group gap="xs" justify="flex-end" wrap="nowrap">
              <Button
                size="xs"
                variant="subtle"
                loading={resend.isPending}
                aria-label={`Send again to ${email}`}
                onClick={() => resend.mutate()}
              >
                Send again
              </Button>
              <Removal verb="Revoke" name={email} title="Revoke the invitation" act={revoke}>
                The mailed link opens nothing any more. <b>{email}</b> can be invited anew.
              </Removal>
            </Group>
            <Failure error={resend.error} />
          </Stack>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const ROLES: readonly { readonly value: Schemas['InviteRole']; readonly label: string }[] = [
  { value: 'viewer', label: 'Viewer: looks, changes nothing' },
  { value: 'operator', label: 'Operator: works with alerts and deliveries' },
];

function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { organization } = useCurrentProject();
  const readAnew = useReadAnew();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Schemas['InviteRole']>('viewer');
  const invite = async () => {
    const path = { organization_id: organization.id };
    try {
      await api.createInvite({ path, body: { email: email.trim(), role } });
    } finally {
      await readAnew();
    }
  };
  return (
    <ActForm verb="Send the invitation" act={invite} onDone={onDone}>
      <TextInput
        label="E-mail address"
        type="email"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Select
        label="Role"
        description="In every project of the organization"
        data={ROLES}
        value={role}
        allowDeselect={false}
        onChange={(value) => value !== null && setRole(value)}
      />
    </ActForm>
  );
}

function Audits() {
  const { organization } = useCurrentProject();
  const query = useQuery(invitationAudits(organization.id));
  return (
    <Section title="History" about="All actions on invitations, also refused ones.">
      <Listed
        query={query}
        empty={
          <Text size="sm" c="dimmed">
            Nothing yet.
          </Text>
        }
      >
        {(items) => (
          <Rows label="Acts on invitations" columns={['When', 'Act', 'Role', 'Outcome', 'Request']} minWidth={720}>
            {items.map((each) => (
              <Table.Tr key={each.id}>
                <Cell column="When">
                  <Moment at={each.created_at} />
                </Cell>
                <Cell column="Act">{wordsOf(each.action)}</Cell>
                <Cell column="Role">{wordsOf(each.requested_role)}</Cell>
                <Cell column="Outcome">
                  {each.outcome === 'success' ? 'Done' : `Refused: ${wordsOf(each.reason_code ?? '').toLowerCase()}`}
                </Cell>
                <Cell column="Request" ff="monospace" fz="xs">
                  {each.request_id ?? '–'}
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
    </Section>
  );
}
