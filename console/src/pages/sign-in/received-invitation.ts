import { queryOptions } from '@tanstack/react-query';
import { requestOutside } from '../../api/outside.js';

/** An invitation, as the answer of `GET /invitations/{invite_id}` describes it to the invited person. */
interface ReceivedInvitation {
  readonly organization_name: string;
  readonly role: 'operator' | 'viewer';
  /** Null when the account of that person was deleted. */
  readonly invited_by: string | null;
  readonly status: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  readonly expires_at: string;
}

/** Refusals are those of an answer to the invitation. */
export const receivedInvitation = (id: string) =>
  queryOptions({
    queryKey: ['received-invitation', id],
    queryFn: ({ signal }): Promise<ReceivedInvitation> =>
      requestOutside(`/invitations/${encodeURIComponent(id)}`, 'acceptInvite', { signal }),
  });
