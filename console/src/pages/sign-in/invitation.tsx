import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { LinkButton } from '../../parts/links.js';
import { api } from '../../api/client.js';
import { Failure } from '../../parts/failures.js';
import { Card } from './card.js';
import { useMailedToken } from './use-mailed-token.js';

const route = getRouteApi('/signed-in/invites/$invitation');

export function InvitationPage() {
  const { invitation: invite_id } = route.useParams();
  const { token } = useMailedToken(route.useSearch());
  const queries = useQueryClient();
  const navigate = useNavigate();
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
      <Card title="Declined" lead="Whoever invited you can see it.">
        <LinkButton to="/">To the console</LinkButton>
      </Card>
    );
  }
  return (
    <Card title="You are invited" lead="Joining lets you see what the organization's projects send.">
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
