import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { signInApi } from '../../api/sign-in-client.js';
import { Failure } from '../../parts/failures.js';
import { LinkButton } from '../../parts/links.js';
import { Card } from './card.js';
import { confirmed } from './confirmed.js';
import { useMailedToken } from './use-mailed-token.js';

const verifyRoute = getRouteApi('/verify-email');
const changeRoute = getRouteApi('/confirm-email-change');

interface Props {
  readonly title: string;
  readonly lead: string;
  readonly act: string;
  /** Undefined: the link is incomplete. */
  readonly confirm: (() => Promise<{ readonly message: string }>) | undefined;
}

/** Waits for a click, because programs that scan mail open its links, too. */
function ConfirmPage({ title, lead, act, confirm }: Props) {
  const confirmation = useMutation({ mutationFn: async () => confirm?.() });
  if (confirmation.data !== undefined) {
    return (
      <Card title="Confirmed" lead={confirmation.data.message}>
        <LinkButton to="/login">Sign in</LinkButton>
      </Card>
    );
  }
  return (
    <Card title={title} lead={lead}>
      {confirm === undefined && <Alert color="red">The link is incomplete. Copy the whole link from the mail.</Alert>}
      <Failure error={confirmation.error} />
      <Button disabled={confirm === undefined} loading={confirmation.isPending} onClick={() => confirmation.mutate()}>
        {act}
      </Button>
    </Card>
  );
}

/** Confirms the address of a new account, and goes on to the sign-in. */
export function VerifyEmailPage() {
  const navigate = useNavigate();
  const { email, token } = useMailedToken(verifyRoute.useSearch());
  const isWhole = email !== undefined && token !== undefined;
  const confirm = async (body: { readonly email: string; readonly token: string }) => {
    const answer = await signInApi.verifyEmail({ body });
    confirmed.email = body.email;
    await navigate({ to: '/login', replace: true });
    return answer;
  };
  return (
    <ConfirmPage
      title="Confirm your e-mail address"
      lead={email ?? ''}
      act="Confirm"
      confirm={isWhole ? () => confirm({ email, token }) : undefined}
    />
  );
}

export function ConfirmEmailChangePage() {
  const { token } = useMailedToken(changeRoute.useSearch());
  return (
    <ConfirmPage
      title="Confirm the new address"
      lead="Afterwards you sign in with the new address."
      act="Confirm"
      confirm={token === undefined ? undefined : () => signInApi.confirmEmailChange({ body: { token } })}
    />
  );
}
