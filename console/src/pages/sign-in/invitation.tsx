import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { LinkButton } from '../../parts/links.js';
import { api } from '../../api/client.js';
import { Failure } from '../../parts/failures.js';
import { Moment } from '../../parts/moment.js';
import { Card } from './card.js';
import { receivedInvitation } from './received-invitation.js';
import { useMailedToken } from './use-mailed-token.js';

const route = getRouteApi('/signed-in/invites/$invitation');

const CAN = {
  operator: 'You can see all of its projects and work on their alerts.',
  viewer: 'You can see all of its projects and change nothing.',
} as const;

const ENDED = {
  accepted: 'You have accepted this invitation.',
  declined: 'You have declined this invitation.',
  revoked: 'This invitation was revoked.',
  expired: 'This invitation has expired. Ask for another one.',
} as const;

export function InvitationPage() {
  const { invitation: invite_id } = route.useParams();
  const { token } = useMailedToken(route.useSearch());
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: invitation, error } = useQuery(receivedInvitation(invite_id));
  const accept = useMutation({
    mutationFn: () => api.acceptInvite({ path: { invite_id }, body: token === undefined ? {} : { token } }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      await navigate({ to: '/' });
    },
  });
  const decline = useMutation({ mutationFn: () => api.declineInvite({ path: { invite_id } }) });

  if (decline.isSuccess) {
    return (
      <Card title="Declined" lead="The person who invited you can see this.">
        <LinkButton to="/">To the console</LinkButton>
      </Card>
    );
  }
  if (error !== null) {
    return (
      <Card title="Invitation">
        <Failure error={error} />
        <LinkButton to="/">To the console</LinkButton>
      </Card>
    );
  }
  if (invitation === undefined) return null;
  const { organization_name: organization, role, invited_by: inviter, status, expires_at } = invitation;
  if (status !== 'pending') {
    return (
      <Card title={organization} lead={ENDED[status]}>
        <LinkButton to="/">To the console</LinkButton>
      </Card>
    );
  }
  return (
    <Card
      title={`Join ${organization}`}
      lead={
        <>
          {inviter ?? 'A person who has left'} invites you as {role}. {CAN[role]} The invitation expires{' '}
          <Moment at={expires_at} />.
        </>
      }
    >
      <Failure error={accept.error ?? decline.error} />
      <Group grow>
        <Button
          variant="default"
          loading={decline.isPending}
          disabled={accept.isPending}
          onClick={() => decline.mutate()}
        >
          Decline
        </Button>
        <Button loading={accept.isPending} disabled={decline.isPending} onClick={() => accept.mutate()}>
          Join
        </Button>
      </Group>
    </Card>
  );
}
